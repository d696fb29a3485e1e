import Foundation
import Logging
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues

// Each in a process of its own, for a process names its file and its keyring once.
@Suite("What a program names at its start", .hangLimit)
struct StorageSystemTests {}

extension StorageSystemTests {
    @Test("The file and the keyring win over the environment's, with the standard file's system-wide defaults below the file")
    func all() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: "\(folder)/etc/com.example.App", withIntermediateDirectories: true)
            try #"{"size": 9}"#.write(toFile: "\(folder)/etc/com.example.App/preferences.json", atomically: false, encoding: .utf8)
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_DIRS", folder + "/etc", 1)
                setenv("XDG_CONFIG_HOME", folder + "/home", 1)
                setenv("STORED_VALUES_PREFERENCES", folder + "/environment.json", 1)
                setenv("STORED_VALUES_KEYRING", "file:\(folder)/environment", 1)
                let keyring = InMemoryKeyring()
                let file = PreferencesFile(path: folder + "/config.json")
                StorageSystem.bootstrap(applicationID: "com.example.App", preferences: file, keyring: keyring)
                try #require(StorageSystem.applicationID == "com.example.App")
                try #require(PreferencesFile.standard.path == folder + "/config.json")
                try #require(PreferencesFile.named("other").path == folder + "/environment.other.json")
                let size = StoredValue(key: "size", default: 1)
                try #require(size.value == 9 && size.source == .system)
                size.set(2)
                try #require(PreferencesFile(path: folder + "/config.json").keys == ["size"])
                let choice = SystemKeyring.selection
                try #require(choice.keyring as? InMemoryKeyring === keyring && choice.reason.contains("bootstrap"))
                try await SecurelyStoredValue<String>(key: "token").set("x")
                try #require(try await keyring.identifiers(inService: "com.example.App").map(\.account) == ["token"])
                try await withTemporaryStorage {
                    try #require(size.value == 1 && PreferencesFile.standard.keys == [])
                    try #require(try await SecurelyStoredValue<String>(key: "token").load() == nil)
                }
                try #require(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasPrefix("environment") })
            }
        }
    }

    @Test("What is left out is as without it")
    func leftOut() async throws {
        try await withTemporaryFolder { folder in
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_HOME", folder, 1)
                setenv("STORED_VALUES_PREFERENCES", folder + "/environment.json", 1)
                setenv("STORED_VALUES_KEYRING", "file:\(folder)/secrets", 1)
                StorageSystem.bootstrap(keyring: InMemoryKeyring())
                try #require(PreferencesFile.standard.path == folder + "/environment.json")
                try #require(SystemKeyring.selection.keyring is InMemoryKeyring)
                try #require(CommandLine.arguments[0].hasSuffix(StorageSystem.applicationID))
            }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_HOME", folder, 1)
                setenv("STORED_VALUES_KEYRING", "file:\(folder)/secrets", 1)
                StorageSystem.bootstrap(applicationID: "app", preferences: .named("mine"))
                try #require(PreferencesFile.standard.path == folder + "/app/mine.json")
                StoredValue(key: "a", default: 1).set(2)
                try #require(PreferencesFile.named("mine").keys == ["a"])
                try #require(SystemKeyring.selection.keyring is EncryptedFileKeyring)
            }
        }
    }

    @Test("All wrappers share one secret of the keyring that was handed over")
    func ownKeyring() async throws {
        await #expect(processExitsWith: .success) {
            StorageSystem.bootstrap(applicationID: "app", keyring: KeyringObject())
            let (one, other) = (SecurelyStoredValue<String>(key: "token"), SecurelyStoredValue<String>(key: "token"))
            try await one.set("x")
            try #require(other.value == "x")
        }
    }

    @Test("System-wide defaults that are found inside of a batch are told after it, and not while others wait for the file")
    func foundInBatch() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: "\(folder)/etc/com.example.App", withIntermediateDirectories: true)
            try #"{"size": 9}"#.write(toFile: "\(folder)/etc/com.example.App/preferences.json", atomically: false, encoding: .utf8)
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_DIRS", folder + "/etc", 1)
                setenv("XDG_CONFIG_HOME", folder, 1)
                StorageSystem.bootstrap(applicationID: "com.example.App")
                // The standard file, by its path.
                let file = PreferencesFile(path: folder + "/com.example.App/preferences.json")
                let size = StoredValue(key: "size", default: 1, storage: file)
                let isInside = Guarded(false), isToldInside = Guarded(false), isTold = Guarded(false)
                withObservationTracking({ _ = size.value }) {
                    if isInside.withLock({ $0 }) { isToldInside.withLock { $0 = true } }
                    isTold.withLock { $0 = true }
                }
                file.batch {
                    isInside.withLock { $0 = true }
                    _ = StoredValue(key: "other", default: 0).value  // the first use of the standard file
                    isInside.withLock { $0 = false }
                }
                try #require(size.value == 9 && isTold.withLock { $0 } && !isToldInside.withLock { $0 })
            }
        }
    }

    @Test("A file that is named by its path has the variables and the layers of the standard one from the beginning")
    func namedByPath() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: "\(folder)/etc/com.example.App", withIntermediateDirectories: true)
            try #"{"size": 9, "width": 9}"#.write(toFile: "\(folder)/etc/com.example.App/preferences.json", atomically: false, encoding: .utf8)
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_DIRS", folder + "/etc", 1)
                setenv("APP_SIZE", "7", 1)
                let file = PreferencesFile(path: folder + "/config.json")
                StorageSystem.bootstrap(applicationID: "com.example.App", preferences: file, environmentPrefix: "APP_")
                try #require(StoredValue(key: "size", default: 1, storage: file).value == 7)
                try #require(StoredValue(key: "width", default: 1, storage: file).value == 9)
            }
        }
    }

    @Test("A file that cannot be opened behaves as elsewhere: values stay in memory, flush throws and the log says why")
    func unopenable() async throws {
        try await withTemporaryFolder { folder in
            try "a file".write(toFile: folder + "/file", atomically: false, encoding: .utf8)
            try FileManager.default.createDirectory(atPath: folder + "/folder.json", withIntermediateDirectories: false)
            for path in [folder + "/file/p.json", folder + "/folder.json"] {
                await #expect(processExitsWith: .success) { [path = path as String, folder = folder as String] in
                    LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                    setenv("XDG_CONFIG_DIRS", folder + "/none", 1)
                    setenv("STORED_VALUES_PREFERENCES", folder + "/environment.json", 1)
                    StorageSystem.bootstrap(preferences: PreferencesFile(path: path))
                    let (value, explicit) = (
                        StoredValue(key: "a", default: 1), StoredValue(key: "a", default: 1, storage: PreferencesFile(path: path))
                    )
                    try #require(value.value == 1)
                    value.set(2)
                    try #require(value.value == 2 && explicit.value == 2)
                    let error = await #expect(throws: PreferencesError.self) { try await PreferencesFile.standard.flush() }
                    try #require("\(try #require(error))".contains(path))
                    let explicitError = await #expect(throws: PreferencesError.self) { try await explicit.flush() }
                    try #require(error == explicitError)
                    try #require(RecordingLogHandler.takeLines().contains { $0.contains(path) })
                    try #require(!FileManager.default.fileExists(atPath: folder + "/environment.json"))
                }
            }
        }
    }

    @Test("A second call traps, and names both")
    func twice() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            StorageSystem.bootstrap(keyring: InMemoryKeyring())
            StorageSystem.bootstrap(applicationID: "com.example.Second")
        }
        let text = try trapSentence(result)
        #expect(text.contains("bootstrap(applicationID: \"com.example.Second\") was called a second time; the first was StorageSystem.bootstrap(keyring: …)"))
    }

    @Test("A call after the first use traps, whatever was used")
    func late() async throws {
        func check(_ result: ExitTest.Result?) throws {
            #expect(try trapSentence(result).contains("bootstrap(preferences: …) was called after a stored value was used"))
        }
        try await withTemporaryFolder { folder in
            try check(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [folder = folder as String] in
                    _ = StorageSystem.applicationID
                    StorageSystem.bootstrap(preferences: PreferencesFile(path: folder + "/p.json"))
                })
            try check(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [folder = folder as String] in
                    setenv("STORED_VALUES_PREFERENCES", folder + "/p.json", 1)
                    setenv("XDG_CONFIG_DIRS", "relative", 1)
                    _ = PreferencesFile.standard.keys
                    StorageSystem.bootstrap(preferences: PreferencesFile(path: folder + "/p.json"))
                })
            try check(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [folder = folder as String] in
                    setenv("STORED_VALUES_KEYRING", "credentials:" + folder, 1)
                    _ = SecurelyStoredValue<String>(key: "token", service: "s").value
                    StorageSystem.bootstrap(preferences: PreferencesFile(path: folder + "/p.json"))
                })
        }
    }

    @Test("The standard file in place of itself is the standard file, also by a name that a user has typed", arguments: [".standard", "checkingName:"])
    func standard(way: String) async throws {
        try await withTemporaryFolder { folder in
            _ = await #expect(processExitsWith: .success) { [folder = folder as String, way = way as String] in
                setenv("XDG_CONFIG_HOME", folder, 1)
                StorageSystem.bootstrap(
                    applicationID: "demo", preferences: way == ".standard" ? .standard : try PreferencesFile(checkingName: "preferences"))
                try #require(PreferencesFile.standard.path == folder + "/demo/preferences.json")
            }
        }
    }

    @Test(".system traps as its own replacement, and the message says what to pass")
    func circular() async throws {
        let keyring = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            StorageSystem.bootstrap(keyring: .system)
        }
        #expect(try trapSentence(keyring).contains("pass another keyring, such as .secretService"))
        let fallback = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            StorageSystem.bootstrap(keyring: FallbackKeyring([InMemoryKeyring(), FallbackKeyring([.system])]))
        }
        #expect(try trapSentence(fallback).contains("pass another keyring, such as .secretService"))
    }

    @Test("A bad name traps, and names the call", arguments: ["", ".hidden", "a/b"])
    func badName(name: String) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [name = name as String] in
            StorageSystem.bootstrap(applicationID: name)
        }
        #expect(try trapSentence(result).contains("bootstrap(applicationID: \"\(name)\"): the name must not"))
    }
}

/// A keyring that is itself and no other.
private final class KeyringObject: ForwardingKeyring {
    let inner = InMemoryKeyring()
}
