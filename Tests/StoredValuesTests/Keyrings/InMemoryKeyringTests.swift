import StoredValues
import Testing

@Suite("InMemoryKeyring", .hangLimit)
struct InMemoryKeyringTests {
    private let id = SecretIdentifier(service: "s", account: "a")
}

extension InMemoryKeyringTests {
    /// The error of each call but unlock().
    private func errors(of keyring: InMemoryKeyring) async -> Set<String> {
        var errors: Set<String> = []
        func note(_ call: () async throws(KeyringError) -> Void) async {
            do {
                try await call()
                errors.insert("none")
            } catch {
                errors.insert("\(error)")
            }
        }
        await note { () throws(KeyringError) in _ = try await keyring.read(id) }
        await note { () throws(KeyringError) in try await keyring.write(Secret([9]), for: id, label: "") }
        await note { () throws(KeyringError) in try await keyring.remove(id) }
        await note { () throws(KeyringError) in _ = try await keyring.identifiers(inService: "s") }
        return errors
    }

    @Test(
        "An outage answers every call with its reason, and loses nothing",
        arguments: [
            (InMemoryKeyring.Fault.locked, KeyringError.locked), (.gone, .noSecretService), (.dismissing, .locked),
        ])
    func outage(_ fault: InMemoryKeyring.Fault, _ error: KeyringError) async throws {
        let keyring = InMemoryKeyring()
        try await keyring.write(Secret([1]), for: id, label: "")
        keyring.inject(fault)
        #expect(await errors(of: keyring) == ["\(error)"])
        keyring.inject(nil)
        #expect(try await keyring.read(id) == Secret([1]))
    }

    @Test("Unlocking opens a locked keyring, is dismissed by a dismissing one, and throws noSecretService for one that is gone")
    func unlock() async throws {
        let keyring = InMemoryKeyring()
        keyring.inject(.locked)
        try await keyring.unlock()
        #expect(try await keyring.read(id) == nil)
        keyring.inject(.dismissing)
        await #expect(throws: KeyringError.dismissed) { try await keyring.unlock() }
        await #expect(throws: KeyringError.locked) { try await keyring.read(id) }
        keyring.inject(.gone)
        await #expect(throws: KeyringError.noSecretService) { try await keyring.unlock() }
    }

    @Test("A slow keyring takes its time, up to the deadline")
    func slow() async throws {
        let keyring = InMemoryKeyring(deadline: .milliseconds(100))
        keyring.inject(.slow(.milliseconds(50)))
        let time = try await elapsed { _ = try await keyring.read(id) }
        #expect(time >= .milliseconds(50))
        keyring.inject(.slow(.seconds(3600)))
        await #expect(throws: KeyringError.timedOut(after: .milliseconds(100))) { try await keyring.read(id) }
    }

    @Test("A cancelled call on a slow keyring ends at once")
    func cancelSlow() async throws {
        let keyring = InMemoryKeyring(deadline: .seconds(3600))
        keyring.inject(.slow(.seconds(3600)))
        await expectCancelled { [id] in _ = try await keyring.read(id) }
    }

    @Test("Outages and their ends are announced, once each")
    func announcements() async throws {
        let keyring = InMemoryKeyring()
        var changes = keyring.changes.makeAsyncIterator()
        keyring.inject(.locked)
        keyring.inject(.dismissing)
        keyring.inject(.locked)
        try await keyring.unlock()
        try await keyring.write(Secret([1]), for: id, label: "")
        keyring.inject(.slow(.zero))
        keyring.inject(.gone)
        keyring.inject(nil)
        let expected: [KeyringChange] = [
            .locked, .unlocked, .secret(id), .unavailable(.noSecretService), .unlocked,
        ]
        for change in expected { #expect(await changes.next() == change) }
    }
}
