import Foundation
import Logging
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Preferences and their durable generation", .hangLimit)
struct PreferencesDurabilityTests {}

extension PreferencesDurabilityTests {
    private func open(_ path: String, operations: FileOperations = .posix) -> PreferencesFile {
        .ofAnotherProcess(path, operations: operations, syncDelay: .seconds(3600))
    }

    /// Writes in place, as some editors do, and makes it look as if that were long ago.
    private func edit(_ path: String, _ text: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: path)
    }

    private func rejected(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".rejected-") }
            .map { try contents(ofFile: folder + "/" + $0) }
    }

    @Test("A torn file is read from its generation, and the next flush restores it and puts the torn one aside", arguments: ["", "\0\0\0\0", "{\n  \"a\": "])
    func torn(text: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let first = open(path)
            StoredValue(key: "a", default: 0, storage: first).set(1)
            try await first.flush()
            let good = try contents(ofFile: path)
            try edit(path, text)
            let second = open(path)
            #expect(StoredValue(key: "a", default: 0, storage: second).wrappedValue == 1)
            #expect(try contents(ofFile: path) == text)
            try await second.flush()
            #expect(try contents(ofFile: path) == good)
            #expect(try rejected(in: folder) == [text])
        }
    }

    @Test("A change after a torn file was read from its generation continues from there")
    func changeAfterTorn() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let first = open(path)
            StoredValue(key: "a", default: 0, storage: first).set(1)
            try await first.flush()
            try edit(path, "")
            let second = open(path)
            StoredValue(key: "b", default: 0, storage: second).set(2)
            #expect(open(path).keys == ["a", "b"])
            #expect(try rejected(in: folder) == [""])
        }
    }

    @Test("A file repaired or deleted by the user before the next write counts, not the generation", arguments: [#"{"b": 2}"#, nil])
    func repaired(text: String?) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let first = open(path)
            StoredValue(key: "a", default: 0, storage: first).set(1)
            try await first.flush()
            try edit(path, "{")
            let second = open(path)
            #expect(second.keys == ["a"])
            if let text { try edit(path, text) } else { try FileManager.default.removeItem(atPath: path) }
            StoredValue(key: "c", default: 0, storage: second).set(3)
            #expect(open(path).keys == (text == nil ? ["c"] : ["b", "c"]))
            #expect(try rejected(in: folder) == [])
        }
    }

    @Test("Where a torn file was read from its generation and is deleted, its values are gone at once, and no flush writes them back")
    func recoveredAndDeleted() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let first = open(path)
            StoredValue(key: "a", default: 0, storage: first).set(1)
            try await first.flush()
            try edit(path, "{")
            let second = open(path)
            #expect(second.keys == ["a"])
            try FileManager.default.removeItem(atPath: path)
            second.store.refresh()  // as the watch does
            #expect(second.keys == [])
            try await second.flush()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("A file that is deleted while it is read is seen to be gone, and the next change does not write its values back")
    func deletedWhileRead() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json", opened = Guarded<Int?>(nil)
            let operations = FaultyFileOperations { call in
                guard call == "open reading" else { return }
                let isPin = opened.withLock { count in
                    count? += 1
                    return count == 2  // it was opened before to be read
                }
                if isPin { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
            }
            let storage = open(path, operations: operations)
            // What the watch reads by itself would be counted, too.
            storage.store.queues.watching.sync {}
            storage.store.queues.watching.suspend()
            defer { storage.store.queues.watching.resume() }
            try edit(path, #"{"a": 1}"#)
            opened.withLock { $0 = 0 }
            storage.store.refresh()
            #expect(opened.withLock { $0 } == 2)
            storage.store.refresh()  // as the watch does when the file is gone
            #expect(storage.keys == [])
            StoredValue(key: "b", default: 0, storage: storage).set(2)
            #expect(try contents(ofFile: path) == "{\n  \"b\": 2\n}\n")
        }
    }

    @Test("Deleting the file resets it: the generation is not read, and the next flush removes it")
    func deleted() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let first = open(path)
            StoredValue(key: "a", default: 0, storage: first).set(1)
            try await first.flush()
            try FileManager.default.removeItem(atPath: path)
            let second = open(path)
            #expect(second.keys == [])
            try await second.flush()
            #expect(!FileManager.default.fileExists(atPath: path + ".durable"))
        }
    }

    @Test("flush puts a broken file aside when values in memory are in no durable file yet, and leaves it alone otherwise")
    func flushWithBrokenFile() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = open(path)
            let value = StoredValue(key: "a", default: 0, storage: storage)
            value.set(1)
            try await storage.flush()
            try edit(path, "{ being edited")
            try await storage.flush()
            #expect(try contents(ofFile: path) == "{ being edited")
            value.set(2)
            #expect(try rejected(in: folder) == ["{ being edited"])
            try edit(path, "{ again")
            try await storage.flush()
            #expect(try contents(ofFile: path) == "{\n  \"a\": 2\n}\n")
            #expect(try contents(ofFile: path + ".durable") == "{\n  \"a\": 2\n}\n")
            #expect(Set(try rejected(in: folder)) == ["{ being edited", "{ again"])
        }
    }

    @Test("A change does not wait for a sync of the file")
    func changeDoesNotWait() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations(), storage = open(path, operations: operations)
            let value = StoredValue(key: "a", default: 0, storage: storage)
            var lock: LockedFile? = try DurableFile(path: path).lock(toChange: ".durable", timeout: nil)
            value.set(1)
            #expect(try contents(ofFile: path) == "{\n  \"a\": 1\n}\n")
            let isDone = Guarded(false), attempts = operations.calls.count { $0 == "lock" }
            let flush = Task {
                try await storage.flush()
                isDone.withLock { $0 = true }
            }
            try await eventually("the sync waits for the copy's lock") { operations.calls.count { $0 == "lock" } > attempts }
            value.set(2)
            #expect(!isDone.withLock { $0 })
            _ = lock.take()
            _ = await flush.result  // on a busy machine it may have given up
            try await storage.flush()
            #expect(try contents(ofFile: path + ".durable") == contents(ofFile: path))
        }
    }

    @Test("flush without a change succeeds where nothing can be written, and with one it throws", arguments: [SystemErrorCode.readOnly, .accessDenied, .notPermitted])
    func nothingToWrite(code: SystemErrorCode) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try edit(path, #"{"a": 1}"#)
            let operations = FaultyFileOperations(failing: ["open locking": code, "open creating": code])
            let storage = open(path, operations: operations)
            try await storage.flush()
            #expect(operations.calls.filter { $0.hasPrefix("synchronize") } == ["synchronize", "synchronize folder"])
            StoredValue(key: "a", default: 0, storage: storage).set(2)
            await #expect(throws: PreferencesError.self) { try await storage.flush() }
        }
    }

    @Test("The log says which file is broken, where, what is in use, and where the broken one will go")
    func log() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = open(path)
            StoredValue(key: "a", default: 0, storage: storage).set(1)
            try await storage.flush()
            try edit(path, "{\n  \"a\" 1\n}")
            await #expect(processExitsWith: .success) { [path = path as String] in
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                #expect(PreferencesFile(path: path).keys == ["a"])
                let lines = RecordingLogHandler.lines.withLock { $0 }
                #expect(
                    lines == [
                        "The preferences \"\(path)\" are not JSON: expected a colon after the member's name at line 2, column 7. The last durable values are in use. Correct the file; before it is overwritten, it is set aside as \"\(path).rejected-<time>\"."
                    ])
            }
        }
    }

    @Test("Of a file that never was whole, the log says that defaults are in use where there are no good values")
    func logOfNewFile() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            await #expect(processExitsWith: .success) { [path = path as String] in
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                let storage = PreferencesFile(path: path)
                try writeFinished(Array("{bad".utf8), to: path)
                storage.reload()
                let value = StoredValue(key: "a", default: 7, storage: storage)
                #expect(value.value == 7 && value.source == .code)
                var lines: [String] = []
                try await eventually("it is logged, if only by the watch, which may have read it first") {
                    lines += RecordingLogHandler.takeLines()
                    return !lines.isEmpty
                }
                #expect(lines[0].contains("The last good values are in use, and defaults where there are none."), "\(lines)")
            }
        }
    }

    @Test("Errors found on opening are logged once, by the opening thread, and not also by the watch", arguments: ["file", "folder", "layer"])
    func logOfOpening(broken: String) async throws {
        try await withTemporaryFolder { folder in
            switch broken {
            case "file": try edit(folder + "/p.json", "{")
            case "folder": try FileManager.default.createDirectory(atPath: folder + "/p.json", withIntermediateDirectories: false)
            default: try edit(folder + "/layer.json", "{")
            }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                let preferences = PreferencesStore(.success(DurableFile(path: folder + "/p.json")), path: folder + "/p.json")
                preferences.addLayers([folder + "/layer.json"])
                preferences.refresh()
                preferences.refreshLayers()
                preferences.report { $0.note("something else") }
                #expect(RecordingLogHandler.takeLines() == [])
                preferences.open()
                let lines = RecordingLogHandler.takeLines()
                #expect(lines.count == 2 && lines.last == "something else")
                // As the watches do, sooner or later.
                preferences.refresh()
                preferences.refreshLayers()
                preferences.report { $0.note("another thing") }
                var later: [String] = []
                try await eventually("it is logged, if only by the watch, which may have taken it") {
                    later += RecordingLogHandler.takeLines()
                    return !later.isEmpty
                }
                #expect(later == ["another thing"])
            }
        }
    }
}
