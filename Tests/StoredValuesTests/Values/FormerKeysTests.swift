import Foundation
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

/// A type whose second version doubled its numbers.
private struct Amount: VersionedItem, Equatable {
    static let version = 2
    var number = 0
    static func migrate(_ json: inout JSONValue, from version: Int) {
        guard version == 1 else { return }
        json["number"] = json["number"]?.intValue.map { JSONValue($0 * 2) }
    }
}

@Suite("Former keys", .hangLimit)
struct FormerKeysTests {}

extension FormerKeysTests {
    private func write(_ text: String, _ path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    private func number(_ storage: PreferencesFile, _ formerKeys: String...) -> StoredValue<Int> {
        StoredValue(key: "new", default: 0, formerKeys: formerKeys, storage: storage)
    }

    @Test("Of several former keys the first that has a value gives it", arguments: [(["b", "c"], 2), (["c", "b"], 3), (["x", "c", "b"], 3)])
    func order(formerKeys: [String], expected: Int) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"b": 2, "c": 3}"#, path)
            let value = StoredValue(key: "new", default: 0, formerKeys: formerKeys, storage: .ofAnotherProcess(path))
            #expect(value.wrappedValue == expected)
            #expect(number(.ofAnotherProcess(path)).wrappedValue == expected)
        }
    }

    @Test("A value under the key itself wins, and the former one is left alone")
    func bothPresent() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let text = #"{"new": 1, "old": 2}"#
            try write(text, path)
            #expect(number(.ofAnotherProcess(path), "old").wrappedValue == 1)
            #expect(try contents(ofFile: path) == text)
        }
    }

    @Test("A value that was moved and then removed does not come back from any former key")
    func forGood() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"old": 2, "older": 3}"#, path)
            let value = number(.ofAnotherProcess(path), "old", "older")
            #expect(value.wrappedValue == 2)
            value.reset()
            #expect(value.wrappedValue == 0 && !value.isStored)
            #expect(number(.ofAnotherProcess(path), "old", "older").wrappedValue == 0)
            #expect(try contents(ofFile: path) == "{\n}\n")
        }
    }

    @Test("A stored nil moves too")
    func storedNil() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"old": null}"#, path)
            let value = StoredValue<Int?>(key: "new", default: 5, formerKeys: ["old"], storage: .ofAnotherProcess(path))
            #expect(value.wrappedValue == nil && value.isStored)
        }
    }

    @Test("A second process finds what the first has moved, and does not move again")
    func secondProcess() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"old": 2}"#, path)
            let first = PreferencesFile.ofAnotherProcess(path), second = PreferencesFile.ofAnotherProcess(path)
            #expect(first.keys == ["old"] && second.keys == ["old"])
            number(first, "old").set(3)
            // It may still believe that "old" is there; under the lock it sees that it is not.
            try await eventually("the first one's value") { number(second, "old").wrappedValue == 3 }
            #expect(number(.ofAnotherProcess(path), "old").wrappedValue == 3)
        }
    }

    @Test("Where the file cannot be written the value is read all the same, and moves when it can")
    func unwritable() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let text = #"{"old": 2}"#
            try write(text, path)
            let operations = FaultyFileOperations(failing: ["lock": .accessDenied])
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations)
            let value = number(storage, "old")
            #expect(value.wrappedValue == 2 && storage.keys == ["new"])
            #expect(try contents(ofFile: path) == text)
            await #expect(throws: PreferencesError.self) { try await storage.flush() }
            operations.fail("lock", with: nil)
            try await storage.flush()
            #expect(PreferencesFile.ofAnotherProcess(path).keys == ["new"])
        }
    }

    @Test("A move that waited does not overwrite what another process moved and changed, or wrote to the former key")
    func pendingMove() async throws {
        try await withTemporaryFolder { folder in
            // None is as long as ours: on an older kernel nothing else may tell them apart.
            for (theirs, expected) in [(#"{"new":  7}"#, (7, ["new"])), (#"{"old":  8}"#, (2, ["new", "old"])), (#"{"new": 7, "old": 8}"#, (7, ["new", "old"]))] {
                let path = folder + "/p.json"
                try write(#"{"old": 2}"#, path)
                let operations = FaultyFileOperations(failing: ["rename": .noSpace])
                let storage = PreferencesFile.ofAnotherProcess(path, operations: operations)
                let value = number(storage, "old")
                #expect(value.wrappedValue == 2)
                try write(theirs, path)
                operations.fail("rename", with: nil)
                try await storage.flush()
                #expect(value.wrappedValue == expected.0, "\(theirs)")
                #expect(PreferencesFile.ofAnotherProcess(path).keys == expected.1, "\(theirs)")
            }
        }
    }

    @Test("Reading a default takes no lock when no former key has a value")
    func noLock() throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            let storage = PreferencesFile.ofAnotherProcess(folder + "/new/p.json", operations: operations)
            #expect(number(storage, "old").wrappedValue == 0)
            #expect(!operations.calls.contains("lock") && !operations.calls.contains("makeFolder"))
        }
    }

    @Test("In a batch a value moves with the batch's other changes")
    func batch() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"old": 2}"#, path)
            let operations = FaultyFileOperations()
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations, syncDelay: .seconds(3600))
            storage.batch {
                let value = number(storage, "old")
                #expect(value.wrappedValue == 2)
                value.update { $0 += 1 }
            }
            #expect(operations.calls.count { $0 == "rename" } == 1)
            #expect(try contents(ofFile: path) == "{\n  \"new\": 3\n}\n")
        }
    }

    @Test("A wrapper of the former key sees the value disappear, and has its own again when it sets one")
    func declaredElsewhere() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"old": 2}"#, path)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let old = StoredValue(key: "old", default: -1, storage: storage)
            #expect(old.wrappedValue == 2)
            let value = number(storage, "old")
            #expect(value.wrappedValue == 2)
            #expect(old.wrappedValue == -1 && !old.isStored)
            old.set(9)
            #expect(value.wrappedValue == 2 && old.wrappedValue == 9)
            #expect(number(.ofAnotherProcess(path), "old").wrappedValue == 2)
            #expect(storage.keys == ["new", "old"])
        }
    }

    @Test("Observers of the former key are notified of a move inside an update when that is written")
    func observedMoveInsideUpdate() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"old": 2}"#, path)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let old = StoredValue(key: "old", default: -1, storage: storage)
            let notices = Guarded(0)
            withObservationTracking {
                _ = old.wrappedValue
            } onChange: {
                notices.withLock { $0 += 1 }
            }
            StoredValue(key: "sum", default: 0, storage: storage).update { sum in
                sum += number(storage, "old").wrappedValue
                #expect(notices.withLock { $0 } == 0)
            }
            #expect(notices.withLock { $0 } == 1)
            #expect(try contents(ofFile: path) == "{\n  \"new\": 2,\n  \"sum\": 2\n}\n")
        }
    }

    @Test("The version moves along, so that the value is migrated from where it was")
    func versions() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"old": {"number": 4}, "$versions": {"old": 1, "other": 7}}"#, path)
            let value = StoredValue(key: "new", default: Amount(), formerKeys: ["old"], storage: .ofAnotherProcess(path))
            #expect(value.wrappedValue == Amount(number: 8))
            let written = try JSONValue(parsing: Array(contents(ofFile: path).utf8))
            #expect(written == ["new": ["number": 4], "$versions": ["new": 1, "other": 7]])
        }
    }

    @Test("What a newer version wrote under a former key stays there, whatever is done to the key")
    func newer() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let text = #"{"old": {"number": 4}, "$versions": {"old": 3}}"#
            try write(text, path)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let value = StoredValue(key: "new", default: Amount(), formerKeys: ["old"], storage: storage)
            #expect(value.wrappedValue == Amount() && !value.isStored)
            #expect(try contents(ofFile: path) == text)
            value.set(Amount(number: 1))
            value.reset()
            try await storage.flush()
            let written = try JSONValue(parsing: Array(contents(ofFile: path).utf8))
            #expect(written == ["old": ["number": 4], "$versions": ["old": 3]])
        }
    }

    @Test("A refused reset leaves the former keys too")
    func refusedReset() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let text = #"{"new": 1, "old": 2, "$versions": {"new": 3}}"#
            try write(text, path)
            number(.ofAnotherProcess(path), "old").reset()
            #expect(try contents(ofFile: path) == text)
        }
    }

    @Test("Many threads that use the wrapper first at once see one value")
    func race() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"old": 2}"#, path)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let value = number(storage, "old")
            let seen = await withTaskGroup(of: Int.self) { group in
                for task in 0..<16 { group.addTask { task % 2 == 0 ? value.wrappedValue : number(storage, "old").wrappedValue } }
                return await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(seen == [2])
        }
    }
}
