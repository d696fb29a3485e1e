import Foundation
import StoredValues
import Testing

@Suite("FallbackKeyring", .hangLimit)
struct FallbackKeyringTests {
    private let id = SecretIdentifier(service: "s", account: "token")
    private let one = InMemoryKeyring(), two = InMemoryKeyring(), three = InMemoryKeyring()
}

extension FallbackKeyringTests {
    private func put(_ text: String, in keyring: some Keyring) async throws {
        try await keyring.write(Secret(text.utf8), for: id, label: "")
    }

    @Test("The first keyring that has a value is read, and it is absent only when all say so")
    func reading() async throws {
        let keyring = FallbackKeyring([one, two, three])
        #expect(try await keyring.read(id) == nil)
        try await put("three", in: three)
        #expect(try await keyring.read(id) == Secret("three".utf8))
        try await put("two", in: two)
        #expect(try await keyring.read(id) == Secret("two".utf8))
        try await put("one", in: one)
        #expect(try await keyring.read(id) == Secret("one".utf8))
    }

    @Test("Where no other has a value, one that could not be asked is the reason, never an absent secret", arguments: 0..<3)
    func outage(position: Int) async throws {
        let all = [one, two, three]
        let keyring = FallbackKeyring(all)
        all[position].inject(.gone)
        await #expect(throws: KeyringError.noSecretService) { try await keyring.read(id) }
        await #expect(throws: KeyringError.noSecretService) { try await keyring.identifiers(inService: "s") }
        let other = all[(position + 1) % 3]
        try await put("value", in: other)
        #expect(try await keyring.read(id) == Secret("value".utf8))
        await #expect(throws: KeyringError.noSecretService) { try await keyring.remove(id) }
        #expect(try await other.read(id) != nil)
        let last = all[(position + 2) % 3]
        last.inject(.locked)
        try await other.remove(id)
        let first = position < (position + 2) % 3 ? KeyringError.noSecretService : .locked
        await #expect(throws: first) { try await keyring.read(id) }
    }

    @Test("A write goes to the first keyring that can be written, and to no other")
    func writing() async throws {
        let keyring = FallbackKeyring([NotWritable(.readOnly), NotWritable(.notBuiltIn), one, two])
        try await put("new", in: keyring)
        #expect(try await one.read(id) == Secret("new".utf8))
        #expect(try await two.read(id) == nil)
        #expect(try await keyring.read(id) == Secret("new".utf8))
    }

    @Test(
        "A keyring that is locked or gone is not passed over by a write",
        arguments: [
            (InMemoryKeyring.Fault.locked, KeyringError.locked), (.gone, .noSecretService),
        ])
    func unavailableWrite(_ fault: InMemoryKeyring.Fault, _ error: KeyringError) async throws {
        let keyring = FallbackKeyring([one, two])
        one.inject(fault)
        await #expect(throws: error) { try await put("new", in: keyring) }
        #expect(try await two.read(id) == nil)
    }

    @Test("What a read-only keyring would hide is not written")
    func shadowed() async throws {
        let fixed = NotWritable(.readOnly, holding: Secret("fixed".utf8))
        let keyring = FallbackKeyring([fixed, one])
        await #expect(throws: KeyringError.readOnly) { try await put("new", in: keyring) }
        #expect(try await one.read(id) == nil)
        #expect(try await keyring.read(id) == Secret("fixed".utf8))
        // Nor is anything where nobody knows whether it would be hidden.
        let unknown = FallbackKeyring([NotWritable(.readOnly, unreadable: .accessDenied), one])
        await #expect(throws: KeyringError.accessDenied) { try await put("new", in: unknown) }
        #expect(try await one.read(id) == nil)
    }

    @Test("Removing removes it from all, or says why not and leaves what is read")
    func removing() async throws {
        let keyring = FallbackKeyring([one, NotWritable(.readOnly), two])
        try await put("one", in: one)
        try await put("two", in: two)
        try await keyring.remove(id)
        try await keyring.remove(id)
        #expect(try await keyring.read(id) == nil)
        for fallback in [
            FallbackKeyring([NotWritable(.readOnly, holding: Secret("fixed".utf8)), one]),
            FallbackKeyring([one, NotWritable(.readOnly, holding: Secret("fixed".utf8))]),
        ] {
            try await put("one", in: one)
            let before = try await fallback.read(id)
            await #expect(throws: KeyringError.readOnly) { try await fallback.remove(id) }
            #expect(try await fallback.read(id) == before)
        }
    }

    @Test("What is held by a credential, or by one that gives no answer, is removed from no other keyring, however they are nested")
    func removingNothing() async throws {
        try await withTemporaryFolder { folder in
            try "given".write(toFile: folder + "/token", atomically: true, encoding: .utf8)
            let given = CredentialsKeyring(path: folder, deadline: hangLimit)
            try await put("one", in: one)
            try await put("two", in: two)
            three.inject(.gone)
            let refusals: [(FallbackKeyring, KeyringError)] = [
                (FallbackKeyring([given, one]), .readOnly), (FallbackKeyring([FallbackKeyring([given, two]), one]), .readOnly),
                (FallbackKeyring([FallbackKeyring([two, three]), one]), .noSecretService),
            ]
            for (keyring, error) in refusals {
                await #expect(throws: error) { try await keyring.remove(id) }
                #expect(try await one.read(id) == Secret("one".utf8))
                #expect(try await two.read(id) == Secret("two".utf8))
            }
        }
    }

