import Foundation
import Observation
import StoredValues
import StoredValuesSupport
import Testing

@testable import StoredValuesSecretService

/// What must hold with every program that provides the Secret Service, besides the keyring contract.
@Suite("Every keyring program", .serialized, .hangLimit)
struct KeyringProgramTests {
    private let desktops = PrivateDesktops()
    private let processes = TestProcesses()
    private let id = SecretIdentifier(service: "processes", account: "authToken")
    private let address = ["service", "processes", "account", "authToken"]
}

extension KeyringProgramTests {
    private func start(_ program: KeyringProgram) async throws -> PrivateDesktop {
        guard program.isAvailable else { try SkippedCase.end(because: program.skipReason) }
        return try await desktops.start(.open, program)
    }

    private func token(_ desktop: PrivateDesktop) -> SecurelyStoredValue<String> {
        SecurelyStoredValue(key: id.account, service: id.service, keyring: desktop.keyring())
    }

    /// Waits until secret-tool finds `text`. KWallet 5.103 at times does not know the session that it has just opened for a
    /// program; ours tries again, secret-tool does not.
    private func lookup(_ text: String, _ desktop: PrivateDesktop) async throws {
        try await eventually("secret-tool finds it") {
            try await desktop.secretTool(["lookup"] + address).output == text
        }
    }

    @Test("secret-tool reads what we store, we read what it stores, and hear of it", arguments: KeyringProgram.allCases)
    func secretTool(_ program: KeyringProgram) async throws {
        let desktop = try await start(program)
        let token = token(desktop)
        let values = Collector(token.values)
        try await values.wait(for: [nil])
        // Again for the same reason as in `lookup`.
        try await eventually("secret-tool stores it") {
            try await desktop.secretTool(["store", "--label=theirs"] + address + ["extra", "1"], input: "theirs").status == 0
        }
        try await values.wait(for: [nil, "theirs"])
        try await token.set("ours")
        #expect(try await desktop.itemPaths(service: id.service, account: id.account).count == 1, "theirs was replaced")
        try await lookup("ours", desktop)
        #expect(try await desktop.secretTool(["clear"] + address).status == 0)
        try await values.wait(for: [nil, "theirs", "ours", nil])
        try await token.set("ours again")
        try await lookup("ours again", desktop)
        try await token.reset()
        #expect(try await desktop.secretTool(["lookup"] + address).status == 1)
        #expect(try await desktop.keyring().identifiers(inService: id.service) == [])
    }

    @Test(
        "Another process of ours changes and removes what this one stored, and this one detects it",
        arguments: KeyringProgram.allCases)
    func anotherProcess(_ program: KeyringProgram) async throws {
        let desktop = try await start(program)
        let token = token(desktop)
        let values = Collector(token.values)
        try await token.set("one")
        try await values.wait(untilLast: "one")
        for text in ["two", "three", "four"] {  // the later ones when listening has certainly begun
            let changing = try processes.start("set-secret", id.account, text, environment: desktop.environment)
            #expect(try await changing.lines() == [])
            try await values.wait(untilLast: text)
        }
        let removing = try processes.start("remove-secret", id.account, environment: desktop.environment)
        #expect(try await removing.lines() == [])
        try await values.wait(untilLast: nil)
        #expect(values.elements.suffix(5) == ["one", "two", "three", "four", nil])
    }

    @Test(
        "A session that the daemon no longer knows is opened again, and what was refused for it is done once",
        arguments: KeyringProgram.allCases)
    func forgottenSession(_ program: KeyringProgram) async throws {
        let desktop = try await start(program)
        let keyring = desktop.keyring()
        // KeePassXC says that a creation was dismissed; but by itself it forgets no session.
        var closed = program == .keePassXC ? nil : try await closeSession(desktop)
        try await keyring.write(Secret("one".utf8), for: id, label: "label")
        for (number, text) in ["one", "two", "three"].enumerated() {
            let path = try await closeSession(desktop)
            #expect(path != closed, "a new one was opened")
            closed = path
            if number > 0 { try await keyring.write(Secret(text.utf8), for: id, label: "label") }
            #expect(try await keyring.read(id) == Secret(text.utf8))
        }
        #expect(try await desktop.itemPaths(service: id.service, account: id.account).count == 1)
    }

