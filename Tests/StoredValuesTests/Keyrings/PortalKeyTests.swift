import Foundation
import Testing

@testable import StoredValues

/// An encrypted file under the key of a real Secret portal, in front of a real gnome-keyring.
@Suite(
    "The Secret portal's key", .hangLimit,
    .enabled(if: Portal.isAvailable, "\(Portal.skipReason)"), .enabled(if: Python.isAvailable, "\(Python.skipReason)"))
struct PortalKeyTests {
    private let desktops = PrivateDesktops()
    private let id = SecretIdentifier(service: "com.example.app", account: "token")
}

extension PortalKeyTests {
    private func keyring(_ desktop: PrivateDesktop, deadline: Duration = hangLimit) -> EncryptedFileKeyring {
        EncryptedFileKeyring(path: path(desktop), key: .portal(onBus: desktop.address), deadline: deadline)
    }

    private func path(_ desktop: PrivateDesktop) -> String { "\(desktop.folder)/home/secrets" }

    /// Stores a secret, and lets the process forget the key.
    private func store(_ desktop: PrivateDesktop) async throws {
        try await keyring(desktop).write(TestSecret.secret(), for: id, label: "")
        // The answer's way may hold it a little longer.
        try await eventually("the key is forgotten") { PortalKey.shared(onBus: desktop.address).secret == nil }
    }

    /// A desktop with a portal, and a secret in a file under its key; the keyring that holds the key is locked.
    private func lockedDesktop() async throws -> (desktop: PrivateDesktop, portal: Portal) {
        let desktop = try await desktops.start()
        let portal = try await Portal(on: desktop)
        try await store(desktop)
        try await desktop.lock()
        return (desktop, portal)
    }

    private func error<Result>(_ call: () async throws(KeyringError) -> Result) async -> KeyringError? {
        do throws(KeyringError) {
            _ = try await call()
            return nil
        } catch {
            return error
        }
    }

    @Test("What was stored is read with the key that the portal hands out again")
    func stored() async throws {
        let desktop = try await desktops.start()
        let portal = try await Portal(on: desktop)
        #expect(try await keyring(desktop).read(id) == nil)
        try await store(desktop)
        #expect(try await keyring(desktop).read(id) == TestSecret.secret())
        // Also one that another portal, which begins anew, has of the same keyring.
        try await portal.end()
        let next = try await Portal(on: desktop)
        let keyring = keyring(desktop)
        #expect(try await keyring.read(id) == TestSecret.secret())
        #expect(keyring == self.keyring(desktop) && keyring.description.hasSuffix("opened with the Secret portal's key"))
        try await next.end()
        try await keyring.write(Secret([2]), for: id, label: "")
        #expect(try await keyring.read(id) == Secret([2]), "the key is kept")
    }

    @Test("Where the keyring is locked and nobody can be asked, it is locked, until somebody asks again")
    func locked() async throws {
        let (desktop, portal) = try await lockedDesktop()
        let keyring = keyring(desktop)
        let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
        let values = Collector(token.values)
        #expect(await error { () async throws(KeyringError) in try await keyring.read(id) } == .locked)
        #expect(await error { () async throws(KeyringError) in try await keyring.write(Secret([1]), for: id, label: "") } == .locked)
        #expect(await error { () async throws(KeyringError) in try await keyring.remove(id) } == .locked)
        #expect(await error { () async throws(KeyringError) in try await keyring.identifiers(inService: "a") } == .locked)
        try await eventually("a getter says so") { token.wrappedValue == nil && token.status == .unavailable(.locked) }
        #expect(await error { () async throws(KeyringError) in try await keyring.unlock() } == .locked)
        try await desktop.unlock()
        #expect(await error { () async throws(KeyringError) in try await keyring.read(id) } == .locked)
        #expect(values.elements.isEmpty)
        try await keyring.unlock()
        try await values.wait(for: [TestSecret.text()])
        #expect(try await keyring.read(id) == TestSecret.secret())
        withExtendedLifetime(portal) {}
    }

