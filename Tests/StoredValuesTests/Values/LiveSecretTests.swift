import StoredValues
import Testing

@Suite("What this process knows of a secret", .hangLimit)
struct LiveSecretTests {}

extension LiveSecretTests {
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
    func waitingChanges() async {
        await expectOneDeadline { token, number in try await token.set("\(number)") }
    }

    @Test("A getter waits 5 s for a keyring that does not answer, and no longer")
    func getterDeadline() async throws {
        let keyring = InMemoryKeyring(deadline: hangLimit)
        keyring.inject(.slow(.seconds(3600)))
        let token = SecurelyStoredValue<String>(key: "g", service: "t", keyring: keyring)
        let status = await offPool { token.status }
        #expect(status == .unavailable(.timedOut(after: .seconds(5))))
    }

    @Test("Of two answers the one counts that was asked for later; no load asks a second time")
    func laterAnswer() async throws {
        let (keyring, token) = try await listening()
        let (one, two) = try await heldLoads(of: token, keyring)
        keyring.release(at: 0)
        #expect(try await one.value == "first")
        keyring.release(at: 0)
        #expect(try await two.value == "second")
        #expect(token.wrappedValue == "second")
        #expect(keyring.reads == 3, "with the one in listening()")
    }

    @Test("An answer overtaken by a later one is checked again in the background")
    func earlierAnswer() async throws {
        let (keyring, token) = try await listening()
        let (one, two) = try await heldLoads(of: token, keyring)
        keyring.release(at: 1)
        #expect(try await two.value == "second")
        keyring.release(at: 0)
        #expect(try await one.value == "second", "what the getter says, too")
        try await eventually("it was looked again") { token.wrappedValue == "third" }
    }

    /// A secret that was read once and listens to changes. One that takes 2 s to begin listening is read again then, and not used.
    private func listening() async throws -> (SteeredKeyring, SecurelyStoredValue<String>) {
        while true {
            let keyring = SteeredKeyring(), token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: keyring)
            let time = try await elapsed { try await token.load() }
            if time < .seconds(2) { return (keyring, token) }
        }
    }

    /// Two loads, one after the other, that are held up with "first" and "second" in their hands; then "third" is stored.
    private func heldLoads(
        of token: SecurelyStoredValue<String>, _ keyring: SteeredKeyring
    ) async throws -> (Task<String?, any Error>, Task<String?, any Error>) {
        keyring.holdReads()
        keyring.secret = Secret("first".utf8)
        let one = Task { try await token.load() }
        try await eventually("one reads") { keyring.heldCount == 1 }
        keyring.secret = Secret("second".utf8)
        let two = Task { try await token.load() }
        try await eventually("both read") { keyring.heldCount == 2 }
        keyring.secret = Secret("third".utf8)
        keyring.holdNoMore()
        return (one, two)
    }

    @Test("First getters wait for one reading, each for 5 s; when all have gone, its answer is still of use")
    func oneReading() async throws {
        let keyring = SteeredKeyring()
        keyring.secret = Secret("kept".utf8)
        keyring.holdReads()
        let token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: keyring)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { await offPool { token.status } } }
            for await status in group { #expect(status == .unavailable(.timedOut(after: .seconds(5)))) }
        }
        try await eventually("it is asked") { keyring.reads == 1 }
        #expect(keyring.reads == 1)
        // What would be asked for after it is held up: for it to be of use, it must be taken.
        keyring.release(at: 0)
        try await eventually("the answer is there") { token.wrappedValue == "kept" }
        keyring.release()
    }

    @Test("A first getter waits for no change of ours that is under way")
    func gettingBesideChange() async throws {
        let keyring = SteeredKeyring()
        keyring.secret = Secret("old".utf8)
        keyring.holdWrites()
        let token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: keyring)
        let setting = Task { try await token.set("new") }
        try await eventually("it is being set") { keyring.isHolding }
        try await eventually("the old one is read") { await offPool { token.wrappedValue } == "old" }
        keyring.release()
        try await setting.value
        #expect(token.wrappedValue == "new")
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

    @Test("Cancellation at any moment leaves no endless wait, and nothing that the next change would wait for", arguments: [true, false])
    func cancelledAtAnyMoment(awaiting: Bool) async throws {
        let token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: InMemoryKeyring())
        @Sendable func change(to text: String) async throws {
            guard awaiting else { return try await token.update { $0 = text } }
            try await token.update { (item: inout String?) async throws in
                await Task.yield()
                item = text
            }
        }
        for number in 0..<1000 {
            let tasks = (0..<2).map { position in Task { try await change(to: "\(number).\(position)") } }
            await Task.yield()
            tasks[1].cancel()
            try await tasks[0].value
            _ = await tasks[1].result
        }
        try await change(to: "end")
        #expect(try await token.load() == "end")
    }
}