    @Test("A keyring that is not built in is passed over, unless there is no other")
    func notBuiltIn() async throws {
        let keyring = FallbackKeyring([NotWritable(.notBuiltIn), one])
        #expect(try await keyring.read(id) == nil)
        try await keyring.unlock()
        try await put("one", in: keyring)
        #expect(try await keyring.identifiers(inService: "s") == [id])
        try await keyring.remove(id)
        let none = FallbackKeyring([NotWritable(.notBuiltIn)])
        await #expect(throws: KeyringError.notBuiltIn) { try await none.read(id) }
        await #expect(throws: KeyringError.notBuiltIn) { try await put("one", in: none) }
        await #expect(throws: KeyringError.notBuiltIn) { try await none.remove(id) }
        await #expect(throws: KeyringError.notBuiltIn) { try await none.identifiers(inService: "s") }
        await #expect(throws: KeyringError.notBuiltIn) { try await none.unlock() }
        await #expect(throws: KeyringError.readOnly) { try await put("x", in: FallbackKeyring([NotWritable(.readOnly)])) }
    }

    @Test("Each keyring is unlocked in turn, and the first that stays locked is the reason")
    func unlocking() async throws {
        let keyring = FallbackKeyring([one, two])
        one.inject(.locked)
        two.inject(.locked)
        try await keyring.unlock()
        #expect(try await keyring.read(id) == nil)
        one.inject(.dismissing)
        two.inject(.locked)
        await #expect(throws: KeyringError.dismissed) { try await keyring.unlock() }
        #expect(try await two.read(id) == nil)
    }

    @Test("The identifiers are those of all, each once, sorted")
    func identifiers() async throws {
        for (keyring, accounts) in [(one, ["c", "a"]), (two, ["b", "a"])] {
            for account in accounts {
                try await keyring.write(Secret([1]), for: SecretIdentifier(service: "s", account: account), label: "")
            }
        }
        #expect(try await FallbackKeyring([one, two]).identifiers(inService: "s").map(\.account) == ["a", "b", "c"])
    }

    @Test("The changes of all are reported from the moment of subscribing, and a listener that goes leaves nothing")
    func changes() async throws {
        let keyring = FallbackKeyring([one, NotWritable(.readOnly), two])
        var changes = keyring.changes.makeAsyncIterator()
        try await put("two", in: two)
        #expect(await changes.next() == .secret(id))
        one.inject(.locked)
        #expect(await changes.next() == .anySecret)  // the other one may still answer
        let ended = FallbackKeyring([NotWritable(.readOnly), NotWritable(.readOnly)]).changes
        for await change in ended { Issue.record("\(change)") }
    }

    @Test("A value in one stays at hand while another is gone or locked", arguments: [InMemoryKeyring.Fault.gone, .locked])
    func outage(_ fault: InMemoryKeyring.Fault) async throws {
        let first = InMemoryKeyring(), second = InMemoryKeyring()
        let id = SecretIdentifier(service: "s", account: "t")
        try await second.write(Secret("one".utf8), for: id, label: "")
        let token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: FallbackKeyring([first, second]))
        let values = Collector(token.values)
        try await values.wait(for: ["one"])
        first.inject(fault)
        try await second.write(Secret("two".utf8), for: id, label: "")
        try await values.wait(for: ["one", "two"])
        #expect(token.wrappedValue == "two" && token.status == .value)
    }

    @Test("An update takes the lock of no keyring but the one that it writes to")
    func lock() async throws {
        try await withTemporaryFolder { folder in
            // Its lock is not to be had, for its key is missing.
            let file = EncryptedFileKeyring(path: folder + "/new/store", key: .file(folder + "/key"), deadline: hangLimit)
            let readOnly = FallbackKeyring([CredentialsKeyring(path: folder, deadline: hangLimit)])
            for (count, keyring) in [FallbackKeyring([one, file]), FallbackKeyring([readOnly, one, file])].enumerated() {
                let number = SecurelyStoredValue<Int>(key: "n", service: "s", keyring: keyring)
                try await number.update { $0 = ($0 ?? 0) + 1 }
                #expect(try await number.load() == count + 1)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test("Two with the same keyrings in the same order, however they are nested, are one keyring, and say which they are")
    func identity() async throws {
        let keyring = FallbackKeyring([one, two])
        #expect(keyring == FallbackKeyring([one, two]) && keyring.hashValue == FallbackKeyring([one, two]).hashValue)
        #expect(keyring != FallbackKeyring([two, one]) && keyring != FallbackKeyring([one, three]))
        #expect(keyring == FallbackKeyring([FallbackKeyring([one]), two]) && keyring == FallbackKeyring([keyring]))
        #expect(FallbackKeyring([.credentials(at: "/a"), one]) == FallbackKeyring([.credentials(at: "/a"), one]))
        #expect(
            FallbackKeyring([.credentials(at: "/run/a"), one]).description
                == "the credentials in /run/a, else a keyring in this process's memory")
        let first = SecurelyStoredValue<String>(key: "k", service: "s", keyring: keyring)
        let second = SecurelyStoredValue<String>(key: "k", service: "s", keyring: FallbackKeyring([one, two]))
        #expect(first.wrappedValue == nil)
        try await second.set("shared")
        #expect(first.wrappedValue == "shared")
    }
}

/// A keyring that refuses changes, perhaps with one secret in it.
private final class NotWritable: Keyring {
    private let error: KeyringError
    private let secret: Secret?
    private let readError: KeyringError?

    init(_ error: KeyringError, holding secret: Secret? = nil, unreadable: KeyringError? = nil) {
        self.error = error
        self.secret = secret
        readError = error == .notBuiltIn ? error : unreadable
    }

    var description: String { "a keyring that cannot be written" }
    var changes: KeyringChanges { .none }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        if let readError { throw readError }
        return secret
    }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw error }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw error }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        if let readError { throw readError }
        return []
    }
    func unlock() async throws(KeyringError) { if error == .notBuiltIn { throw error } }
}
