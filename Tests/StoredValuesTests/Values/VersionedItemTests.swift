import Foundation
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

/// Notes the steps of its migration.
private struct Logbook: VersionedItem, Equatable {
    static let version = 3
    var steps: [Int] = []

    static func migrate(_ json: inout JSONValue, from version: Int) {
        json["steps"] = .array((json["steps"]?.arrayValue ?? []) + [JSONValue(version)])
    }
}

@Suite("VersionedItem", .hangLimit)
struct VersionedItemTests {}

extension VersionedItemTests {
    private func write(_ text: String, _ path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test(
        "Migration goes step by step, from the stored version or from 0",
        arguments: [
            ("", [0, 1, 2]), (#", "$versions": {"a": 0}"#, [0, 1, 2]), (#", "$versions": {"a": 1.0}"#, [1, 2]),
            (#", "$versions": {"a": 2}"#, [2]), (#", "$versions": {"a": 3}"#, []),
        ])
    func steps(versions: String, expected: [Int]) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let text = #"{"a": {"steps": []}\#(versions)}"#
            try write(text, path)
            let value = StoredValue(key: "a", default: Logbook(steps: [9]), storage: .ofAnotherProcess(path))
            #expect(value.wrappedValue.steps == expected)
            #expect(value.repairs.isEmpty)
            #expect(try contents(ofFile: path) == text)
        }
    }

    @Test("Every change writes the version with the value, in one replacement; reset removes both")
    func written() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations()
            // The durable copy, which is another replacement, comes when this is over.
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations, syncDelay: .seconds(3600))
            let value = StoredValue(key: "a", default: Logbook(), storage: storage)
            let list = StoredValue(key: "list", default: [Logbook](), storage: storage)
            let optional = StoredValue<Logbook?>(key: "o", default: nil, storage: storage)
            func expectVersion(of key: String, _ call: String, after change: () -> Void) throws {
                let before = operations.calls.count { $0 == "rename" }
                change()
                #expect(operations.calls.count { $0 == "rename" } == before + 1, "\(call)")
                let document = try PreferencesDocument(parsing: Array(contents(ofFile: path).utf8))
                #expect(document.stored(PreferencesKey(key))?.version == 3, "\(call)")
            }
            try expectVersion(of: "a", "set") { value.set(Logbook(steps: [1])) }
            value.reset()
            try expectVersion(of: "a", "update") { value.update { $0.steps.append(2) } }
            value.reset()
            try expectVersion(of: "a", "set(_:to:)") { value.set(\.steps, to: [4]) }
            value.reset()
            try expectVersion(of: "list", "append") { list.append(Logbook()) }
            try expectVersion(of: "list", "togglePresence") { list.togglePresence(Logbook(steps: [1])) }
            list.reset()
            try expectVersion(of: "o", "set of an optional") { optional.set(Logbook()) }
            try expectVersion(of: "o", "set of a nil") { optional.set(nil) }
            optional.reset()
            #expect(try contents(ofFile: path) == "{\n}\n")
        }
    }

    @Test("The file looks hand-written, and keys does not include the versions")
    func text() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path)
            StoredValue(key: "a", default: Logbook(), storage: storage).set(Logbook())
            let written = try contents(ofFile: path)
            #expect(written == "{\n  \"$versions\": {\n    \"a\": 3\n  },\n  \"a\": {\n    \"steps\": []\n  }\n}\n")
            #expect(storage.keys == ["a"])
        }
    }

    @Test("Storing the very JSON that an older version stored still stores the version")
    func sameText() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write("{\n  \"a\": null\n}\n", path)
            let storage = PreferencesFile.ofAnotherProcess(path)
            StoredValue<Logbook?>(key: "a", default: nil, storage: storage).set(nil)
            #expect(try contents(ofFile: path).contains("\"a\": 3"))
        }
    }

    @Test("Versions of undeclared keys survive unchanged, and so do entries that are not versions")
    func foreignEntries() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"$versions": {"other": 7, "odd": "x", "exact": 1.50}, "other": 1, "plain": 2}"#, path)
            let storage = PreferencesFile.ofAnotherProcess(path)
            StoredValue(key: "plain", default: 0, storage: storage).set(3)
            #expect(try contents(ofFile: path).contains(#""$versions": {"other": 7, "odd": "x", "exact": 1.50}"#), "not even rewritten")
            StoredValue(key: "a", default: Logbook(), storage: storage).set(Logbook())
            let written = try JSONValue(parsing: Array(contents(ofFile: path).utf8))
            #expect(written["$versions"]?["other"] == 7 && written["$versions"]?["odd"] == "x" && written["$versions"]?["a"] == 3)
            #expect(written["$versions"]?["exact"] == .number(try #require(JSONNumber(text: "1.50"))))
            StoredValue(key: "a", default: Logbook(), storage: storage).reset()
            #expect(try contents(ofFile: path).contains(#""other": 7"#))
        }
    }

    @Test(
        "What someone made of the versions by hand loses no value, and stays until a version is stored",
        arguments: ["5", "[1, 2]", "null", "\"x\"", "true", "{\"a\": \"three\"}", "{\"a\": null}", "{\"a\": {}}", "{\"a\": 1.5}", "{\"a\": -4}"])
    func oddVersions(odd: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"$versions": \#(odd), "a": {"steps": []}, "b": 2}"#, path)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let value = StoredValue(key: "a", default: Logbook(), storage: storage)
            let plain = StoredValue(key: "b", default: 0, storage: storage)
            #expect(value.wrappedValue.steps == [0, 1, 2] && plain.wrappedValue == 2)
            plain.set(3)
            #expect(try contents(ofFile: path).contains(#""$versions": \#(odd),"#))
            value.set(Logbook(steps: [5]))
            let again = PreferencesFile.ofAnotherProcess(path)
            #expect(StoredValue(key: "a", default: Logbook(), storage: again).wrappedValue.steps == [5])
            #expect(StoredValue(key: "b", default: 0, storage: again).wrappedValue == 3)
        }
    }

    @Test("Changes that wait to be written take their versions with them, key by key, over what others wrote meanwhile")
    func pending() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations(failing: ["rename": .noSpace])
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations)
            StoredValue(key: "a", default: Logbook(), storage: storage).set(Logbook(steps: [1]))
            let other = PreferencesFile.ofAnotherProcess(path)
            StoredValue(key: "b", default: Logbook(), storage: other).set(Logbook(steps: [2]))
            operations.fail("rename", with: nil)
            try await storage.flush()
            let again = PreferencesFile.ofAnotherProcess(path)
            for (key, step) in [("a", 1), ("b", 2)] {
                #expect(StoredValue(key: key, default: Logbook(), storage: again).wrappedValue.steps == [step])
            }
        }
    }

    @Test("A stream yields what another process stored in an older version, migrated")
    func stream() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path)
            let value = StoredValue(key: "a", default: Logbook(), storage: storage)
            var values = value.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == Logbook())
            try write(#"{"a": {"steps": []}, "$versions": {"a": 1}}"#, path)
            StoredValue(key: "b", default: 0, storage: storage).set(1)  // reads the file again
            #expect(await values.next(isolation: nil) == Logbook(steps: [1, 2]))
            try write(#"{"a": {"steps": []}, "$versions": {"a": 2}}"#, path)
            StoredValue(key: "b", default: 0, storage: storage).set(2)
            #expect(await values.next(isolation: nil) == Logbook(steps: [2]), "the same JSON in another version is another value")
        }
    }

    @Test("An update works on the migrated value and stores it in the type's version")
    func update() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(#"{"a": {"steps": []}}"#, path)
            StoredValue(key: "a", default: Logbook(), storage: .ofAnotherProcess(path)).update { $0.steps.append(100) }
            let again = StoredValue(key: "a", default: Logbook(), storage: .ofAnotherProcess(path))
            #expect(again.wrappedValue.steps == [0, 1, 2, 100])
        }
    }

    @Test("A version of 10,000 keys is read once, not with each value")
    func manyVersions() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let members = (0..<10_000).map { #""k\#($0)": {"steps": []}"# }.joined(separator: ",")
            let versions = (0..<10_000).map { #""k\#($0)": 2"# }.joined(separator: ",")
            try write(#"{"$versions": {\#(versions)}, \#(members)}"#, path)
            let storage = PreferencesFile.ofAnotherProcess(path)
            // Parsing 10,000 versions 10,000 times takes minutes.
            for key in 0..<10_000 {
                let value = StoredValue(key: "k\(key)", default: Logbook(), storage: storage)
                if value.wrappedValue.steps != [2] { Issue.record("k\(key)") }
            }
        }
    }
}
