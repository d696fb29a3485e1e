import StoredValues
import Testing

@Suite("What this process knows of a secret", .hangLimit)
struct LiveSecretTests {
    @Test("An answer that was asked for before a change of ours is not put over it")
    func lateAnswer() async throws {
        let keyring = SteeredKeyring()
        let token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: keyring)
        #expect(try await token.load() == nil)
        keyring.secret = Secret("another process's".utf8)
        keyring.holdReads()
        let loading = Task { try await token.load() }
        try await eventually("the keyring was read") { keyring.isHolding }
        try await token.reset()
        keyring.release()
        #expect(try await loading.value == nil)
        #expect(keyring.secret == nil)
        #expect(token.status == .absent && token.wrappedValue == nil)
    }

    @Test("Changes that wait behind one that times out end with it, not each after a deadline of its own")
    func waitingChanges() async throws {
        let keyring = InMemoryKeyring(deadline: .seconds(1))
        keyring.inject(.slow(.seconds(3600)))
        let token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: keyring)
        let time = await elapsed {
            await withTaskGroup { group in
                for number in 0..<1000 {
                    group.addTask {
                        await #expect(throws: KeyringError.timedOut(after: .seconds(1))) { try await token.set("\(number)") }
                    }
                }
            }
        }
        #expect(time < hangLimit, "a thousand deadlines are 1,000 s")
    }

    @Test("A getter waits 5 s for a keyring that does not answer, and no longer")
    func getterDeadline() async throws {
        let keyring = InMemoryKeyring(deadline: hangLimit)
        keyring.inject(.slow(.seconds(3600)))
        let token = SecurelyStoredValue<String>(key: "g", service: "t", keyring: keyring)
        let status = await offPool { token.status }
        #expect(status == .unavailable(.timedOut(after: .seconds(5))))
    }

    @Test("An update that throws, or leaves the secret as it was, overwrites nothing", arguments: [true, false])
    func idleUpdate(throwing: Bool) async throws {
        let keyring = SteeredKeyring()
        keyring.secret = Secret("old".utf8)
        let token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: keyring)
        struct Refused: Error {}
        let update = Task {
            try await token.update { text in
                keyring.secret = Secret("another process's".utf8)
                guard throwing else { return }
                text = "never stored"
                throw Refused()
            }
        }
        if throwing {
            await #expect(throws: Refused.self) { try await update.value }
        } else {
            try await update.value
        }
        #expect(keyring.secret == Secret("another process's".utf8))
    }

    @Test("An update that returns nil stores its change like any other")
    func updateReturningNil() async throws {
        let token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: InMemoryKeyring())
        let before = try await token.update { text -> String? in
            defer { text = "new" }
            return text
        }
        #expect(before == nil)
        #expect(try await token.load() == "new")
    }
}
