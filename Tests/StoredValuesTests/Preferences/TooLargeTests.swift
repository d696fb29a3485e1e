import Foundation
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

/// With a small limit; the real one is that of `HugeFileTests`.
@Suite("Values that do not fit into a file", .hangLimit)
struct TooLargeTests {
    private let limit = 10_000
}

extension TooLargeTests {
    private func open(_ path: String, _ operations: FileOperations = .posix) -> PreferencesFile {
        .ofAnotherProcess(path, operations: operations, sizeLimit: limit)
    }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private func expectRefusal(of key: String, in storage: PreferencesFile) async throws {
        await #expect(throws: PreferencesError.tooLarge(key: key, path: storage.path, limit: limit)) { try await storage.flush() }
        try await storage.flush()
    }

    @Test("One that is larger than the limit is refused by itself, set and updated; all others go on being written")
    func single() async throws {
        try await withTemporaryFolder { folder in
            let storage = open(folder + "/p.json")
            let n = StoredValue(key: "n", default: 0, storage: storage), s = StoredValue(key: "s", default: "", storage: storage)
            s.set("old")
            s.set(text(limit))
            #expect(s.wrappedValue == "old")
            n.set(1)
            #expect(try contents(ofFile: storage.path) == "{\n  \"n\": 1,\n  \"s\": \"old\"\n}\n")
            try await expectRefusal(of: "s", in: storage)
            s.update { $0 += text(limit) }
            storage.set("s", to: .string(text(limit)))
            #expect(s.wrappedValue == "old")
            n.set(2)
            #expect(try contents(ofFile: storage.path).contains("\"n\": 2"))
            try await expectRefusal(of: "s", in: storage)
        }
    }