    @Test("The user is asked once for any number of calls, which say that it is locked until there is an answer")
    func question() async throws {
        let (desktop, portal) = try await lockedDesktop()
        let prompter = try await Prompter(.later, on: desktop)
        let hasty = keyring(desktop, deadline: .milliseconds(100)), patient = keyring(desktop)
        let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: patient)
        try await eventually("it is locked") {
            await error { () async throws(KeyringError) in try await hasty.read(id) } == .locked
        }
        try await eventually("the user is asked") { prompter.asked == 1 }
        for _ in 0..<10 {
            #expect(await error { () async throws(KeyringError) in try await patient.read(id) } == .locked)
        }
        let values = Collector(token.values)
        try await eventually("a getter says so") { token.wrappedValue == nil && token.status == .unavailable(.locked) }
        await expectSecretError(.locked) { try await token.load() }
        let unlocking = Task { try await patient.unlock() }
        #expect(values.elements.isEmpty && prompter.asked == 1)
        prompter.answer()
        try await unlocking.value
        try await values.wait(for: [TestSecret.text()])
        #expect(prompter.asked == 1)
        withExtendedLifetime(portal) {}
    }

    @Test("A dismissal is remembered until somebody asks again")
    func dismissal() async throws {
        let (desktop, portal) = try await lockedDesktop()
        let prompter = try await Prompter(.no, on: desktop)
        let keyring = keyring(desktop)
        // gnome-keyring 42.1 tells the portal no more than that there is no secret.
        await withTaskGroup { group in
            for _ in 0..<10 {
                group.addTask { await #expect(throws: KeyringError.locked) { try await keyring.read(id) } }
            }
        }
        await #expect(throws: KeyringError.locked) { try await keyring.write(Secret([1]), for: id, label: "") }
        #expect(prompter.asked == 1)
        await #expect(throws: KeyringError.locked) { try await keyring.unlock() }
        #expect(prompter.asked == 2)
        try await prompter.end()
        let friendly = try await Prompter(.yes, on: desktop)
        await #expect(throws: KeyringError.locked) { try await keyring.read(id) }
        try await keyring.unlock()
        #expect(try await keyring.read(id) == TestSecret.secret())
        #expect(friendly.asked == 1)
        withExtendedLifetime(portal) {}
    }

    @Test("A stream whose first read was refused gets the secret after unlock(), without another read")
    func refusedStream() async throws {
        let (desktop, portal) = try await lockedDesktop()
        let prompter = try await Prompter(.no, on: desktop)
        let keyring = keyring(desktop)
        let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
        let values = Collector(token.values)
        try await eventually("the user is asked") { prompter.asked == 1 }
        // Waits for the answer, without reading.
        await #expect(throws: KeyringError.locked) { try await keyring.unlock() }
        try await prompter.end()
        let friendly = try await Prompter(.yes, on: desktop)
        try await keyring.unlock()
        try await values.wait(for: [TestSecret.text()])
        withExtendedLifetime((portal, friendly)) {}
    }

    @Test("Without a portal, or one that no keyring implements, or a bus, each call says what is missing, and makes nothing")
    func missing() async throws {
        let desktop = try await desktops.start(), other = try await desktops.start()
        let portal = try await Portal(on: other, withImplementation: false)
        for desktop in [desktop, other] {
            let error = await error { () async throws(KeyringError) in
                try await keyring(desktop).write(Secret([1]), for: id, label: "")
            }
            let text = "no program on the session bus provides the Secret portal (org.freedesktop.portal.Secret); install"
            #expect(error?.description.contains(text) == true, "\(error as Any)")
            #expect(!FileManager.default.fileExists(atPath: path(desktop)))
        }
        // It is not remembered.
        let late = try await Portal(on: desktop)
        try await store(desktop)
        let nowhere = try await desktops.start(.withoutBus)
        await #expect(throws: KeyringError.noSessionBus) { try await keyring(nowhere).write(Secret([1]), for: id, label: "") }
        withExtendedLifetime((portal, late)) {}
    }

    @Test("A portal that stands still keeps nobody longer than the deadline, and its answer counts when it comes")
    func stopped() async throws {
        let desktop = try await desktops.start()
        let portal = try await Portal(on: desktop)
        try await store(desktop)
        portal.signal(SIGSTOP)
        let limit = Duration.milliseconds(200)
        let hasty = keyring(desktop, deadline: limit)
        await #expect(throws: KeyringError.timedOut(after: limit)) { try await hasty.read(id) }
        await #expect(throws: KeyringError.timedOut(after: limit)) { try await hasty.write(Secret([1]), for: id, label: "") }
        let values = Collector(
            SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring(desktop)).values)
        let waiting = Task { try await keyring(desktop).read(id) }
        portal.signal(SIGCONT)
        #expect(try await waiting.value == TestSecret.secret())
        try await values.wait(for: [TestSecret.text()])
    }

    @Test(
        "What is no key is an error that says what is wrong, and nothing is made",
        arguments: [
            ("nothing", "provided only 0 bytes, which is too short for a key"), ("short", "provided only 31 bytes"),
            ("long", "provided more than 64 KiB, which is not a key"), ("unknown", "answered RetrieveSecret with an unknown response"),
            ("elsewhere", "answered RetrieveSecret with another path"), ("ends", "ended before it answered"),
        ])
    func wrong(manner: String, text: String) async throws {
        let desktop = try await desktops.start(.withoutService)
        let portal = try await Portal(manner, on: desktop)
        let keyring = keyring(desktop)
        for round in 1...(manner == "ends" ? 1 : 2) {
            let error = await error { () async throws(KeyringError) in try await keyring.write(Secret([1]), for: id, label: "") }
            #expect(error?.description.contains(text) == true, "\(error as Any)")
            try await eventually("it was asked") { portal.asked == round }
        }
        #expect(!FileManager.default.fileExists(atPath: path(desktop)))
    }

    @Test("A key that comes in parts, a dismissal and a refusal are told as such")
    func manners() async throws {
        let slow = try await desktops.start(.withoutService), refused = try await desktops.start(.withoutService)
        let dismissed = try await desktops.start(.withoutService)
        let portals = [
            try await Portal("slow", on: slow), try await Portal("refused", on: refused),
            try await Portal("dismissed", on: dismissed),
        ]
        try await store(slow)
        #expect(try await keyring(slow).read(id) == TestSecret.secret())
        await #expect(throws: KeyringError.accessDenied) { try await keyring(refused).write(Secret([1]), for: id, label: "") }
        let closed = keyring(dismissed)
        for _ in 0..<3 {
            await #expect(throws: KeyringError.dismissed) { try await closed.write(Secret([1]), for: id, label: "") }
        }
        #expect(portals[2].asked == 1)
        await #expect(throws: KeyringError.dismissed) { try await closed.unlock() }
        #expect(portals[2].asked == 2)
    }

    @Test("A cancelled call ends at once, and the question stands for the others")
    func cancellation() async throws {
        let desktop = try await desktops.start(.withoutService)
        let portal = try await Portal("silent", on: desktop)
        let keyring = keyring(desktop)
        let calls = (0..<3).map { number in
            Task {
                if number == 0 { try await keyring.unlock() } else { try await keyring.write(Secret([1]), for: id, label: "") }
            }
        }
        try await eventually("it was asked") { portal.asked == 1 }
        for call in calls {
            call.cancel()
            await #expect(throws: KeyringError.cancelled) { try await call.value }
        }
        let hasty = self.keyring(desktop, deadline: .milliseconds(100))
        try await eventually("it is locked") {
            await error { () async throws(KeyringError) in try await hasty.write(Secret([1]), for: id, label: "") } == .locked
        }
        #expect(portal.asked == 1)
    }

    @Test("A task that is cancelled already asks nobody")
    func cancelledBefore() async throws {
        let desktop = try await desktops.start(.withoutService)
        let portal = try await Portal("dismissed", on: desktop)
        let keyring = keyring(desktop)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: KeyringError.cancelled) { try await keyring.unlock() }
        }
        await task.value
        #expect(portal.asked == 0)
        await #expect(throws: KeyringError.dismissed) { try await keyring.unlock() }
        #expect(portal.asked == 1)
    }

    @Test("A file is given the portal's key, and another one again")
    func rekey() async throws {
        let desktop = try await desktops.start()
        let portal = try await Portal(on: desktop)
        let own = EncryptedFileKey.generatedFile("\(desktop.folder)/key")
        let keyring = EncryptedFileKeyring(path: path(desktop), key: own, deadline: hangLimit)
        try await keyring.write(TestSecret.secret(), for: id, label: "")
        try await keyring.rekey(to: .portal(onBus: desktop.address))
        #expect(try await self.keyring(desktop).read(id) == TestSecret.secret())
        try await keyring.rekey(to: .generatedFile("\(desktop.folder)/next"))
        await #expect(throws: KeyringError.wrongKey) { try await self.keyring(desktop).read(id) }
        #expect(try await keyring.read(id) == TestSecret.secret())
        withExtendedLifetime(portal) {}
    }
}
