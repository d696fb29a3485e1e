import StoredValues
import StoredValuesSecretService
import Testing

/// What happens when the person is asked to unlock a real gnome-keyring. One after the other: one question stands at a
/// time in a process.
@Suite(
    "Prompting the user to unlock", .serialized, .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"),
    .enabled(if: Python.isAvailable, "\(Python.skipReason)"))
struct UnlockTests {
    private let desktops = PrivateDesktops()
    private let id = SecretIdentifier(service: "com.example.app", account: "authToken")
}

extension UnlockTests {
    /// What `unlock()` does where there is a display.
    private func unlock(_ desktop: PrivateDesktop) async throws -> Bool {
        try await ItemStore(bus: .init(desktop.address), deadline: hangLimit).unlock(evenWithoutDisplay: true)
    }

    @Test("One question is put for any number of calls, and its answer opens the keyring for all")
    func one() async throws {
        let desktop = try await desktops.start(.locked)
        let prompter = try await Prompter(.yes, on: desktop)
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 { group.addTask { try await unlock(desktop) } }
            try await group.waitForAll()
        }
        #expect(prompter.asked == 1)
        #expect(try await desktop.keyring().read(id) == nil)
        #expect(try await unlock(desktop) == false)
        #expect(prompter.asked == 1)
    }

    @Test("A dismissal answers all calls made before it; a later call prompts again")
    func dismissal() async throws {
        let desktop = try await desktops.start(.locked)
        let prompter = try await Prompter(.noLater, on: desktop)
        let executor = QueueExecutor()
        let calls = (0..<10).map { _ in Task(executorPreference: executor) { try await unlock(desktop) } }
        await executor.allWaiting()
        try await eventually("the question is put") { prompter.asked == 1 }
        prompter.answer()
        for call in calls { await #expect(throws: SecretServiceError.dismissed) { try await call.value } }
        #expect(prompter.asked == 1)
        prompter.answer()
        await #expect(throws: SecretServiceError.dismissed) { try await unlock(desktop) }
        #expect(prompter.asked == 2)
        try await prompter.end()
        let friendly = try await Prompter(.yes, on: desktop)
        #expect(try await unlock(desktop))
        #expect(friendly.asked == 1)
    }

    @Test("Nothing but unlock() asks")
    func silence() async throws {
        let desktop = try await desktops.start(.locked)
        let prompter = try await Prompter(.yes, on: desktop)
        let keyring = desktop.keyring()
        let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
        let values = Collector(token.values)
        await expectSecretError(.locked) { try await token.load() }
        await expectSecretError(.locked) { try await token.set("s3cret") }
        await expectSecretError(.locked) { try await token.update { $0 = "s3cret" } }
        await expectSecretError(.locked) { try await token.reset() }
        await #expect(throws: KeyringError.locked) { try await keyring.identifiers(inService: id.service) }
        #expect(token.wrappedValue == nil && token.status == .unavailable(.locked))
        #expect(prompter.asked == 0 && values.elements.isEmpty)
    }

    @Test("A cancelled call ends at once and the prompt stays for the others; a prompt that all have given up does no harm")
    func cancellation() async throws {
        let desktop = try await desktops.start(.locked)
        let prompter = try await Prompter(.wait, on: desktop)
        let executors = (0..<3).map { _ in QueueExecutor() }
        let calls = executors.map { executor in Task(executorPreference: executor) { try await unlock(desktop) } }
        try await eventually("the question is put") { prompter.asked == 1 }
        for call in calls {
            // Other calls go on meanwhile.
            await #expect(throws: KeyringError.locked) { try await desktop.keyring().read(id) }
            call.cancel()
            await #expect(throws: SecretServiceError.cancelled) { try await call.value }
        }
        // gnome-keyring lets the question stand until the person answers, and lives. (It ends itself when told to
        // take it away.) The next question waits behind that one.
        #expect(prompter.asked == 1 && prompter.stopped == 0)
        let next = Task { try await unlock(desktop) }
        try await desktop.unlock()
        try await prompter.end()
        #expect(try await desktop.keyring().read(id) == nil)
        next.cancel()
        _ = await next.result
    }

    @Test("When the daemon or the bus ends while the prompt is open, no call keeps waiting", arguments: ["daemon", "bus"])
    func gone(_ what: String) async throws {
        let desktop = try await desktops.start(.locked)
        let prompter = try await Prompter(.wait, on: desktop)
        let call = Task { try await unlock(desktop) }
        try await eventually("the question is put") { prompter.asked == 1 }
        if what == "daemon" { try await desktop.killDaemon() } else { try await desktop.killBus() }
        // And not `timedOut`, as the question would after 2 minutes.
        await #expect(throws: SecretServiceError.noSecretService) { try await call.value }
    }
}
