import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Files of the application beside the standard one", .hangLimit)
struct NamedFilesTests {}

extension NamedFilesTests {
    private static let limit = StoredKey("limit", default: 60)

    @Test("Their names are those of the files that named(_:) opens, and of nothing else that lies there")
    func names() async throws {
        try await withTemporaryFolder { folder in
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_HOME", folder, 1)
                setenv("XDG_DATA_HOME", folder, 1)
                unsetenv("STORED_VALUES_PREFERENCES")
                StorageSystem.bootstrap(applicationID: "app")
                try #require(try PreferencesFile.names == [], "there is no folder yet")
                for name in ["work", "ä", "play", ".hidden", "a.b", "schema"] {
                    let file = PreferencesFile.named(name)
                    StoredValue(Self.limit, storage: file).set(7)
                    try await file.flush()
                    file.publishSchema(of: [AnyStoredKey(Self.limit)])
                }
                StoredValue(Self.limit).set(1)
                for name in ["broken.json.rejected-1", ".work.json.stored-values.tmp", "notes.txt", ".json", "x.JSON"] {
                    try "{}".write(toFile: "\(folder)/app/\(name)", atomically: false, encoding: .utf8)
                }
                try FileManager.default.createDirectory(atPath: folder + "/app/folder.json", withIntermediateDirectories: false)
                try FileManager.default.createSymbolicLink(atPath: folder + "/app/link.json", withDestinationPath: "work.json")
                try FileManager.default.createSymbolicLink(atPath: folder + "/app/gone.json", withDestinationPath: "nowhere.json")
                let names = try PreferencesFile.names
                try #require(names == [".hidden", "a.b", "link", "play", "schema", "work", "ä"], "\(names)")
                for name in names { try #require(PreferencesFile.named(name)[Self.limit] == 7) }
                try withTemporaryStorage(named: ["one": "{}", "two": #"{"a": 1}"#]) { try #require(try PreferencesFile.names == ["two"]) }
            }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("STORED_VALUES_PREFERENCES", folder + "/app/play.json", 1)
                try "{}".write(toFile: folder + "/app/play.work.json", atomically: false, encoding: .utf8)
                try "{}".write(toFile: folder + "/app/play.schema.json", atomically: false, encoding: .utf8)
                try "{}".write(toFile: folder + "/app/playtime.x.json", atomically: false, encoding: .utf8)
                try #require(try PreferencesFile.names == ["work"])
                try #require(PreferencesFile.named("work").path == folder + "/app/play.work.json")
            }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_HOME", folder, 1)
                unsetenv("STORED_VALUES_PREFERENCES")
                StorageSystem.bootstrap(applicationID: "app", preferences: .named("work"))
                try #require(try !PreferencesFile.names.contains("work") && !PreferencesFile.names.contains("preferences"))
            }
            await #expect(processExitsWith: .success) {
                for name in ["HOME", "XDG_CONFIG_HOME", "STORED_VALUES_PREFERENCES"] { unsetenv(name) }
                #expect(throws: PreferencesError.noHomeFolder) { try PreferencesFile.names }
            }
        }
    }

    @Test("A named file has the system-wide defaults of its name below it, and neither a fleet's settings nor variables")
    func layers() async throws {
        try await withTemporaryFolder { folder in
            for (path, text) in ["etc/app/work.json": #"{"limit": 5}"#, "etc/app/preferences.json": #"{"limit": 4}"#, "fleet/app/preferences.json": #"{"limit": 3}"#] {
                try FileManager.default.createDirectory(atPath: "\(folder)/\(path)/..", withIntermediateDirectories: true)
                try? FileManager.default.removeItem(atPath: "\(folder)/\(path)")
                try text.write(toFile: "\(folder)/\(path)", atomically: false, encoding: .utf8)
            }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                for (name, path) in ["XDG_CONFIG_HOME": "home", "XDG_CONFIG_DIRS": "etc", "STORED_VALUES_FLEET": "fleet"] { setenv(name, "\(folder)/\(path)", 1) }
                setenv("APP_LIMIT", "2", 1)
                unsetenv("STORED_VALUES_PREFERENCES")
                StorageSystem.bootstrap(applicationID: "app", environmentPrefix: "APP_")
                let work = StoredValue(Self.limit, storage: .named("work")), play = StoredValue(Self.limit, storage: .named("play"))
                try #require(StoredValue(Self.limit).source == .environment)
                try #require(work.value == 5 && work.source == .system && play.value == 60 && play.source == .code)
                work.set(6)
                try #require(work.value == 6 && work.source == .file)
                try await PreferencesFile.named("work").delete()
                try #require(work.value == 5 && work.source == .system)
            }
        }
    }

    @Test("delete() leaves nothing of the file, readers have their defaults, and the next change makes a new one")
    func delete() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/app/work.json", file = PreferencesFile.ofAnotherProcess(path), other = PreferencesFile.ofAnotherProcess(path)
            try FileManager.default.createDirectory(atPath: folder + "/app", withIntermediateDirectories: true)
            try "{".write(toFile: path, atomically: false, encoding: .utf8)
            try "{}".write(toFile: folder + "/app/workshop.json", atomically: false, encoding: .utf8)
            let limit = StoredValue(Self.limit, storage: file)
            limit.set(7)
            try await limit.flush()
            other.reload()  // or it might still be about to hear of that
            let elsewhere = Collector(StoredValue(Self.limit, storage: other).values), seen = Collector(limit.values)
            try await elsewhere.wait(for: [7])
            try await seen.wait(for: [7])
            let before = try FileManager.default.contentsOfDirectory(atPath: folder + "/app")
            #expect(before.contains { $0.hasPrefix("work.json.rejected-") } && before.contains("work.json.durable") && before.contains("work.json.lock"))
            try await file.delete()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/app") == ["workshop.json"])
            #expect(limit.value == 60 && limit.source == .code && file.keys == [])
            try await seen.wait(for: [7, 60])
            try await elsewhere.wait(for: [7, 60])
            try await file.delete()
            limit.set(8)
            try await file.flush()
            #expect(PreferencesFile.ofAnotherProcess(path)[Self.limit] == 8)
            try await elsewhere.wait(for: [7, 60, 8])
        }
    }

    @Test("A link stays, and the file that it leads to goes; values in memory go too; a file that is not there is none")
    func links() async throws {
        try await withTemporaryFolder { folder in
            try #"{"limit": 7}"#.write(toFile: folder + "/real.json", atomically: false, encoding: .utf8)
            try FileManager.default.createSymbolicLink(atPath: folder + "/link.json", withDestinationPath: "real.json")
            try await PreferencesFile.ofAnotherProcess(folder + "/link.json").delete()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["link.json"])
            try await PreferencesFile.ofAnotherProcess(folder + "/none/none.json").delete()
        }
        let memory = PreferencesFile.inMemory(#"{"limit": 7}"#)
        try await memory.delete()
        #expect(memory[Self.limit] == 60 && memory.keys == [])
    }

    @Test("While values are in memory only, delete() is refused and removes nothing; resetAll() gives them up")
    func unsaved() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", system = FaultyFileOperations()
            let file = PreferencesFile.ofAnotherProcess(path, operations: system, syncDelay: .seconds(3600))
            let limit = StoredValue(Self.limit, storage: file)
            limit.set(7)
            try await limit.flush()
            system.fail("rename", with: .noSpace)
            limit.set(8)
            #expect(limit.source == .memory)
            let error = await #expect(throws: PreferencesError.self) { try await file.delete() }
            #expect("\(try #require(error))".contains("It was not removed: values are in memory only"), "\(error as Any)")
            #expect(limit.value == 8 && FileManager.default.fileExists(atPath: path))
            file.resetAll()
            try await file.delete()
            #expect(limit.source == .code && !FileManager.default.fileExists(atPath: path))
            try await file.flush()
        }
    }

    @Test("A file that cannot be removed says so, and its values stay")
    func failing() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", system = FaultyFileOperations()
            let file = PreferencesFile.ofAnotherProcess(path, operations: system)
            StoredValue(Self.limit, storage: file).set(7)
            try await file.flush()
            system.fail("unlink", with: .accessDenied)
            let error = await #expect(throws: PreferencesError.self) { try await file.delete() }
            #expect("\(try #require(error))".contains("It was not removed. Could not remove \"\(path)"), "\(error as Any)")
            #expect(file[Self.limit] == 7)
            system.fail("unlink", with: nil)
            try await file.delete()
            #expect(file[Self.limit] == 60)
        }
    }

    @Test("Where the folder cannot be listed, so that what was set aside would stay, delete() says so, and the file stays")
    func unlistable() async throws {
        try await withTemporaryFolder { folder in
            #expect(chmod(folder, 0o777) == 0)
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                if geteuid() == 0 { try #require(seteuid(65534) == 0) }  // root may list any
                let path = folder + "/app/p.json", file = PreferencesFile(path: path)
                StoredValue(key: "limit", default: 60, storage: file).set(7)
                try await file.flush()
                try #require(chmod(folder + "/app", 0o300) == 0)
                defer { chmod(folder + "/app", 0o700) }
                let error = await #expect(throws: PreferencesError.self) { try await file.delete() }
                let sentence = "\(try #require(error))"
                #expect(sentence.contains("It was not removed. Could not read \"\(folder)/app\"") && sentence.contains("EACCES"), "\(sentence)")
                #expect(FileManager.default.fileExists(atPath: path))
                try #require(chmod(folder + "/app", 0o700) == 0)
                try await file.delete()
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test("A process that waits for the lock while the file is deleted makes a new file, and nothing is lost")
    func waiting() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", processes = TestProcesses()
            let file = PreferencesFile.ofAnotherProcess(path, lockTimeout: hangLimit)
            StoredValue(key: "old", default: 0, storage: file).set(1)
            let writers = try (0..<3).map { try processes.start("set-own", path, "w\($0)", "200") }
            repeat { try await file.delete() } while !writers.allSatisfy(\.hasEnded)
            for writer in writers { #expect(try await writer.lines() == ["done"]) }
            // What was set after the last removal is there, and the file is whole.
            for number in 0..<3 { StoredValue(key: "after-\(number)", default: 0, storage: file).set(1) }
            try await file.flush()
            let keys = PreferencesFile.ofAnotherProcess(path).keys
            #expect((0..<3).allSatisfy { keys.contains("after-\($0)") } && !keys.contains("old"))
        }
    }

    @Test("Seeds of named files are what a test begins with, and a text that is no object traps with the file's name")
    func seeds() async throws {
        let work = StoredValue(Self.limit, storage: .named("work")), play = StoredValue(Self.limit, storage: .named("play"))
        try await withTemporaryStorage(preferences: #"{"limit": 1}"#, named: ["work": #"{"limit": 2}"#, "play": #"{"limit": 3}"#]) {
            #expect(StoredValue(Self.limit).value == 1 && work.value == 2 && play.value == 3)
            #expect(try PreferencesFile.names == ["play", "work"])
            try await PreferencesFile.named("work").delete()
            #expect(work.value == 60)
            #expect(try PreferencesFile.names == ["play"])
            withTemporaryStorage(named: ["play": #"{"limit": 4}"#], keyring: InMemoryKeyring()) { #expect(play.value == 4 && work.value == 60) }
        }
        withTemporaryStorage(named: ["work": #"{"limit": 2}"#]) { #expect(work.value == 2) }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            withTemporaryStorage(named: ["work": "[1]"]) {}
        }
        #expect(try trapSentence(result).contains(#"withTemporaryStorage(named: ["work": …])"#))
    }
}
