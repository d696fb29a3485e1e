import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Keys", .hangLimit)
struct PreferencesKeyTests {
    /// Both are "é"; Swift takes them for equal, JSON does not.
    private let composed = "\u{E9}", decomposed = "e\u{301}"
}

extension PreferencesKeyTests {
    @Test("Keys that look alike are two keys, in memory as in the file")
    func lookalikes() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations()
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations)
            let a = StoredValue(key: composed, default: 0, storage: storage)
            let b = StoredValue(key: decomposed, default: 0, storage: storage)
            a.set(1)
            b.set(2)
            #expect(a.wrappedValue == 1 && b.wrappedValue == 2)
            operations.fail("rename", with: .noSpace)
            a.set(3)
            b.set(4)
            operations.fail("rename", with: nil)
            try await storage.flush()
            #expect(a.wrappedValue == 3 && b.wrappedValue == 4)
            let other = PreferencesFile.ofAnotherProcess(path)
            #expect(StoredValue(key: composed, default: 0, storage: other).wrappedValue == 3)
            #expect(StoredValue(key: decomposed, default: 0, storage: other).wrappedValue == 4)
            other.batch {
                StoredValue(key: composed, default: 0, storage: other).set(5)
                StoredValue(key: decomposed, default: 0, storage: other).reset()
            }
            b.reset()
            #expect(a.wrappedValue == 5 && !b.isStored)
            #expect(storage.keys.map { Array($0.utf8) } == [Array(composed.utf8)])
        }
    }

    @Test("Files whose paths look alike are two files, and so are folders on the way")
    func files() throws {
        try withTemporaryFolder { folder in
            for name in ["p-%.json", "%/p.json"] {
                let paths = [composed, decomposed].map { "\(folder)/\(name.replacing("%", with: $0))" }
                let values = paths.map { StoredValue(key: "n", default: 0, storage: PreferencesFile(path: $0)) }
                values[0].set(1)
                values[1].set(2)
                #expect(values.map(\.wrappedValue) == [1, 2])
                for (path, number) in zip(paths, [1, 2]) {
                    let text = try contents(ofFile: path)
                    #expect(text.contains("\(number)"))
                }
            }
        }
    }

    @Test("A text of another form is another value, and is yielded")
    func values() async throws {
        #expect(JSONValue.string(composed) != .string(decomposed))
        #expect(JSONValue.object([composed: 1]) != .object([decomposed: 1]))
        #expect(JSONValue.object([composed: [1, .null, true]]) == .object([composed: [1, .null, true]]))
        #expect(JSONValue.object([composed: 1]) != .object([composed: 1, "b": 1]))
        #expect(JSONValue.object([composed: 1]) != .object(["b": 1]) && JSONValue.array([1]) != .array([1, 1]))
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let name = StoredValue(key: "name", default: "", storage: storage)
            let collector = Collector(name.values)
            name.set(composed)
            PreferencesFile.ofAnotherProcess(storage.path).set("name", to: .string(decomposed))
            try await eventually("the other form is told") { collector.elements.last.map { Array($0.utf8) } == Array(decomposed.utf8) }
        }
    }

    @Test("Keys that look alike have versions of their own")
    func versions() {
        let (composed, decomposed) = (PreferencesKey(composed), PreferencesKey(decomposed))
        var versions = MemberVersions()
        #expect(versions.note(3, of: composed) && versions.note(1, of: decomposed))
        var read = MemberVersions(parsing: versions.text ?? [])
        #expect(read[composed] == 3 && read[decomposed] == 1)
        #expect(read.forget(decomposed) && read[composed] == 3 && read[decomposed] == 0)
        #expect(read.text == Array("{\n    \"\(composed.text)\": 3\n  }".utf8))
    }

    @Test("A key belongs to the library by its first byte")
    func reserved() {
        #expect("$\u{301}x".isReservedKey && "$".isReservedKey && !"".isReservedKey && !"x$".isReservedKey)
    }
}
