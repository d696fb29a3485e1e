import Foundation
import StoredValuesSupport
import Logging
import Testing

@testable import StoredValues

@Suite("What is made of what was read", .hangLimit)
struct ValidationTests {
    struct TooSmall: Error {}

    private func size(_ storage: PreferencesFile) -> StoredValue<Int> {
        StoredValue(
            key: "size", default: 12,
            validate: { size in
                if size < 0 { throw TooSmall() }
                return min(size, 72)
            }, storage: storage)
    }

    @Test(
        "validate clamps or refuses what was read, and the file keeps it",
        arguments: [("5", 5, 0), ("100", 72, 0), ("-1", 12, 1), (#""x""#, 12, 1)])
    func reading(stored: String, expected: Int, repairs: Int) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let text = #"{"size":   \#(stored)}"#
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let value = size(.ofAnotherProcess(path))
            #expect(value.wrappedValue == expected && value.isStored)
            #expect(value.repairs.count == repairs)
            #expect(value.repairs.allSatisfy { $0.path == "" && $0.action == .tookDefault })
            #expect(try contents(ofFile: path) == text)
        }
    }

    @Test("The default is what the program says: it is not validated")
    func defaults() throws {
        try withTemporaryFolder { folder in
            let value = StoredValue(key: "size", default: 100, validate: { min($0, 72) }, storage: .ofAnotherProcess(folder + "/p.json"))
            #expect(value.wrappedValue == 100)
        }
    }

    @Test("What is set is stored as it is and read as validate leaves it; an update works on that")
    func setting() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let value = size(.ofAnotherProcess(path))
            value.set(100)
            #expect(value.wrappedValue == 72)
            let written = try contents(ofFile: path)
            #expect(written.contains("100"))
            value.update { $0 += 1 }
            let rewritten = try contents(ofFile: path)
            #expect(rewritten.contains("73"))
        }
    }

    @Test("A stream yields what validate leaves")
    func stream() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile.ofAnotherProcess(folder + "/p.json")
            let plain = StoredValue(key: "size", default: 12, storage: storage)
            var values = size(storage).values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 12)
            plain.set(100)
            #expect(await values.next(isolation: nil) == 72)
            plain.set(-5)
            #expect(await values.next(isolation: nil) == 12)
            plain.set(30)
            #expect(await values.next(isolation: nil) == 30)
        }
    }

    @Test("validate sees what repairs have left, and runs once for a value that is read often")
    func once() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"a": [1, "x", 300]}"#.write(toFile: path, atomically: false, encoding: .utf8)
            let seen = Guarded<[[Int]]>([])
            let value = StoredValue<[Int]>(
                key: "a", default: [],
                validate: { list in
                    seen.withLock { $0.append(list) }
                    return list.map { min($0, 10) }
                }, storage: .ofAnotherProcess(path))
            for _ in 0..<10 { #expect(value.wrappedValue == [1, 10]) }
            #expect(value.repairs.map(\.path) == ["[1]"])
            #expect(seen.withLock { $0 } == [[1, 300]])
        }
    }

    @Test("Each repair is logged once, however often and by whomever the value is read, and again when it is broken anew")
    func logging() async throws {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { _ in RecordingLogHandler() }
            try await withTemporaryFolder { folder in
                let path = folder + "/p.json"
                try #"{"a": [1, "x", null], "b": 5, "c": 6, "$versions": {"c": 2}}"#.write(toFile: path, atomically: false, encoding: .utf8)
                let storage = PreferencesFile(path: path)
                let list = StoredValue<[Int]>(key: "a", default: [], storage: storage)
                var values = list.values.makeAsyncIterator()
                #expect(await values.next(isolation: nil) == [1])
                for _ in 0..<10 {
                    #expect(StoredValue<[Int]>(key: "a", default: [], storage: storage).wrappedValue == [1])
                    #expect(list.wrappedValue == [1])
                }
                let refused = StoredValue(key: "b", default: 1, validate: { _ in throw TooSmall() }, storage: storage)
                #expect(refused.wrappedValue == 1 && refused.wrappedValue == 1)
                let newer = StoredValue(key: "c", default: 1, storage: storage)
                #expect(newer.wrappedValue == 1)
                newer.set(2)
                newer.set(2)
                let lines = RecordingLogHandler.lines.withLock { $0 }
                try #require(lines.count { $0.contains("\"a\" in \"\(path)\": \"[1]\" was left out") } == 1)
                try #require(lines.count { $0.contains("\"a\" in \"\(path)\": \"[2]\" was left out") } == 1)
                try #require(lines.count { $0.contains("\"b\"") && $0.contains("TooSmall") } == 1)
                try #require(lines.count { $0.contains("\"c\" in \"\(path)\": The value was taken from the default: a newer version") } == 1)
                try #require(lines.count { $0.contains("\"c\" in \"\(path)\" was not changed") } == 1)
                try #require(lines.count == 5)

                list.set([])
                try #"{"a": ["x"]}"#.write(toFile: path, atomically: false, encoding: .utf8)
                StoredValue(key: "d", default: 0, storage: storage).set(1)  // reads the file again
                #expect(list.wrappedValue == [])
                try #require(RecordingLogHandler.lines.withLock { $0 }.count == 6)
            }
        }
    }
}
