import Foundation
import Logging
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("Validation", .hangLimit)
struct ValidationTests {}

extension ValidationTests {
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
            #expect(value.repairs.allSatisfy { $0.path == "" && $0.action == .usedDefault })
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

    // MARK: Setting

    @Test("What is set is what validation returns, in every operation")
    func setting() async throws {
        struct Window: Codable, Sendable, Equatable { var width = 1, height = 1 }
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path)
            let value = size(storage)
            let plain = StoredValue(key: "size", default: 0, storage: storage)
            value.set(100)
            #expect(value.wrappedValue == 72 && plain.wrappedValue == 72)
            value.update { $0 = 200 }
            #expect(plain.wrappedValue == 72)
            try value.set(checking: 300)
            #expect(plain.wrappedValue == 72)

            let window = StoredValue<Window>(
                key: "window", default: Window(), validate: { Window(width: min($0.width, 10), height: $0.height) }, storage: storage)
            window.set(\.width, to: 50)
            #expect(window.wrappedValue == Window(width: 10, height: 1))
            let list = StoredValue(key: "list", default: [1], validate: { Array($0.suffix(2)) }, storage: storage)
            for number in 2...4 { list.append(number) }
            #expect(list.wrappedValue == [3, 4])
            let flag = StoredValue(key: "flag", default: false, validate: { _ in false }, storage: storage)
            flag.toggle()
            #expect(!flag.wrappedValue && flag.isStored)
            try await storage.flush()
            let again = PreferencesFile.ofAnotherProcess(path)
            #expect(StoredValue(key: "size", default: 0, storage: again).wrappedValue == 72)
            #expect(StoredValue(key: "window", default: Window(), storage: again).wrappedValue == Window(width: 10, height: 1))
            #expect(StoredValue<[Int]>(key: "list", default: [0], storage: again).wrappedValue == [3, 4])
            #expect(!StoredValue(key: "flag", default: true, storage: again).wrappedValue)
        }
    }

    @Test("What validation refuses leaves the old value, and flush says so once", arguments: ["set", "update", "batch", "overwriting"])
    func refusing(call: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path)
            let value = size(storage)
            let other = StoredValue(key: "other", default: 0, storage: storage)
            value.set(30)
            try await storage.flush()
            let before = try contents(ofFile: path)
            switch call {
            case "set": value.set(-1)
            case "update":
                #expect(
                    value.update {
                        $0 = -1; return $0
                    } == -1)
            case "batch":
                storage.batch {
                    value.set(-1)
                    #expect(value.wrappedValue == 30)
                    other.set(1)
                }
            default: value.set(-1, overwritingNewer: true)
            }
            #expect(value.wrappedValue == 30 && other.wrappedValue == (call == "batch" ? 1 : 0))
            if call != "batch" { #expect(try contents(ofFile: path) == before) }
            await #expect(throws: PreferencesError.notValid(key: "size", path: path, reason: "TooSmall()")) { try await value.flush() }
            try await value.flush()
            value.set(-1)
            other.set(2)
            let refusing = StoredValue(key: "third", default: 0, validate: { _ in throw TooSmall() }, storage: storage)
            refusing.set(5)
            let all = ["size", "third"].map { PreferencesError.notValid(key: $0, path: path, reason: "TooSmall()") }
            await #expect(throws: PreferencesError.several(all)) { try await storage.flush() }
            #expect(refusing.wrappedValue == 0 && !refusing.isStored && other.wrappedValue == 2)
        }
    }

    @Test("set(checking:) throws at once what would be refused, and flush does not repeat it")
    func checking() async throws {
        struct Odd: Codable, Sendable {
            func encode(to encoder: any Encoder) throws { throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "odd")) }
        }
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"new": 1, "$versions": {"new": 2}}"#.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile.ofAnotherProcess(path, sizeLimit: 1 << 10)
            let value = size(storage)
            value.set(30)
            #expect(throws: PreferencesError.notValid(key: "size", path: path, reason: "TooSmall()")) { try value.set(checking: -1) }
            #expect(value.wrappedValue == 30)
            try value.set(checking: 40)
            #expect(value.wrappedValue == 40)
            let odd = StoredValue(key: "odd", default: Odd(), storage: storage)
            #expect(throws: PreferencesError.notEncodable(key: "odd", path: path, reason: "odd")) { try odd.set(checking: Odd()) }
            let new = StoredValue(key: "new", default: 0, storage: storage)
            #expect(throws: PreferencesError.newerVersion(key: "new", path: path, stored: 2, supported: 0)) { try new.set(checking: 5) }
            let text = StoredValue(key: "text", default: "", storage: storage)
            let long = String(repeating: "x", count: 2 << 10)
            #expect(throws: PreferencesError.tooLarge(key: "text", path: path, limit: 1 << 10)) { try text.set(checking: long) }
            storage.batch {
                #expect(throws: PreferencesError.self) { try text.set(checking: long) }
                #expect(throws: Never.self) { try text.set(checking: "short") }
                #expect(throws: PreferencesError.self) { try value.set(checking: -1) }
            }
            let half = String(repeating: "x", count: 600)
            storage.batch {
                #expect(throws: Never.self) { try text.set(checking: half) }
                #expect(throws: PreferencesError.self, "together they are too large") {
                    try StoredValue(key: "more", default: "", storage: storage).set(checking: half)
                }
            }
            #expect(text.wrappedValue == half && value.wrappedValue == 40 && !odd.isStored)
            try await storage.flush()
        }
    }

    @Test("A range clamps what is set and read, and refuses nan")
    func range() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"limit": 500, "ratio": "nan"}"#.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let key = StoredKey("limit", default: 60, in: 1...100, help: "Requests a minute")
            let limit = StoredValue(key, storage: storage)
            #expect(limit.wrappedValue == 100 && limit.repairs.isEmpty)
            limit.set(-5)
            #expect(limit.wrappedValue == 1)
            let ratio = StoredValue(key: "ratio", default: 0.5, in: 0...1, storage: storage)
            ratio.set(0.25)
            ratio.set(.nan)
            #expect(ratio.wrappedValue == 0.25)
            await #expect(throws: PreferencesError.notValid(key: "ratio", path: path, reason: "nan is not in 0.0...1.0")) {
                try await storage.flush()
            }
            ratio.set(.infinity)
            #expect(ratio.wrappedValue == 1)
            @StoredValue(key: "name", in: "a"..."n", storage: storage) var name = "bob"
            $name.set("zoe")
            #expect(name == "n")
        }
    }

    @Test("A range that does not contain its default traps at the declaration, which names both", arguments: ["500.0", "nan"])
    func defaultOutsideRange(standard: String) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [standard = standard as String] in
            _ = StoredKey("limit", default: try #require(Double(standard)), in: 1...100)
        }
        let sentence = try trapSentence(result)
        #expect(sentence.contains(#"The range 1.0...100.0 of the key "limit" does not contain its default \#(standard)"#))
    }

    @Test("A default that validation refuses is used, and the log says so once; a valid item can be set")
    func refusedDefault() async throws {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { _ in RecordingLogHandler() }
            try await withTemporaryFolder { folder in
                let storage = PreferencesFile.ofAnotherProcess(folder + "/p.json")
                func value() -> StoredValue<Int> {
                    StoredValue(
                        key: "size", default: -9,
                        validate: { size in
                            if size < 0 { throw TooSmall() }
                            return size
                        }, storage: storage)
                }
                let size = value()
                for _ in 0..<3 {
                    #expect(size.wrappedValue == -9 && value().wrappedValue == -9 && size.repairs.isEmpty)
                    size.set(5)
                    #expect(size.wrappedValue == 5)
                    size.update { $0 += 1 }
                    #expect(value().wrappedValue == 6)
                    size.reset()
                }
                try await storage.flush()
                let lines = RecordingLogHandler.takeLines()
                try #require(lines.count == 1, "\(lines)")
                try #require(lines[0].contains(#"The default of "size""#) && lines[0].contains("TooSmall()"))
            }
        }
    }

    private struct Translated: Error, CustomStringConvertible {
        var description: String { StoredValue(key: "isGerman", default: true).value ? "nicht erlaubt" : "not allowed" }
    }

    @Test("The reason why a default is refused may depend on values")
    func translated() async {
        await #expect(processExitsWith: .success) {
            try withTemporaryStorage {
                let value = StoredValue(key: "size", default: 9, validate: { _ in throw Translated() })
                try #require(value.value == 9)
            }
        }
    }

    // MARK: Inside a validation

    @Test("Another value can be read in a validation, also one whose former key moves then")
    func readingInside() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"size": 50, "old": 20}"#.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let most = StoredValue(key: "most", default: 10, formerKeys: ["old"], validate: { min($0, 40) }, storage: storage)
            let size = StoredValue(key: "size", default: 1, validate: { min($0, most.wrappedValue) }, storage: storage)
            #expect(size.wrappedValue == 20 && storage.keys == ["most", "size"])
            size.update { $0 = 90 }
            #expect(size.wrappedValue == 20)
            most.set(30)
            size.set(90)
            #expect(size.wrappedValue == 30)
        }
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"old": 20}"#.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let most = StoredValue(key: "most", default: 10, formerKeys: ["old"], storage: storage)
            let size = StoredValue(key: "size", default: 1, validate: { min($0, most.wrappedValue) }, storage: storage)
            size.update { $0 = 90 }
            #expect(size.wrappedValue == 20 && storage.keys == ["most", "size"])
        }
    }

    @Test("Setting a value inside a validation traps, and names the key", arguments: ["get", "set", "update", "batch"])
    func settingInside(call: String) async throws {
        try await withTemporaryFolder { folder in
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [folder = folder as String, call = call as String] in
                try #"{"size": 5}"#.write(toFile: folder + "/p.json", atomically: false, encoding: .utf8)
                let storage = PreferencesFile(path: folder + "/p.json")
                let other = StoredValue(key: "other", default: 0, storage: PreferencesFile(path: folder + "/q.json"))
                let size = StoredValue(
                    key: "size", default: 1,
                    validate: { size in
                        other.set(size)
                        return size
                    }, storage: storage)
                switch call {
                case "get": _ = size.wrappedValue
                case "set": size.set(2)
                case "update": size.update { $0 += 1 }
                default: storage.batch { size.set(2) }
                }
            }
            let sentence = try trapSentence(result)
            #expect(sentence.contains(#"set(_:) of "other" was called inside the validation of "size""#))
        }
    }

    @Test("Who observes a value that moves from its former key while a validation reads it may set values")
    func observerInside() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"old": 20, "size": 90}"#.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let observed = StoredValue(key: "most", default: 10, storage: storage), seen = StoredValue(key: "seen", default: 0, storage: storage)
            withObservationTracking {
                #expect(observed.wrappedValue == 10)
            } onChange: {
                seen.set(1)
            }
            let most = StoredValue(key: "most", default: 10, formerKeys: ["old"], storage: storage)
            let size = StoredValue(key: "size", default: 1, validate: { min($0, most.wrappedValue) }, storage: storage)
            #expect(size.wrappedValue == 20 && seen.wrappedValue == 1)
        }
    }

    // MARK: Reading

    @Test("A stream yields what validate leaves")
    func stream() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile.ofAnotherProcess(folder + "/p.json")
            let plain = StoredValue(key: "size", default: 12, storage: storage)
            var values = size(storage).values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 12)
            plain.set(100)
            #expect(await values.next(isolation: nil) == 72)
            plain.set(-5)  // leaves the last good value in use
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

    @Test("Each repair is logged once, however often and by whomever the value is read, and again when it is broken again")
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
                try #require(lines.count { $0.contains("\"c\" in \"\(path)\": The value uses the default: a newer version") } == 1)
                try #require(lines.count { $0.contains("\"c\" in \"\(path)\" was not changed") } == 1)
                try #require(lines.count == 5)

                list.set([])
                // At once: what is read of a file that is being written is logged, too.
                try #"{"a": ["x"]}"#.write(toFile: path, atomically: true, encoding: .utf8)
                StoredValue(key: "d", default: 0, storage: storage).set(1)  // reads the file again
                #expect(list.wrappedValue == [])
                try #require(RecordingLogHandler.lines.withLock { $0 }.count == 6)
            }
        }
    }

    @Test("set(checking:) refuses what lies outside of the range, with the bounds, while set clamps", arguments: [0, -5, 101, .max])
    func checkingRange(input: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let limit = StoredValue(key: "limit", default: 60, in: 1...100, storage: .ofAnotherProcess(path))
            limit.set(30)
            #expect(throws: PreferencesError.notValid(key: "limit", path: path, reason: "\(input) is not in 1...100")) {
                try limit.set(checking: input)
            }
            #expect(limit.value == 30)
            try await limit.flush()
            for bound in [1, 100] {
                try limit.set(checking: bound)
                #expect(limit.value == bound)
            }
            limit.set(input)
            #expect(limit.value == min(max(input, 1), 100))
        }
    }

    /// What is logged while two wrappers of one key with these declarations, in this order, read a file, and again.
    private static func logged(_ first: StoredKey<Int>, _ second: StoredKey<Int>, text: String = #"{"size": 20}"#) throws -> [String] {
        try withTemporaryFolder { folder in
            try text.write(toFile: folder + "/p.json", atomically: false, encoding: .utf8)
            let storage = PreferencesFile.ofAnotherProcess(folder + "/p.json")
            let values = [StoredValue(first, storage: storage), StoredValue(second, storage: storage)]
            for value in values + values { _ = value.value }
            return RecordingLogHandler.takeLines()
        }
    }

    @Test("Two declarations of one key that validate differently are told once, and equal ones never")
    func twoValidations() async throws {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { _ in RecordingLogHandler() }
            let plain = StoredKey("size", default: 3)
            let narrow = StoredKey("size", default: 3, in: 1...5), wide = StoredKey("size", default: 3, in: 1...50)
            let capped = StoredKey("size", default: 3, validate: { min($0, 5) })
            func says(_ first: StoredKey<Int>, _ second: StoredKey<Int>, _ what: String) throws {
                let lines = try Self.logged(first, second)
                try #require(lines.count == 1 && lines[0].contains("two validations: it is \(what)."), "\(lines)")
                try #require(lines[0].contains("\"size\"") && lines[0].contains("p.json") && lines[0].contains("StoredKey"))
            }
            try says(narrow, wide, "validated to the range 1...5 and to the range 1...50")
            try says(plain, narrow, "validated not at all and to the range 1...5")
            try says(capped, plain, "validated by a function and not at all")
            try says(capped, StoredKey("size", default: 3, validate: { $0 * 2 }), "read as 5 and as 40")
            try says(StoredKey("size", default: 3, validate: { $0 * 2 }), capped, "read as 40 and as 5")
            for key in [plain, narrow, capped] { try #require(try Self.logged(key, key) == []) }
            let same = StoredKey("size", default: 3, validate: { min($0, 9) })
            try #require(try Self.logged(same, StoredKey("size", default: 3, validate: { min($0, 9) })) == [])
        }
    }

    @Test("Wrappers whose one validation depends on another value are not taken for two declarations")
    func dependentValidation() async throws {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { _ in RecordingLogHandler() }
            try withTemporaryFolder { folder in
                try #"{"size": 20}"#.write(toFile: folder + "/p.json", atomically: false, encoding: .utf8)
                let storage = PreferencesFile.ofAnotherProcess(folder + "/p.json")
                let limit = StoredValue(key: "limit", default: 5, storage: storage)
                func size() -> StoredValue<Int> {
                    StoredValue(key: "size", default: 3, validate: { min($0, limit.value) }, storage: storage)
                }
                let first = size()
                try #require(first.value == 5)
                limit.set(9)
                try #require(size().value == 9)
                try #require(RecordingLogHandler.takeLines() == [])
            }
        }
    }
}
