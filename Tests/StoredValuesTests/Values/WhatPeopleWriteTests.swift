import Foundation
import StoredValues
import Testing

@Suite("Typical use")
struct WhatPeopleWriteTests {}

extension WhatPeopleWriteTests {
    final class Account: Sendable { let token = SecurelyStoredValue<String>(key: "authToken") }

    enum Settings {
        static let launches = StoredValue(key: "launches", default: 0)
    }

    actor Editor {
        @StoredValue(key: "theme") var theme = Theme.light
        @StoredValue(key: "lastOpened") var lastOpened: Date? = nil
        @StoredValue(key: "autosave") var autosave = true
        @StoredValue(key: "preferences") var preferences = UserPreferences()
        @SecurelyStoredValue<String>(key: "authToken") var authToken

        func example() async throws {
            $theme.set(.dark)
            $theme.reset()
            #expect(theme == .light)
            $autosave.toggle()
            $preferences.set(\.fontSize, to: 14)
            $preferences.update { $0.fontSize += 1 }
            $lastOpened.set(.now)
            Settings.launches.update { $0 += 1 }
            try await $theme.flush()
            for await theme in $theme.values {
                #expect(theme == .light)
                break
            }

            try await $authToken.set("s3cret")
            #expect(authToken == "s3cret" && Account().token.wrappedValue == "s3cret")
            for await token in $authToken.values {
                #expect(token != nil)
                break
            }
            try await $authToken.reset()
            #expect(authToken == nil && $authToken.status == .absent)
        }
    }

    @Test("The example of the documentation works in a process of its own, with the application's own file and keyring")
    func example() async throws {
        // A process of its own, because what the environment and bootstrap say is settled once.
        await #expect(processExitsWith: .success) {
            try await withTemporaryFolder { folder in
                setenv("XDG_CONFIG_HOME", folder + "/config", 1)
                let keyring = EncryptedFileKeyring(
                    path: folder + "/secrets", key: .generatedFile(folder + "/secrets.key"), deadline: hangLimit)
                StorageSystem.bootstrap(applicationID: "com.example.Editor", keyring: keyring)
                try await Editor().example()
                let path = folder + "/config/com.example.Editor/preferences.json"
                try #require(PreferencesFile.standard.path == path)
                try #require(PreferencesFile(path: path).keys == ["autosave", "lastOpened", "launches", "preferences"])
                try #require(PreferencesFile.named("other").path == folder + "/config/com.example.Editor/other.json")
            }
        }
    }

    @Test("STORED_VALUES_PREFERENCES names the standard file, and no other folder gets a file")
    func environment() async throws {
        await #expect(processExitsWith: .success) {
            try await withTemporaryFolder { folder in
                setenv("HOME", folder, 1)
                setenv("XDG_CONFIG_HOME", "relative", 1)
                setenv("STORED_VALUES_PREFERENCES", folder + "/mine.json", 1)
                StoredValue(key: "a", default: 0).set(1)
                StoredValue(key: "b", default: 0, storage: .named("other")).set(1)
                for file in [PreferencesFile.standard, .named("other")] { try await file.flush() }
                try #require(FileManager.default.fileExists(atPath: folder + "/mine.json"))
                try #require(FileManager.default.fileExists(atPath: folder + "/mine.other.json"))
                try #require(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { $0.hasPrefix("mine.") })
            }
        }
    }

    @Test("A relative XDG_CONFIG_HOME does not count, for named files either")
    func relativeFolder() async throws {
        await #expect(processExitsWith: .success) {
            try withTemporaryFolder { folder in
                setenv("HOME", folder, 1)
                setenv("XDG_CONFIG_HOME", "relative", 1)
                unsetenv("STORED_VALUES_PREFERENCES")
                let name = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe").split(separator: "/").last
                try #require(PreferencesFile.named("other").path == folder + "/.config/\(try #require(name))/other.json")
            }
        }
    }

    @Test(
        "Named files are beside the file that STORED_VALUES_PREFERENCES names, with no HOME too, and none is that file",
        arguments: [
            ("/preferences.json", "other", "/preferences.other.json"), ("/a.conf", "other", "/a.conf.other.json"), ("/a", "b", "/a.b.json"),
            ("/.json", "x", "/.json.x.json"), ("/a.x.json", "x", "/a.x.x.json"), ("/a.json", "..", "/a....json"),
            ("/a.json", "preferences", "/a.json"),
        ])
    func named(standard: String, name: String, expected: String) async throws {
        try await withTemporaryFolder { folder in
            _ = await #expect(processExitsWith: .success) { [folder = folder as String, standard = standard as String, name = name as String, expected = expected as String] in
                unsetenv("HOME")
                setenv("XDG_CONFIG_HOME", "\(folder)/config", 1)
                setenv("STORED_VALUES_PREFERENCES", folder + standard, 1)
                let file = try PreferencesFile(checkingName: name)
                try #require(file.path == folder + expected)
                StoredValue(key: "a", default: 0, storage: file).set(1)
                try await file.flush()
                try #require(FileManager.default.fileExists(atPath: folder + expected))
                try #require(PreferencesFile.named(name).keys == ["a"])
                try #require(!FileManager.default.fileExists(atPath: folder + "/config"))
            }
        }
    }

    @Test("A name of a user's that no file can have is refused, and is no trap", arguments: ["", "../evil", "/etc/passwd", "a/b", "a\0b"])
    func badName(name: String) {
        #expect(throws: PreferencesError.notName(name)) { try PreferencesFile(checkingName: name) }
    }

    @Test("Without HOME values stay in memory, and flush says why")
    func noHome() async throws {
        await #expect(processExitsWith: .success) {
            unsetenv("HOME")
            unsetenv("XDG_CONFIG_HOME")
            unsetenv("STORED_VALUES_PREFERENCES")
            let value = StoredValue(key: "a", default: 0)
            value.set(1)
            try #require(value.wrappedValue == 1)
            await #expect(throws: PreferencesError.noHomeFolder) { try await value.flush() }
        }
    }
}
