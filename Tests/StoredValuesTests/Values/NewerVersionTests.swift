import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

/// The old program's type. It must never see what the new one wrote.
private struct Old: VersionedItem, Equatable {
    static let version = 1
    static let decodings = Guarded(0)
    var number = 0

    init(number: Int = 0) { self.number = number }
    init(from decoder: any Decoder) throws {
        Self.decodings.withLock { $0 += 1 }
        number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
    }
    static func migrate(_ json: inout JSONValue, from version: Int) {}
}

/// The same in the new program.
private struct New: VersionedItem, Equatable {
    static let version = 2
    var number = 0
    static func migrate(_ json: inout JSONValue, from version: Int) {}
}

@Suite("What a newer version wrote", .hangLimit)
struct NewerVersionTests {}

extension NewerVersionTests {
    private static let newer =
        #"{"a": {"number": 5}, "flag": true, "list": [1], "map": {"x": 1}, "other": 1, "#
        + #""$versions": {"a": 2, "flag": 1, "list": 1, "map": 1e30}}"#

    private func withNewerFile(_ body: (String, PreferencesFile) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try Self.newer.write(toFile: path, atomically: false, encoding: .utf8)
            try await body(path, .ofAnotherProcess(path))
        }
    }

    @Test("Is never decoded: at a start the default is read, it counts as stored, and repairs says why")
    func reading() throws {
        struct Untouchable: VersionedItem {
            static let version = 1
            static let touched = Guarded(false)
            init() {}
            init(from decoder: any Decoder) { Self.touched.withLock { $0 = true } }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
            }
            static func migrate(_ json: inout JSONValue, from version: Int) { touched.withLock { $0 = true } }
        }
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"a": 5, "$versions": {"a": 2}}"#.write(toFile: path, atomically: false, encoding: .utf8)
            for decoding in [DecodingStrategy.lenient, .strict] {
                let value = StoredValue(key: "a", default: Untouchable(), decoding: decoding, storage: .ofAnotherProcess(path))
                _ = value.wrappedValue
                #expect(value.isStored)
                #expect(value.repairs.map(\.path) == [""] && value.repairs.map(\.action) == [.usedDefault])
                #expect(value.repairs.first?.reason.contains("its version is 2, this program knows up to 1") == true)
                value.update { _ in }
            }
            #expect(!Untouchable.touched.withLock { $0 })
            #expect(try contents(ofFile: path) == #"{"a": 5, "$versions": {"a": 2}}"#)
        }
    }

    @Test(
        "Is left alone by every change, which flush then throws once",
        arguments: ["set", "update", "set(_:to:)", "reset", "toggle", "append", "replace", "togglePresence", "update(key:value:)"])
    func refusal(call: String) async throws {
        try await withNewerFile { path, storage in
            let value = StoredValue(key: "a", default: Old(number: 7), storage: storage)
            let flag = StoredValue(key: "flag", default: false, storage: storage)
            let list = StoredValue(key: "list", default: [9], storage: storage)
            let map = StoredValue(key: "map", default: ["d": 1], storage: storage)
            switch call {
            case "set": value.set(Old(number: 1))
            case "update":
                #expect(
                    value.update {
                        $0.number += 1; return $0.number
                    } == 8, "the closure gets the default")
            case "set(_:to:)": value.set(\.number, to: 3)
            case "reset": value.reset()
            case "toggle": flag.toggle()
            case "append": list.append(2)
            case "replace": list.replace(9, with: 3)
            case "togglePresence": list.togglePresence(9)
            default: map.update(key: "y", value: 1)
            }
            #expect(value.wrappedValue == Old(number: 7) && !flag.wrappedValue && list.wrappedValue == [9] && map.wrappedValue == ["d": 1])
            #expect(try contents(ofFile: path) == Self.newer)
            let error = await #expect(throws: PreferencesError.self) { try await storage.flush() }
            guard case .newerVersion(let key, path, let stored, let supported) = try #require(error) else {
                Issue.record("\(String(describing: error))")
                return
            }
            let isOld = ["set", "update", "set(_:to:)", "reset"].contains(call)
            #expect(key == (isOld ? "a" : call == "toggle" ? "flag" : call == "update(key:value:)" ? "map" : "list"))
            #expect(supported == (isOld ? 1 : 0) && stored == (isOld ? 2 : key == "map" ? .max : 1))
            try await storage.flush()
        }
    }

    @Test("Is replaced by set(_:overwritingNewer:), with the version of the type that sets it")
    func overwriting() async throws {
        try await withNewerFile { path, storage in
            let value = StoredValue(key: "a", default: Old(), storage: storage)
            value.set(Old(number: 3), overwritingNewer: true)
            value.update { $0.number += 1 }
            StoredValue(key: "flag", default: false, storage: storage).set(false, overwritingNewer: true)
            try await storage.flush()
            let again = PreferencesFile.ofAnotherProcess(path)
            #expect(StoredValue(key: "a", default: Old(), storage: again).wrappedValue == Old(number: 4))
            let flag = StoredValue(key: "flag", default: true, storage: again)
            #expect(!flag.wrappedValue && flag.repairs.isEmpty)
            let versions = try JSONValue(parsing: Array(contents(ofFile: path).utf8))["$versions"]
            #expect(versions?["a"] == 1 && versions?["flag"] == nil)
        }
    }

    @Test("Is seen even if it was written after this process read the file")
    func decidedUnderLock() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path)
            let old = StoredValue(key: "a", default: Old(number: 7), storage: storage)
            old.set(Old(number: 1))
            var values = old.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == Old(number: 1))
            StoredValue(key: "a", default: New(), storage: .ofAnotherProcess(path)).set(New(number: 2))
            old.update { $0.number += 1 }
            #expect(old.wrappedValue == Old(number: 1), "the last value that this program knows stays in use")
            #expect(old.repairs.map(\.action) == [.usedLastGood])
            #expect(StoredValue(key: "a", default: New(), storage: .ofAnotherProcess(path)).wrappedValue == New(number: 2))
            old.set(Old(number: 3), overwritingNewer: true)
            #expect(await values.next(isolation: nil) == Old(number: 3), "a stream had no news in between")
            await #expect(throws: PreferencesError.newerVersion(key: "a", path: path, stored: 2, supported: 1)) {
                try await storage.flush()
            }
        }
    }

    @Test("Is not overwritten by a change that waited to be written", arguments: [false, true])
    func pending(isRemoval: Bool) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations()
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations)
            let old = StoredValue(key: "a", default: Old(number: 7), storage: storage)
            let other = StoredValue(key: "b", default: 0, storage: storage)
            old.set(Old(number: 1))
            operations.fail("rename", with: .noSpace)
            if isRemoval { old.reset() } else { old.set(Old(number: 3)) }
            other.set(1)
            StoredValue(key: "a", default: New(), storage: .ofAnotherProcess(path)).set(New(number: 2))
            operations.fail("rename", with: nil)
            await #expect(throws: PreferencesError.newerVersion(key: "a", path: path, stored: 2, supported: 1)) {
                try await storage.flush()
            }
            try await storage.flush()
            #expect(old.wrappedValue == Old(number: isRemoval ? 7 : 3), "what was in use stays in use")
            #expect(old.isStored && other.wrappedValue == 1)
            let again = PreferencesFile.ofAnotherProcess(path)
            #expect(StoredValue(key: "a", default: New(), storage: again).wrappedValue == New(number: 2))
            #expect(StoredValue(key: "b", default: 0, storage: again).wrappedValue == 1)
        }
    }

    @Test("Is overwritten by a change that waited to be written, if that was told to, and by those that followed it")
    func pendingOverwriting() async throws {
        try await withNewerFile { path, _ in
            let operations = FaultyFileOperations(failing: ["rename": .noSpace])
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations)
            let old = StoredValue(key: "a", default: Old(number: 7), storage: storage)
            old.set(Old(number: 3), overwritingNewer: true)
            old.update { $0.number += 1 }
            StoredValue(key: "other", default: 0, storage: .ofAnotherProcess(path)).set(2)
            operations.fail("rename", with: nil)
            try await storage.flush()
            #expect(StoredValue(key: "a", default: Old(), storage: .ofAnotherProcess(path)).wrappedValue == Old(number: 4))
        }
    }

    @Test("Does not keep a batch from its other changes")
    func batch() async throws {
        try await withNewerFile { path, storage in
            let old = StoredValue(key: "a", default: Old(number: 7), storage: storage)
            let other = StoredValue(key: "other", default: 0, storage: storage)
            storage.batch {
                old.set(Old())
                other.set(9)
                #expect(old.wrappedValue == Old(number: 7))
            }
            await #expect(throws: PreferencesError.newerVersion(key: "a", path: path, stored: 2, supported: 1)) {
                try await storage.flush()
            }
            let again = PreferencesFile.ofAnotherProcess(path)
            #expect(StoredValue(key: "other", default: 0, storage: again).wrappedValue == 9)
            #expect(StoredValue(key: "a", default: New(), storage: again).wrappedValue == New(number: 5))
        }
    }

    @Test("A version without its value protects nothing, and what is then set is not taken for newer")
    func versionWithoutValue() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"$versions": {"a": 9, "b": 9}}"#.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile.ofAnotherProcess(path)
            StoredValue(key: "a", default: Old(), storage: storage).set(Old(number: 1))
            StoredValue(key: "b", default: 0, storage: storage).set(1)
            try await storage.flush()
            let again = PreferencesFile.ofAnotherProcess(path)
            #expect(StoredValue(key: "a", default: Old(), storage: again).wrappedValue == Old(number: 1))
            #expect(StoredValue(key: "b", default: 0, storage: again).wrappedValue == 1)
        }
    }

    @Test("The error says what happened, where, and what to do")
    func sentence() {
        let error = PreferencesError.newerVersion(key: "editor", path: "/p.json", stored: 5, supported: 3)
        #expect(
            error.description
                == #""editor" in "/p.json" was not changed: a newer version of the program wrote it (its version is 5, this program knows up to 3). Update the program."#
        )
        #expect(error.debugDescription.contains("set(_:overwritingNewer: true)"))
        #expect(PreferencesError.newerVersion(key: "a", path: "b", stored: 1, supported: 0).description.contains("knows none"))
    }
}
