import Foundation
import Logging
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("PreferencesFile", .hangLimit)
struct PreferencesFileTests {}

extension PreferencesFileTests {
    private func open(_ path: String, operations: FileOperations = .posix) -> PreferencesFile {
        .ofAnotherProcess(path, operations: operations)
    }

    @Test("A change is in the file when set returns: sorted and indented")
    func text() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/new/folder/preferences.json"
            let storage = open(path)
            StoredValue(key: "zoom", default: 1.0, storage: storage).set(1.5)
            StoredValue(key: "editor", default: UserPreferences(), storage: storage).set(UserPreferences())
            StoredValue(key: "recent", default: [String](), storage: storage).set(["/tmp/a", "b"])
            let written = try contents(ofFile: path)
            #expect(
                written == """
                    {
                      "editor": {
                        "fontName": "Mono",
                        "fontSize": 12
                      },
                      "recent": [
                        "/tmp/a",
                        "b"
                      ],
                      "zoom": 1.5
                    }

                    """)
            #expect(try mode(path) == 0o600)
            #expect(try mode(folder + "/new/folder") == 0o700)
            #expect(try mode(folder + "/new") == 0o700)
        }
    }

    @Test("Printed, a file is its path, and is not opened for that; one in memory says what it is")
    func printed() async throws {
        #expect("\(PreferencesFile.inMemory())" == "(in memory)")
        try await withTemporaryFolder { folder in
            #expect("\(PreferencesFile(path: folder + "/p.json"))" == folder + "/p.json")
            try FileManager.default.createDirectory(atPath: folder + "/app", withIntermediateDirectories: false)
            try writeFinished(Array("{".utf8), to: folder + "/app/preferences.json")
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_HOME", folder, 1)
                setenv("XDG_CONFIG_DIRS", folder + "/none", 1)
                unsetenv("STORED_VALUES_PREFERENCES")
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                StorageSystem.bootstrap(applicationID: "app")
                try #require("\(PreferencesFile.standard)" == folder + "/app/preferences.json")
                try #require(RecordingLogHandler.takeLines() == [], "it is not read, for then the log would say what is wrong with it")
                try #require(PreferencesFile.standard.path == "\(PreferencesFile.standard)")
                try await eventually("it is read, as the log says") { !RecordingLogHandler.takeLines().isEmpty }
                try withTemporaryStorage { try #require("\(PreferencesFile.named("x"))" == PreferencesFile.named("x").path) }
            }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_HOME", folder, 1)
                unsetenv("STORED_VALUES_PREFERENCES")
                StorageSystem.bootstrap(applicationID: "app", preferences: .named("mine"))
                try #require("\(PreferencesFile.standard)" == folder + "/app/mine.json")
            }
        }
    }

    @Test("A value with 511 levels is stored and read again, and of one with 512 flush says that it is not stored", arguments: [511, 512])
    func deepValue(levels: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", storage = open(path)
            var value = JSONValue.array([])
            for level in 1..<levels { value = level.isMultiple(of: 2) ? ["a": value] : [value] }
            storage.set("deep", to: value)
            if levels < JSONValue.maximumDepth {
                try await storage.flush()
                #expect(open(path).snapshot["deep"] == value)
            } else {
                let error = await #expect(throws: PreferencesError.self) { try await storage.flush() }
                #expect(try #require(error).description.contains("511 levels"))
                #expect(storage.keys == [] && open(path).keys == [])
            }
        }
    }

    @Test("The text for an editor names its schema by a URL, whatever the path has")
    func schemaOfEdit() throws {
        try withTemporaryFolder { folder in
            let text = try open(folder + "/p.json").beginEdit(schema: "/a b/ä%?#.json").text
            #expect(String(decoding: text, as: UTF8.self).contains(##""$schema": "file:///a%20b/%C3%A4%25%3F%23.json""##))
        }
    }

    @Test("Undeclared members survive every write unchanged")
    func undeclared() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"unknown": {"z": 1.10, "a": [1,2]}, "big": 123456789012345678901234567890, "size": 1}"#
                .write(toFile: path, atomically: false, encoding: .utf8)
            let value = StoredValue(key: "size", default: 0, storage: open(path))
            value.set(2)
            value.reset()
            let text = try contents(ofFile: path)
            #expect(text.contains(#""unknown": {"z": 1.10, "a": [1,2]}"#))
            #expect(text.contains(#""big": 123456789012345678901234567890"#))
            #expect(!text.contains("size"))
        }
    }

    @Test("Hand edits are read on the next start, and before a change is written over them")
    func handEdits() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let first = StoredValue(key: "a", default: 0, storage: open(path))
            first.set(1)
            try #"{"a": 5, "b": 6}"#.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(StoredValue(key: "a", default: 0, storage: open(path)).wrappedValue == 5)
            first.update { $0 += 1 }
            #expect(first.wrappedValue == 6)
            #expect(StoredValue(key: "b", default: 0, storage: open(path)).wrappedValue == 6)
        }
    }

    @Test("Two processes that change different keys, or update one, lose nothing")
    func twoProcesses() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            await withTaskGroup { group in
                for process in 0..<4 {
                    group.addTask {
                        let storage = PreferencesFile.ofAnotherProcess(path, lockTimeout: hangLimit)
                        for number in 0..<50 {
                            StoredValue(key: "own-\(process)-\(number)", default: 0, storage: storage).set(1)
                            StoredValue(key: "shared", default: 0, storage: storage).update { $0 += 1 }
                        }
                    }
                }
            }
            let storage = open(path)
            #expect(StoredValue(key: "shared", default: 0, storage: storage).wrappedValue == 200)
            #expect(storage.keys.count == 201)
        }
    }

    @Test("A change costs an fsync of its generation, of the folder, and in the background of the file; a flush without a change costs none")
    func flush() async throws {
        try await withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            func fsyncs() -> [String] { operations.calls.filter { $0.hasPrefix("synchronize") } }
            func files() -> Int { fsyncs().count { $0 == "synchronize" } }
            let storage = open(folder + "/p.json", operations: operations)
            let value = StoredValue(key: "a", default: 0, storage: storage)
            value.set(1)
            try await storage.flush()
            try await eventually("the background's fsync of the file is over") { files() == 2 }
            let first = fsyncs().count
            value.set(2)
            try await storage.flush()
            try await eventually("the background's fsync of the file is over") { files() == 4 }
            #expect(fsyncs().count == first + 3)
            try await storage.flush()
            #expect(fsyncs().count == first + 3)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(names == OwnNames.lasting.sorted())
            #expect(try contents(ofFile: folder + "/p.json.durable") == contents(ofFile: folder + "/p.json"))
        }
    }

    @Test("In a batch each change reads, and leaves in the file, what it does by itself")
    func batchIsItsChanges() throws {
        try withTemporaryFolder { folder in
            var random = SeededGenerator(seed: SeededGenerator.printedSeed(for: "A batch"))
            try #"{"k0": 7, "k1" : 8}"#.write(toFile: "\(folder)/layer.json", atomically: false, encoding: .utf8)
            for round in 0..<20 {
                let paths = ["batch", "single"].map { "\(folder)/\(round)-\($0).json" }
                let files = try paths.map { path in
                    // The versions as they are written, for they are not written anew where they come out the same.
                    let versions = "{\n    \"newer.k0\": 5\n  }"
                    let text = #"{ "k3": 3, "other":  [1, 2],"newer.k0": {"number": 9}, "$versions": \#(versions)}"#
                    try text.write(toFile: path, atomically: false, encoding: .utf8)
                    let file = open(path)
                    file.store.addLayers([folder + "/layer.json"])
                    return file
                }
                let steps = (0..<40).map { _ in Step(&random) }
                let inBatch = files[0].batch { steps.map { $0.take(in: files[0]) } }
                #expect(inBatch == steps.map { $0.take(in: files[1]) })
                #expect(try contents(ofFile: paths[0]) == contents(ofFile: paths[1]))
                #expect(Step.values(in: files[0]) == Step.values(in: files[1]))
            }
        }
    }

    @Test("A snapshot never holds a part of another thread's batch")
    func snapshotBesideBatch() throws {
        try withTemporaryFolder { folder in
            let storage = open(folder + "/p.json")
            let value = StoredValue(key: "a", default: 0, storage: storage)
            storage.batch {
                value.set(1)
                #expect(onAnotherThread { storage.snapshot.keys } == [])
                #expect(storage.snapshot.keys == ["a"])
            }
            #expect(storage.snapshot.keys == ["a"])
        }
    }

    /// Something that is done to one of a few keys, and what is read after it.
    private struct Step {
        private enum Change: CaseIterable { case set, setNewer, overwrite, update, reset, ask }

        private let key: String
        private let number: Int
        private let change: Change

        init(_ random: inout SeededGenerator) {
            key = "k\(Int.random(in: 0...5, using: &random))"
            number = .random(in: 0...3, using: &random)
            change = Change.allCases.randomElement(using: &random)!  // there are some
        }

        func take(in file: PreferencesFile) -> [String] {
            let value = StoredValue(key: key, default: -1, storage: file)
            let newer = StoredValue(key: "newer." + key, default: Versioned(number: -1), storage: file)
            switch change {
            case .set: value.set(number)
            case .setNewer: newer.set(Versioned(number: number))
            case .overwrite: newer.set(Versioned(number: number), overwritingNewer: true)
            case .update: value.update { $0 += 1 }
            case .reset: number > 1 ? value.reset() : newer.reset()
            case .ask: return Self.values(in: file)
            }
            return ["\(value.wrappedValue) \(value.isStored) \(newer.wrappedValue.number) \(newer.isStored)"]
        }

        static func values(in file: PreferencesFile) -> [String] {
            let snapshot = file.snapshot
            return file.keys + snapshot.keys.map { "\($0) \(String(describing: snapshot[$0])) \(snapshot.source(of: $0) == .file)" }
        }

        private struct Versioned: VersionedItem {
            static let version = 2
            var number: Int

            static func migrate(_ json: inout JSONValue, from version: Int) {}
        }
    }
}
