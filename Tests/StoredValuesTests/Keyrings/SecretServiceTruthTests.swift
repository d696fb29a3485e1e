import Foundation
import StoredValues
import Testing

/// The three answers on a real desktop, through the wrapper. One after the other, as all tests that end daemons.
@Suite(
    "What is said of an unavailable desktop's keyring", .serialized, .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
struct SecretServiceTruthTests {
    private let desktops = PrivateDesktops()
    private let id = SecretIdentifier(service: "com.example.app", account: "list")
}

extension SecretServiceTruthTests {
    /// A way in which the keyring can be unavailable, on a desktop where it was in order.
    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: KeyringError
        let begin: @Sendable (PrivateDesktop) async throws -> Void
        let end: @Sendable (PrivateDesktop) async throws -> Void
    }

    private static let troubles = [
        Trouble(testDescription: "locked", error: .locked) { desktop in
            try await desktop.lock()
        } end: { desktop in
            try await desktop.unlock()
        },
        Trouble(testDescription: "the daemon is gone", error: .noSecretService) { desktop in
            try await desktop.killDaemon()
        } end: { desktop in
            try await desktop.startDaemon()
        },
        Trouble(testDescription: "the bus is gone", error: .noSessionBus) { desktop in
            try await desktop.killBus()
            try await desktop.killDaemon()
        } end: { desktop in
            try await desktop.startBus()
            try await desktop.startDaemon()
        },
        Trouble(testDescription: "access is denied", error: .accessDenied) { desktop in
            try await desktop.killBus()
            try await desktop.killDaemon()
            try await desktop.startBus(denying: true)
            try await desktop.startDaemon()
        } end: { desktop in
            try await desktop.killBus()
            try await desktop.killDaemon()
            try await desktop.startBus()
            try await desktop.startDaemon()
        },
        Trouble(testDescription: "there is no default collection", error: .noDefaultCollection) { desktop in
            try await desktop.killDaemon()
            try FileManager.default.moveItem(atPath: desktop.keyrings, toPath: desktop.keyrings + ".away")
            try await desktop.startDaemon(open: false)
        } end: { desktop in
            try await desktop.killDaemon()
            try? FileManager.default.removeItem(atPath: desktop.keyrings)
            try FileManager.default.moveItem(atPath: desktop.keyrings + ".away", toPath: desktop.keyrings)
            try await desktop.startDaemon()
        },
    ]

    @Test("Every reader gives the same reason, no change happens, and what was stored is there afterwards", arguments: troubles)
    func trouble(_ trouble: Trouble) async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        let list = SecurelyStoredValue<[String]>(key: id.account, service: id.service, keyring: keyring)
        try await list.set(["kept"])
        try await trouble.begin(desktop)

        // Two that know of it from before, and one that never had an answer.
        let values = Collector(list.values)
        let other = SecurelyStoredValue<[String]>(key: "other", service: id.service, keyring: keyring)
        let otherValues = Collector(other.values)
        for list in [list, other] {
            await expectSecretError(trouble.error) { try await list.load() }
            #expect(list.status == .unavailable(trouble.error))
            #expect(list.wrappedValue == nil)
            await expectSecretError(trouble.error) { try await list.set(["lost"]) }
            await expectSecretError(trouble.error) { try await list.append("lost") }
            await expectSecretError(trouble.error) { try await list.update { $0 = ($0 ?? []) + ["lost"] } }
            await expectSecretError(trouble.error) { try await list.reset() }
            #expect(list.status == .unavailable(trouble.error))
        }
        await #expect(throws: trouble.error) { try await keyring.identifiers(inService: id.service) }

        try await trouble.end(desktop)
        #expect(try await list.load() == ["kept"])
        #expect(list.status == .value && list.wrappedValue == ["kept"])
        #expect(try await other.load() == nil)
        #expect(other.status == .absent)
        try await eventually("the readers go on") { values.elements == [["kept"]] && otherValues.elements == [nil] }
    }

    @Test("More than 1 MiB is refused before anything is sent, 1 MiB is not")
    func tooLarge() async throws {
        let desktop = try await desktops.start(.withoutBus)
        await #expect(throws: KeyringError.tooLarge) {
            try await desktop.keyring().write(Secret(count: (1 << 20) + 1) { _ in }, for: id, label: "")
        }
        await #expect(throws: KeyringError.noSessionBus) {
            try await desktop.keyring().write(Secret(count: 1 << 20) { _ in }, for: id, label: "")
        }
    }
}
