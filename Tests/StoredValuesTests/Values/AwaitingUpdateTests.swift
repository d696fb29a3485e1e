import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("Updating a secret by a closure that awaits something", .hangLimit)
struct AwaitingUpdateTests {
    private let keyring = InMemoryKeyring()
    private let id = SecretIdentifier(service: "test", account: "token")
}

extension AwaitingUpdateTests {
    private func token(_ key: String = "token") -> SecurelyStoredValue<String> {
        SecurelyStoredValue(key: key, service: id.service, keyring: keyring)
    }

    private func stored() async throws -> Secret? { try await keyring.read(id) }

    @Test("A hundred callers that find a token expired have it refreshed once, and all get the new one")
    func oneRefresh() async throws {
        try await token().set("expired")
        let server = TokenServer()
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await self.token().update { (token: inout String?) async throws in
                        if token == "expired" { token = await server.refresh(token) }
                        return token
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "fresh 1", count: 100))
        #expect(await server.refreshed == ["expired"])
        #expect(token().wrappedValue == "fresh 1")
    }

    @Test("Beside updates that wait for nothing none is lost, and a closure that throws changes nothing")
    func mixed() async throws {
        struct Refusal: Error {}
        let counter = SecurelyStoredValue<Int>(key: "n", service: "test", keyring: keyring)
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<20 { try await counter.update { $0 = ($0 ?? 0) + 1 } } }
                group.addTask {
                    for _ in 0..<20 {
                        try await counter.update { (number: inout Int?) async throws in
                            let before = number ?? 0
                            await Task.yield()
                            number = before + 1
                        }
                    }
                }
                group.addTask {
                    await #expect(throws: Refusal.self) {
                        try await counter.update { (number: inout Int?) async throws in
                            number = 0
                            throw Refusal()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await counter.load() == 320)
        try await counter.update { (number: inout Int?) async throws in number = nil }
        #expect(counter.status == .absent)
    }

    /// What may become of a secret while a closure awaits something.
    enum Change: CaseIterable { case replaced, removed, setByThisProcess }

    @Test("What was changed meanwhile is not overwritten: the closure runs again, on what is there now", arguments: Change.allCases)
    func changedMeanwhile(_ change: Change) async throws {
        try await token().set("old")
        let seen = Guarded<[String?]>([])
        let result = try await token().update { [id, keyring, token = token()] (text: inout String?) async throws in
            let isFirst = seen.withLock { seen in
                seen.append(text)
                return seen.count == 1
            }
            if isFirst {
                switch change {
                case .replaced: try await keyring.write(Secret("new".utf8), for: id, label: "")
                case .removed: try await keyring.remove(id)
                case .setByThisProcess: try await Task.detached { try await token.set("new") }.value  // not by the closure
                }
            }
            text = (text ?? "none") + ", ours"
            return text
        }
        let now = change == .removed ? nil : "new"
        #expect(seen.withLock { $0 } == ["old", now])
        #expect(result == "\(now ?? "none"), ours")
        #expect(try await stored() == Secret("\(now ?? "none"), ours".utf8))
        #expect(token().wrappedValue == "\(now ?? "none"), ours")
    }

    @Test("Where the closure throws because of what was changed meanwhile, it runs again on that; what it throws of the current secret counts")
    func thrownMeanwhile() async throws {
        struct InvalidGrant: Error {}
        try await token().set("used")
        let seen = Guarded<[String?]>([])
        try await token().update { [id, keyring] (text: inout String?) async throws in
            seen.withLock { $0.append(text) }
            guard text == "used" else { return }
            try await keyring.write(Secret("another process's".utf8), for: id, label: "")
            throw InvalidGrant()
        }
        #expect(seen.withLock { $0 } == ["used", "another process's"])
        await #expect(throws: InvalidGrant.self) { try await token().update { (_: inout String?) async throws in throw InvalidGrant() } }
        #expect(try await token().load() == "another process's")
    }

    @Test("Cancelling a caller ends its wait only: its closure continues uncancelled, and so do those behind it")
    func cancellation() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let running = Guarded(false)
        let executor = QueueExecutor()
        let first = Task(executorPreference: executor) { [token = token()] in
            try await token.update { (text: inout String?) async throws in
                running.withLock { $0 = true }
                for await _ in gate {}
                text = Task.isCancelled ? "cancelled" : "first"
            }
        }
        try await eventually("it runs") { running.withLock { $0 } }
        let second = Task(executorPreference: executor) { [token = token()] in
            try await token.update { (text: inout String?) async throws in text = (text ?? "") + ", second" }
        }
        await executor.allWaiting()
        for task in [first, second] {
            task.cancel()
            await expectSecretError(.cancelled) { try await task.value }
        }
        #expect(try await stored() == nil)
        opening.finish()
        try await eventually("both are done") { try await stored() == Secret("first, second".utf8) }
    }

    @Test("The closure of a caller that was cancelled before does not run")
    func cancelledBefore() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let task = Task { [token = token()] in
            for await _ in gate {}
            try await token.update { (text: inout String?) async throws in text = "never" }
        }
        task.cancel()
        opening.finish()
        await expectSecretError(.cancelled) { try await task.value }
        #expect(try await stored() == nil)
    }

    @Test("A set, a reset and an update that awaits nothing do not wait for a closure that does")
    func noLock() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let runs = Guarded(0)
        let update = Task { [token = token()] in
            try await token.update { (text: inout String?) async throws in
                runs.withLock { $0 += 1 }
                for await _ in gate {}
                text = (text ?? "none") + ", ours"
            }
        }
        try await eventually("it runs") { runs.withLock { $0 } == 1 }
        try await token().set("one")
        try await token().reset()
        try await token().update { $0 = "two" }
        #expect(try await stored() == Secret("two".utf8))
        opening.finish()
        try await update.value
        #expect(try await stored() == Secret("two, ours".utf8) && runs.withLock { $0 } == 2)
    }

    @Test("One that its own closure calls, however deep, would wait for itself, and says so; a later one does not")
    func ofItself() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let later = try await token().update { [token = token(), other = token("other")] (text: inout String?) async throws in
            @Sendable func expectRefusal() async {
                let error = await #expect(throws: SecretError.self) {
                    try await token.update { (text: inout String?) async throws in text = "never" }
                }
                let description = error?.description ?? ""
                #expect(description.contains("wait for itself") && description.contains("test/token"), "\(description)")
            }
            await expectRefusal()
            await withTaskGroup { group in group.addTask { await expectRefusal() } }
            try await other.update { (text: inout String?) async throws in
                await expectRefusal()
                text = "of another secret"
            }
            text = "one"
            return Task {
                for await _ in gate {}
                try await token.update { (text: inout String?) async throws in text = (text ?? "") + ", two" }
            }
        }
        opening.finish()
        try await later.value
        #expect(token().wrappedValue == "one, two" && token("other").wrappedValue == "of another secret")
    }

    /// Updates a secret from `old` to `new` by a closure that also calls `change`, which must be refused.
    private func expectRefused<Item: StorableItem & Equatable>(
        _ what: Comment, updating old: Item, to new: Item, _ location: SourceLocation = #_sourceLocation,
        _ change: @escaping @Sendable (SecurelyStoredValue<Item>) async throws -> Void
    ) async throws {
        let value = SecurelyStoredValue<Item>(key: "changed inside", service: id.service, keyring: InMemoryKeyring())
        try await value.set(old)
        let runs = Counter()
        try await value.update { (stored: inout Item?) async throws in
            stored = new
            guard runs.next() == 1 else { return }  // otherwise it would not end
            await expectSecretError(.updateOfItself, sourceLocation: location) { try await change(value) }
        }
        #expect(runs.value == 1, what, sourceLocation: location)
        #expect(try await value.load() == new, what, sourceLocation: location)
    }

    @Test("Its closure changes the secret through its argument only: every other change of it is refused, and changes nothing")
    func changeInside() async throws {
        struct Account: Codable, Equatable, Sendable { var name = "" }
        typealias Text = SecurelyStoredValue<String>
        try await expectRefused("set", updating: "old", to: "new") { (token: Text) in try await token.set("x") }
        try await expectRefused("reset", updating: "old", to: "new") { (token: Text) in try await token.reset() }
        try await expectRefused("update", updating: "old", to: "new") { (token: Text) in try await token.update { $0 = "x" } }
        try await expectRefused("append", updating: "old", to: "new") { (token: Text) in try await token.append("x") }
        try await expectRefused("toggle", updating: false, to: true) { (flag: SecurelyStoredValue<Bool>) in try await flag.toggle() }
        try await expectRefused("a property", updating: Account(), to: Account(name: "new")) { (account: SecurelyStoredValue<Account>) in
            try await account.set(\.name, to: "x")
        }
        try await expectRefused("an entry", updating: ["a": 1], to: ["b": 2]) { (counts: SecurelyStoredValue<[String: Int]>) in
            try await counts.update(key: "x", value: 1)
        }
    }

    @Test("The closure has the caller's temporary storage, and task-local values")
    func temporaryStorage() async throws {
        try await withTemporaryStorage {
            try await Self.other.set("other")
            let found = try await Self.$number.withValue(7) {
                try await Self.outside.update { (text: inout String?) async throws in
                    text = "inside"
                    return (try await Self.other.load(), Self.number)
                }
            }
            #expect(found == ("other", 7))
            #expect(Self.outside.wrappedValue == "inside")
            let elsewhere = try await withTemporaryStorage { try await Self.outside.load() }
            #expect(elsewhere == nil)
        }
    }

    private static let outside = SecurelyStoredValue<String>(key: "outside")
    private static let other = SecurelyStoredValue<String>(key: "other")
    @TaskLocal private static var number = 0

    @Test("Those that wait behind a keyring that does not answer end with it, and their closures do not run")
    func timedOut() async {
        await expectOneDeadline { token, _ in
            try await token.update { (text: inout String?) async throws in
                Issue.record("it ran")
                text = "never"
            }
        }
    }

    @Test("An unavailable keyring is never taken for one without the secret, and a read-only one refuses only changes")
    func refused() async throws {
        keyring.inject(.locked)
        await expectSecretError(.locked) { [token = token()] in
            try await token.update { (text: inout String?) async throws in text = "never" }
        }
        try await withTemporaryFolder { folder in
            try "given".write(toFile: folder + "/token", atomically: false, encoding: .utf8)
            let given = SecurelyStoredValue<String>(key: "token", service: "s", keyring: CredentialsKeyring(path: folder, deadline: hangLimit))
            let text = try await given.update { (text: inout String?) async throws in text }
            #expect(text == "given")
            await expectSecretError(.readOnly) { try await given.update { (text: inout String?) async throws in text = "ours" } }
            #expect(given.wrappedValue == "given")
        }
    }
}
