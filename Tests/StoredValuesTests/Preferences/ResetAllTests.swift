import Foundation
import Testing

@testable import StoredValues

@Suite("Resetting a whole file", .hangLimit)
struct ResetAllTests {}

extension ResetAllTests {
    @Test("Every value is removed, whichever program and version wrote it, and the layers are uncovered")
    func everything() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try writeFinished(
                Array(#"{"a": 1, "b": [1], "unknown": {"x": 1}, "$versions": {"b": 9, "a": 1}, "$imported": ["x"]}"#.utf8), to: path)
            try writeFinished(Array(#"{"a": 5, "c": 6}"#.utf8), to: folder + "/layer.json")
            let storage = PreferencesFile.ofAnotherProcess(path)
            storage.store.addLayers([folder + "/layer.json"])
            let a = StoredValue(key: "a", default: 0, storage: storage), b = StoredValue(key: "b", default: [0], storage: storage)
            a.set(2, overwritingNewer: true)
            var values = a.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 2)
            storage.resetAll()
            #expect(a.wrappedValue == 5 && !a.isStored && b.wrappedValue == [0] && storage.keys == [])
            #expect(await values.next(isolation: nil) == 5)
            #expect(try contents(ofFile: path) == "{\n  \"$imported\": [\"x\"]\n}\n", "what was imported is not imported again")
            try await storage.flush()
            b.set([3])
            #expect(b.wrappedValue == [3], "no newer version stands in the way any more")
        }
    }

    @Test("It is one replacement of the file, and what another process has stored a moment ago goes too")
    func atOnce() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations()
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations, syncDelay: .seconds(3600))
            #expect(storage.keys == [])
            let other = PreferencesFile.ofAnotherProcess(path)
            for number in 0..<10 { StoredValue(key: "\(number)", default: -1, storage: other).set(number) }
            storage.resetAll()
            #expect(operations.calls.count { $0 == "rename" } == 1)
            let text = try contents(ofFile: path)
            #expect(text == "{\n}\n")
            storage.resetAll()
            #expect(operations.calls.count { $0 == "rename" } == 1, "there was nothing to remove")
        }
    }

    @Test("In a batch it removes what the batch has stored too, and what comes after it stays")
    func inBatch() throws {
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let a = StoredValue(key: "a", default: 0, storage: storage), b = StoredValue(key: "b", default: 0, storage: storage)
            a.set(1)
            storage.batch {
                b.set(2)
                storage.resetAll()
                #expect(a.wrappedValue == 0 && b.wrappedValue == 0)
                b.set(3)
            }
            let text = try contents(ofFile: folder + "/p.json")
            #expect(text == "{\n  \"b\": 3\n}\n")
        }
    }
}