    @Test("What KWallet does not store while it locks, though it says so, is not said to be stored")
    func droppedChanges() async throws {
        let desktop = try await start(.kwallet)
        let keyring = desktop.keyring()
        try await keyring.write(Secret("kept".utf8), for: id, label: "label")
        let path = try #require(
            ObjectPath(try await desktop.itemPaths(service: id.service, account: id.account).first ?? ""))
        try await desktop.lock()  // after the search, so to speak
        await #expect(throws: SecretServiceError.unknownOutcome) {
            try await perform(desktop) { connection throws(SecretServiceError) in
                let item = Item(daemon: connection.daemon, path: path)
                let secret = Array("lost".utf8).withUnsafeBytes { SecretBytes($0) }
                try connection.store(secret, in: item, isOnlyOne: true)
            }
        }
        try await desktop.unlock()
        #expect(try await keyring.read(id) == Secret("kept".utf8))
    }

    @Test("What KWallet says of an item that it deletes just then is that it is missing, not that its secret is empty")
    func deletedWhileRead() async throws {
        let desktop = try await start(.kwallet)
        let keyring = desktop.keyring()
        for round in 1...20 {  // each of which saw an empty one, as long as that was believed
            try await keyring.write(Secret("kept".utf8), for: id, label: "label")
            let path = try #require(
                ObjectPath(try await desktop.itemPaths(service: id.service, account: id.account).first ?? ""))
            let found = try await perform(desktop) { connection throws(SecretServiceError) in
                let item = Item(daemon: connection.daemon, path: path)
                connection.daemon.bus.send(
                    "Delete", of: "org.freedesktop.Secret.Item", at: path, to: connection.daemon.name)
                do throws(SecretServiceError) {
                    return try connection.load(item).withBytes { Secret($0) } as Secret?
                } catch let error where error.isMissingObject {
                    return nil
                }
            }
            #expect(found == nil, "in round \(round)")
            #expect(try await keyring.read(id) == nil)
        }
    }

    /// Runs `body` as a call of this process on that bus.
    private func perform<Result: Sendable>(
        _ desktop: PrivateDesktop, _ body: @escaping @Sendable (DaemonConnection) throws(SecretServiceError) -> Result
    ) async throws -> Result {
        try await ItemStore(bus: .init(desktop.address), deadline: hangLimit).call(body)
    }

    /// Closes this process's session with the daemon behind libsecret's back, and returns its path. KWallet 5.103 at times does
    /// so by itself.
    private func closeSession(_ desktop: PrivateDesktop) async throws -> String {
        try await perform(desktop) { connection throws(SecretServiceError) in
            let path = try connection.session.path()
            _ = try connection.daemon.call(
                "Close", of: "org.freedesktop.Secret.Session", at: path, [], reply: "()")
            return path.text
        }
    }

    @Test(
        "A lock shows by itself, is no absence and loses nothing; an unlock shows by itself",
        arguments: KeyringProgram.allCases)
    func locking(_ program: KeyringProgram) async throws {
        let desktop = try await start(program)
        let token = token(desktop)
        try await token.set("kept")
        let seen = Collector(Observations { token.status })
        try await desktop.lock()
        try await eventually("the lock shows") { seen.elements.last == .unavailable(.locked) }
        #expect(token.wrappedValue == nil)
        await expectSecretError(.locked) { try await token.load() }
        await expectSecretError(.locked) { try await token.set("lost") }
        await expectSecretError(.locked) { try await token.reset() }
        await #expect(throws: KeyringError.locked) { try await desktop.keyring().identifiers(inService: id.service) }
        try await desktop.unlock()
        try await eventually("the unlock shows") { seen.elements.last == .value }
        #expect(try await token.load() == "kept")
    }

    @Test(
        "A program that hangs costs the deadline; one that was replaced is found and used",
        arguments: KeyringProgram.allCases)
    func restart(_ program: KeyringProgram) async throws {
        let desktop = try await start(program)
        let token = token(desktop)
        try await token.set("kept")
        desktop.signalDaemon(SIGSTOP)
        let limit = Duration.milliseconds(300)
        await #expect(throws: KeyringError.timedOut(after: limit)) { try await desktop.keyring(deadline: limit).read(id) }
        desktop.signalDaemon(SIGCONT)
        #expect(try await token.load() == "kept")

        let values = Collector(token.values)
        try await values.wait(for: ["kept"])
        try await desktop.quitDaemon()
        await expectSecretError(.noSecretService) { try await token.load() }
        try await desktop.startDaemon()
        #expect(try await token.load() == "kept")
        try await token.set("changed")
        try await lookup("changed", desktop)
        try await values.wait(for: ["kept", "changed"])
    }

    @Test(
        "While the program ends and begins again no secret is called absent or empty, and no acknowledged write is lost",
        arguments: KeyringProgram.allCases)
    func restartingInUse(_ program: KeyringProgram) async throws {
        let desktop = try await start(program)
        let keyring = desktop.keyring()
        let written = SecretIdentifier(service: id.service, account: "counter")
        try await keyring.write(Secret("kept".utf8), for: id, label: "label")
        try await keyring.write(Secret("0".utf8), for: written, label: "label")
        let progress = Progress()
        try await withThrowingTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    do throws(KeyringError) {
                        #expect(try await keyring.read(id) == Secret("kept".utf8))
                        progress.answers.withLock { $0 += 1 }
                    } catch {}  // true, while the program is gone
                }
            }
            var saved = 0
            for _ in 1...5 {
                progress.isWriting.withLock { $0 = true }
                let writer = Task { [saved] in
                    var last = saved
                    while progress.isWriting.withLock({ $0 }), !Task.isCancelled {
                        do throws(KeyringError) {
                            try await keyring.write(Secret("\(last + 1)".utf8), for: written, label: "label")
                            last += 1
                            progress.acknowledged.withLock { $0 += 1 }
                        } catch {}
                    }
                    return last
                }
                defer { writer.cancel() }
                let (answers, before) = (progress.answers.withLock { $0 }, progress.acknowledged.withLock { $0 })
                try await eventually("both go on") {
                    progress.answers.withLock { $0 } > answers && progress.acknowledged.withLock { $0 } > before
                }
                // What KeePassXC 2.7.4 takes while it saves, it may not save; or it ends itself (seen: a segmentation fault
                // on a pooled thread, in one of some 500 rounds).
                if program == .keePassXC { saved = await progress.end(writer) }
                try await desktop.quitDaemon()
                saved = await progress.end(writer)
                try await desktop.startDaemon()
                let text = try await keyring.read(written)?.withBytes { String(decoding: $0, as: UTF8.self) }
                let found = try #require(text.flatMap { Int($0) })
                #expect(found >= saved)
                saved = found
            }
            group.cancelAll()
        }
    }

    private final class Progress: Sendable {
        let answers = Guarded(0)
        let acknowledged = Guarded(0)
        let isWriting = Guarded(false)

        /// Lets the write under way come to its end; returns the last that was acknowledged.
        func end(_ writer: Task<Int, Never>) async -> Int {
            isWriting.withLock { $0 = false }
            return await writer.value
        }
    }

    @Test("KeePassXC's users see what we store as an entry with title, user name and password, and we read their entries")
    func entries() async throws {
        let desktop = try await start(.keePassXC)
        let keyring = SecretServiceKeyring(attributes: .keePassXC, deadline: hangLimit, busAddress: desktop.address)
        try await keyring.write(Secret("s3cret".utf8), for: id, label: "a label")
        try await desktop.lock()  // KeePassXC saves then
        let shown = try await desktop.keePassXC(
            "show", "--attributes", "Title", "--attributes", "UserName", "--attributes", "Password", "Secrets/\(id.service)")
        let lines = shown.split(separator: "\n").map(String.init)
        #expect(lines == [id.service, id.account, "s3cret"])
        _ = try await desktop.keePassXC(
            "add", "--username", "ann", "--password-prompt", "Secrets/example.org", input: "theirs\n")
        try await desktop.unlock()
        #expect(try await keyring.read(SecretIdentifier(service: "example.org", account: "ann")) == Secret("theirs".utf8))
        #expect(try await keyring.read(id) == Secret("s3cret".utf8))
    }

    @Test("A locked KeePassXC that would open its dialog at a search is not searched, and what it holds comes when it is unlocked")
    func unlockBeforeSearch() async throws {
        let desktop = try await start(.keePassXC)
        try await desktop.quitDaemon()
        try desktop.restore(.unlockBeforeSearch)
        try await desktop.startDaemon()
        let keyring = desktop.keyring()
        try await keyring.write(Secret("kept".utf8), for: id, label: "label")
        try await desktop.lock()  // while nobody reads: one that searches at this moment opens the dialog
        // It would stay, and each of these would wait for it until its deadline.
        await #expect(throws: KeyringError.locked) { try await keyring.read(id) }
        await #expect(throws: KeyringError.locked) { try await keyring.write(Secret("lost".utf8), for: id, label: "label") }
        await #expect(throws: KeyringError.locked) { try await keyring.remove(id) }
        await #expect(throws: KeyringError.locked) { try await keyring.identifiers(inService: id.service) }
        let token = token(desktop)
        let values = Collector(token.values)
        await expectSecretError(.locked) { try await token.load() }
        #expect(token.status == .unavailable(.locked))
        try await desktop.unlock()
        try await values.wait(for: ["kept"])
    }

    @Test("If KeePassXC wants to ask before it provides an item, the item is locked, and only unlock() prompts")
    func confirmation() async throws {
        let desktop = try await start(.keePassXC)
        try await desktop.secretTool(["store", "--label=theirs"] + address, input: "theirs")
        try await desktop.quitDaemon()
        try desktop.restore(.confirmAccessItem)
        try await desktop.startDaemon()
        let token = token(desktop)
        await expectSecretError(.locked) { try await token.load() }
        await expectSecretError(.locked) { try await token.set("ours") }
        #expect(token.status == .unavailable(.locked))
        await #expect(throws: KeyringError.locked) { try await desktop.keyring().unlock() }  // there is no display
        let items = ItemStore(bus: .init(desktop.address), deadline: hangLimit)
        let executor = QueueExecutor()
        let question = Task(executorPreference: executor) { try await items.unlock(evenWithoutDisplay: true) }
        await executor.allWaiting()
        question.cancel()
        await #expect(throws: SecretServiceError.cancelled) { try await question.value }
        await expectSecretError(.locked) { try await token.load() }
    }
}
