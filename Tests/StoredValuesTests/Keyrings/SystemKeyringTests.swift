import Foundation
import Testing

@testable import StoredValues

@Suite("The system keyring", .hangLimit)
struct SystemKeyringTests {}

extension SystemKeyringTests {
    @Test("It is the desktop's without a setting, and the reason says so", arguments: [nil, "", "secret-service"])
    func desktop(setting: String?) {
        let choice = SystemKeyring.choose(setting)
        #expect(choice.keyring is SecretServiceKeyring)
        #expect(
            choice.reason
                == (setting == "secret-service"
                    ? "STORED_VALUES_KEYRING is \"secret-service\"." : "It is the default, because STORED_VALUES_KEYRING is not set."))
        #expect(choice.description.contains(choice.reason) && choice.description.contains(choice.keyring.description))
    }

    @Test(
        "With an invalid setting every call throws, and no other keyring is used",
        arguments: [
            "keychain", "file", "file:", "credentials", "credentials:", "fleet:", "Secret-Service", " file:/tmp/x",
        ])
    func misnamed(setting: String) async throws {
        let keyring = SystemKeyring.choose(setting).keyring
        let id = SecretIdentifier(service: "a", account: "b")
        let calls: [() async throws -> Void] = [
            { _ = try await keyring.read(id) }, { try await keyring.write(Secret([1]), for: id, label: "") },
            { try await keyring.remove(id) }, { _ = try await keyring.identifiers(inService: "a") }, { try await keyring.unlock() },
        ]
        for call in calls {
            let error = try await #require(throws: KeyringError.self) { try await call() }
            #expect(error.description.contains("\"\(setting)\" is not a valid keyring; set it to secret-service, file:<path>"))
        }
    }

    // Each in a process of its own, for a process decides once.

    @Test("Without the variable .system is the desktop's keyring, and no file is made though there is no bus")
    func environmentUnset() async throws {
        try await withTemporaryFolder { folder in
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                for name in ["STORED_VALUES_KEYRING", "DBUS_SESSION_BUS_ADDRESS"] { unsetenv(name) }
                for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"] { setenv(name, folder, 1) }
                let choice = SystemKeyring.selection
                try #require(choice.keyring is SecretServiceKeyring)
                try #require(choice.reason.contains("not set"))
                let keyring: SystemKeyring = .system
                let id = SecretIdentifier(service: "a", account: "b")
                let error = await #expect(throws: KeyringError.self) { try await keyring.write(Secret([1]), for: id, label: "") }
                try #require(error == .noSessionBus || error == .notBuiltIn)
                try #require(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
            }
        }
    }

    @Test("STORED_VALUES_KEYRING=file:<path> is an encrypted file with its key beside it")
    func environmentFile() async throws {
        try await withTemporaryFolder { folder in
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("STORED_VALUES_KEYRING", "file:\(folder)/store", 1)
                let choice = SystemKeyring.selection
                try #require(choice.keyring is EncryptedFileKeyring)
                try #require(choice.reason == "STORED_VALUES_KEYRING is \"file:\(folder)/store\".")
                let token = SecurelyStoredValue<String>(key: "token", service: "s")
                // Its deadline is 5 seconds, which a busy disk may need.
                try await eventually("it is stored in time") { (try? await token.set("x")) != nil }
                try #require(
                    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                        == ["store", "store.key", "store.key.lock", "store.lock"])
                // Decided once: what the environment says later is too late.
                unsetenv("STORED_VALUES_KEYRING")
                try #require(SystemKeyring.selection.keyring is EncryptedFileKeyring)
            }
        }
    }

    @Test("STORED_VALUES_KEYRING=credentials:<path> is a folder of files")
    func environmentCredentials() async throws {
        try await withTemporaryFolder { folder in
            try "given".write(toFile: folder + "/token", atomically: false, encoding: .utf8)
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("STORED_VALUES_KEYRING", "credentials:\(folder)", 1)
                let choice = SystemKeyring.selection
                try #require(choice.keyring as? CredentialsKeyring == .credentials(at: folder))
                try #require(SecurelyStoredValue<String>(key: "token", service: "s").wrappedValue == "given")
            }
        }
    }

    @Test("STORED_VALUES_KEYRING=fleet:<key file> is what the machine's agent keeps")
    func environmentFleet() async throws {
        await #expect(processExitsWith: .success) {
            setenv("STORED_VALUES_KEYRING", "fleet:/key", 1)
            let keyring = try #require(SystemKeyring.selection.keyring as? FleetKeyring)
            try #require(keyring.description.contains("the key file /key"))
        }
    }

    @Test("Inside temporary storage it is that storage's keyring, whatever the variable says")
    func temporaryStorage() async throws {
        await #expect(processExitsWith: .success) {
            setenv("STORED_VALUES_KEYRING", "nonsense", 1)
            let own = InMemoryKeyring()
            try withTemporaryStorage(keyring: own) {
                let choice = SystemKeyring.selection
                try #require(choice.keyring as? InMemoryKeyring === own)
                try #require(choice.reason.contains("withTemporaryStorage"))
            }
            try #require(SystemKeyring.selection.reason.contains("nonsense"))
        }
    }
}