    @Test("In a file that only its layout makes too large, a change that does not enlarge it is refused, too: it could never be written")
    func layout() async throws {
        try await withTemporaryFolder { folder in
            let storage = open(folder + "/p.json"), members = (0..<1000).map { #""a\#($0)":0"# }
            try "{\(members.joined(separator: ","))}".write(toFile: storage.path, atomically: false, encoding: .utf8)
            let before = try contents(ofFile: storage.path)
            #expect(before.utf8.count < limit)
            let value = StoredValue(key: "a1", default: 0, storage: storage)
            value.set(1)
            #expect(value.value == 0)
            #expect(try contents(ofFile: storage.path) == before)
            try await expectRefusal(of: "a1", in: storage)
            storage.batch { for number in 100..<1000 { StoredValue(key: "a\(number)", default: 0, storage: storage).reset() } }
            value.set(1)
            #expect(value.value == 1 && PreferencesFile.ofAnotherProcess(storage.path).keys.count == 100)
        }
    }

    @Test("Of several that exceed it together, what came first stays")
    func together() async throws {
        try await withTemporaryFolder { folder in
            let storage = open(folder + "/p.json")
            let values = (0..<4).map { StoredValue(key: "s\($0)", default: "", storage: storage) }
            let item = text(limit / 3 + 100)
            for value in values[..<3] { value.set(item) }
            values[3].set("small")
            values[0].set("smaller")
            values[3].set(item)
            #expect(values.map(\.wrappedValue.utf8.count) == [7, item.utf8.count, 0, item.utf8.count])
            let file = PreferencesFile.ofAnotherProcess(storage.path)
            #expect(file.keys == ["s0", "s1", "s3"])
            try await expectRefusal(of: "s2", in: storage)
            values[2].set(item)
            #expect(values[2].wrappedValue == "")
            values[1].reset()
            values[2].set(item)
            #expect(PreferencesFile.ofAnotherProcess(storage.path).keys == ["s0", "s2", "s3"])
        }
    }

    @Test("A batch that exceeds it is refused as a whole; one that exceeds it only on the way is made")
    func batch() async throws {
        try await withTemporaryFolder { folder in
            let storage = open(folder + "/p.json")
            let values = (0..<4).map { StoredValue(key: "s\($0)", default: "", storage: storage) }
            let item = text(limit / 3 + 100)
            values[0].set("old")
            storage.batch {
                for value in values[..<2] { value.set(item) }
                values[2].set(item + "x")
                values[3].set("small")
                let counts: [Int] = [item.count, item.count, item.count + 1, 5]
                #expect(values.map(\.wrappedValue.count) == counts)
            }
            #expect(values.map(\.wrappedValue) == ["old", "", "", ""])
            #expect(PreferencesFile.ofAnotherProcess(storage.path).keys == ["s0"])
            try await expectRefusal(of: "s2", in: storage)
            storage.batch {
                for value in values { value.set(item) }
                for value in values[..<3] { value.set("small") }
            }
            #expect(PreferencesFile.ofAnotherProcess(storage.path).keys == ["s0", "s1", "s2", "s3"])
            #expect(values[3].wrappedValue == item)
            try await storage.flush()
        }
    }

    @Test("The size is counted to the byte, whatever the name and the version")
    func exact() async throws {
        try await withTemporaryFolder { folder in
            let storage = open(folder + "/p.json")
            let key = "\u{1}\"é"
            let s = StoredValue(key: key, default: "", storage: storage)
            let rest = limit - "{\n  \"\\u0001\\\"é\": \"\"\n}\n".utf8.count
            s.set(text(rest + 1))
            #expect(!s.isStored)
            // Where nothing was stored, room for a comma is asked for, too.
            s.set(text(rest - 1))
            s.set(text(rest))
            #expect(try contents(ofFile: storage.path).utf8.count == limit)
            #expect(PreferencesFile.ofAnotherProcess(storage.path).keys == [key])
            StoredValue(key: "n", default: 0, storage: storage).set(1)
            #expect(storage.keys == [key])
            let refusals = [key, "n"].map { PreferencesError.tooLarge(key: $0, path: storage.path, limit: limit) }
            await #expect(throws: PreferencesError.several(refusals)) { try await storage.flush() }
            try await storage.flush()
        }
    }

    @Test("What waited to be written and does not fit over what is read then is refused, and the rest is written")
    func pending() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations(failing: ["rename": .noSpace])
            let storage = open(path, operations)
            let s = StoredValue(key: "s", default: "", storage: storage), n = StoredValue(key: "n", default: 0, storage: storage)
            n.set(1)
            s.set(text(limit / 2))
            #expect(s.isStored && n.wrappedValue == 1)
            StoredValue(key: "theirs", default: "", storage: .ofAnotherProcess(path)).set(text(limit / 2))
            operations.fail("rename", with: nil)
            await #expect(throws: PreferencesError.tooLarge(key: "s", path: storage.path, limit: limit)) { try await storage.flush() }
            try await storage.flush()
            #expect(n.wrappedValue == 1 && s.wrappedValue == "")
            #expect(PreferencesFile.ofAnotherProcess(path).keys == ["n", "theirs"])
        }
    }

    @Test("A former key's value moves as a whole or stays, and an import that does not fit takes nothing")
    func transactions() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let file = "{\n  \"a\": \"\(text(limit - 16))\"\n}\n"
            try file.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = open(path)
            #expect(StoredValue(key: "longer", default: "", formerKeys: ["a"], storage: storage).wrappedValue == "")
            try await expectRefusal(of: "longer", in: storage)
            #expect(storage.keys == ["a"])
            let list = Data("<plist><dict><key>zoom</key><integer>2</integer></dict></plist>".utf8)
            try list.write(to: URL(fileURLWithPath: folder + "/old.plist"))
            let error = #expect(throws: PreferencesError.self) { try storage.importUserDefaults(at: folder + "/old.plist") }
            #expect(error?.description.contains("would be larger than") == true)
            StoredValue(key: "a", default: "", storage: storage).reset()
            #expect(try storage.importUserDefaults(at: folder + "/old.plist").status == .done)
        }
    }
}
