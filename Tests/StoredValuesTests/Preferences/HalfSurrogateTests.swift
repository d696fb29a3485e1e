import Foundation
import Testing

@testable import StoredValues

/// Python's `json` and others write texts that are no text: an unpaired surrogate, as in `"\ud800"`.
@Suite("An unpaired surrogate", .hangLimit)
struct HalfSurrogateTests {
    private let file = #"{"bad": {"a": "\ud800", "b": 1}, "good": 7, "\udc00 name": [1.50], "z": "\ud83d\ude00"}"#
}

extension HalfSurrogateTests {
    @Test("It costs the value that it stands in: the default is read, the repair says why, and all others are read")
    func reading() throws {
        try withTemporaryFolder { folder in
            try file.write(toFile: folder + "/p.json", atomically: false, encoding: .utf8)
            let storage = PreferencesFile(path: folder + "/p.json")
            let bad = StoredValue(key: "bad", default: ["b": "default"], storage: storage)
            #expect(bad.wrappedValue == ["b": "default"] && bad.isStored)
            #expect(bad.repairs.map(\.path) == [""])
            #expect(bad.repairs.first?.reason.contains("an unpaired surrogate") == true)
            #expect(StoredValue(key: "good", default: 0, storage: storage).wrappedValue == 7)
            #expect(StoredValue(key: "z", default: "", storage: storage).wrappedValue == "😀")
            #expect(storage.keys == ["bad", "good", "z"], "no key leads to a name that is no text")
            #expect(try contents(ofFile: folder + "/p.json") == file)
        }
    }

    @Test("Other changes keep its bytes, and so those of a name; setting the value replaces it")
    func writing() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try file.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile(path: path)
            StoredValue(key: "good", default: 0, storage: storage).set(8)
            try await storage.flush()
            let kept = #"""
                {
                  "\udc00 name": [1.50],
                  "bad": {"a": "\ud800", "b": 1},
                  "good": 8,
                  "z": "\ud83d\ude00"
                }

                """#
            #expect(try contents(ofFile: path) == kept)
            let again = PreferencesFile.ofAnotherProcess(path)
            #expect(again.keys == ["bad", "good", "z"])
            let bad = StoredValue(key: "bad", default: ["b": 0], storage: again)
            bad.update { $0["b", default: 0] += 5 }
            #expect(bad.repairs == [] && bad.wrappedValue == ["b": 5])
            try await again.flush()
            #expect(try PreferencesDocument(parsing: Array(contents(ofFile: path).utf8)).unreachableMembers.count == 1)
        }
    }

    @Test("Another such value in its place is a change, and a sound one is read again")
    func live() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try file.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile(path: path)
            let bad = StoredValue(key: "bad", default: ["b": 0], storage: storage)
            #expect(bad.wrappedValue == ["b": 0])
            #expect(!StoredJSON.haveSameMeaning(StoredJSON(json: Array(#""\ud800""#.utf8)), StoredJSON(json: Array(#""\ud801""#.utf8))))
            try #"{"bad": {"b": 2}}"#.write(toFile: path, atomically: false, encoding: .utf8)
            try await eventually("the sound value") { bad.wrappedValue == ["b": 2] && bad.repairs == [] }
        }
    }

    @Test("Of members with such a name each spelling stays, and an edit that touches one is refused")
    func names() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let text = #"{"\ud800": 1, "a": 1, "\uD800": 2, "\u0062": 3}"#
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile(path: path)
            let edit = try storage.beginEdit()
            guard case .notJSON(let why) = edit.commit(Array(#"{"a": 1, "b": 3}"#.utf8)) else { throw Unexpected() }
            #expect(why.contains("an unpaired surrogate"))
            #expect(edit.commit(Array(text.replacing(#""a": 1"#, with: #""a": 4"#).utf8)) == .changed(["a"]))
            #expect(try contents(ofFile: path) == "{\n  \"\\uD800\": 2,\n  \"\\ud800\": 1,\n  \"a\": 4,\n  \"b\": 3\n}\n")
        }
    }

    private struct Unexpected: Error {}
}
