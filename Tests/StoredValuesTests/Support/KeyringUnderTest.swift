import Foundation
import StoredValuesFiles
import StoredValuesSupport
import Testing

@testable import StoredValues

/// A keyring that `KeyringContractTests` checks. Another keyring is one more case in `available`.
struct KeyringUnderTest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether it reports changes. A cluster's secrets are heard of by each machine's mirror, which is another keyring.
    var reportsChanges = true
    /// Makes it locked or unreachable, and open again, where that can be done to one that no other test uses.
    var setUnavailable: (@Sendable (any Keyring, Bool) async throws -> Void)?
    /// A keyring that is open. It may be shared by all tests: each uses a service of its own. Where there can be none, it
    /// cancels the test's case and says why.
    let open: @Sendable () async throws -> any Keyring

    static let available =
        [
            KeyringUnderTest(
                testDescription: "InMemoryKeyring", setUnavailable: { try #require($0 as? InMemoryKeyring).inject($1 ? .locked : nil) }
            ) { InMemoryKeyring() },
            KeyringUnderTest(
                testDescription: "EncryptedFileKeyring",
                setUnavailable: { keyring, isUnavailable in
                    let path = try #require(keyring as? EncryptedFileKeyring).vault.file.path
                    if isUnavailable {
                        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
                        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                    } else {
                        try FileManager.default.removeItem(atPath: path)
                        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
                    }
                }
            ) {
                let path = ProcessFolder.path + "/" + UUID().uuidString
                return EncryptedFileKeyring(path: path, key: .generatedFile(path + ".key"), deadline: hangLimit)
            },
            KeyringUnderTest(testDescription: "FleetSecrets", reportsChanges: false) { try await openFleetSecrets() },
            KeyringUnderTest(testDescription: "FallbackKeyring") { FallbackKeyring([EmptyReadOnlyKeyring(), InMemoryKeyring()]) },
        ]
        + KeyringProgram.allCases.map { program in
            KeyringUnderTest(testDescription: "SecretServiceKeyring on \(program.rawValue)") {
                try await openSecretService(of: program)
            }
        }
}

/// What stands before a writable keyring in a fallback, with nothing in it.
private struct EmptyReadOnlyKeyring: Keyring, Hashable {
    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { nil }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw .readOnly }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw .readOnly }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] { [] }
}

#if Fleet
    import StoredValuesFleet

    extension KeyringUnderTest {
        /// Those of an application of its own, in a cluster that all share.
        private static func openFleetSecrets() async throws -> any Keyring {
            let fleet = try await EtcdCluster.shared().client(of: UUID().uuidString)
            return fleet.secrets(key: .generatedFile("\(ProcessFolder.path)/\(UUID().uuidString).key"))
        }
    }
#else
    extension KeyringUnderTest {
        private static func openFleetSecrets() async throws -> any Keyring {
            try SkippedCase.end(because: "built without the trait Fleet")
        }
    }
#endif

extension KeyringUnderTest {
    private static func openSecretService(of program: KeyringProgram) async throws -> any Keyring {
        guard program.isAvailable else { try SkippedCase.end(because: program.skipReason) }
        let desktop = sharedDesktops.withLock { desktops in
            let desktop = desktops[program] ?? Task { try await PrivateDesktop(.open, program) }
            desktops[program] = desktop
            return desktop
        }
        return try await desktop.value.keyring()
    }

    /// One of each for all rules: starting one takes a while. Its guard ends it with the test process.
    private static let sharedDesktops = Guarded<[KeyringProgram: Task<PrivateDesktop, any Error>]>([:])
}

extension PrivateDesktop {
    /// The keyring of this desktop. The deadline is generous: other tests stop daemons, and all share one thread.
    func keyring(deadline: Duration = hangLimit) -> SecretServiceKeyring {
        SecretServiceKeyring(deadline: deadline, busAddress: address)
    }
}
