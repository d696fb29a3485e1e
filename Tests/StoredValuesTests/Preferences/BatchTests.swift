import Foundation
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("A batch is a transaction", .hangLimit)
struct BatchTests {}

extension BatchTests {
    private struct Refusal: Error {}

    /// Two numbers and a list in one file, in which `a` is 1 and `list` is there.
    private struct Example {
        let path: String
        let operations = FaultyFileOperations()
        let storage: PreferencesFile
        let a: StoredValue<Int>
        let b: StoredValue<Int>
        let list: StoredValue<[String]>

        init(_ folder: String) throws {
            path = folder + "/p.json"
            try #"{"a": 1, "list": ["x"]}"#.write(toFile: path, atomically: false, encoding: .utf8)
            storage = .ofAnotherProcess(path, operations: operations, syncDelay: .seconds(3600))
            a = StoredValue(key: "a", default: -1, storage: storage)
            b = StoredValue(key: "b", default: -1, storage: storage)
            list = StoredValue(key: "list", default: [], storage: storage)
        }

        /// All that can be read.
        var all: String {
            let snapshot = storage.snapshot
            let read = "\(a.wrappedValue) \(b.wrappedValue) \(list.wrappedValue)"
            let stored = "\(a.isStored) \(b.isStored) \(list.isStored) \(storage.keys)"
            return "\(read) \(stored) \(snapshot.keys.map { "\($0) \(String(decoding: snapshot[$0]?.text() ?? [], as: UTF8.self))" })"
        }

        var allOnAnotherThread: String { onAnotherThread { all } }

        func change() {
            a.set(5)
            b.set(6)
            b.update { $0 += 1 }
            list.reset()
        }

        func text() throws -> String { try contents(ofFile: path) }
    }

    @Test("One that throws leaves the file, memory, streams, observers and a flush as they were")
    func throwing() async throws {
        try await withTemporaryFolder { folder in
            let example = try Example(folder)
            let (a, b) = (example.a, example.b)
            let (before, text) = (example.all, try example.text())
            var values = a.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 1)
            let notices = Guarded(0)
            withObservationTracking {
                _ = (a.wrappedValue, b.isStored)
            } onChange: {
                notices.withLock { $0 += 1 }
            }
            #expect(throws: Refusal.self) {
                try example.storage.batch {
                    example.change()
                    throw Refusal()
                }
            }
            #expect(example.all == before)
            #expect(example.allOnAnotherThread == before)
            #expect(try example.text() == text)
            #expect(!example.operations.calls.contains("rename"))
            #expect(notices.withLock { $0 } == 0)
            try await example.storage.flush()
            a.set(9)
            #expect(await values.next(isolation: nil) == 9)
            #expect(try example.text() == "{\n  \"a\": 9,\n  \"list\": [\"x\"]\n}\n")
        }
    }

    @Test("The calling thread sees each change at once, and others all of them when it is over")
    func visibility() async throws {
        try await withTemporaryFolder { folder in
            let example = try Example(folder)
            let before = example.all
            var values = example.a.values.makeAsyncIterator()
            example.storage.batch {
                example.a.set(5)
                #expect(example.a.wrappedValue == 5)
                #expect(StoredValue(key: "a", default: 0, validate: { $0 * 2 }, storage: example.storage).wrappedValue == 10)
                example.a.update { $0 += 1 }
                #expect(example.a.wrappedValue == 6)
                example.storage.set("b", to: 3)
                #expect(example.b.wrappedValue == 3 && example.b.isStored)
                example.storage.set("list", to: "no list")
                #expect(example.list.repairs.count == 1)
                example.list.reset()
                #expect(example.list.wrappedValue == [])
                #expect(!example.list.isStored && example.list.repairs.isEmpty)
                #expect(example.storage.keys == ["a", "b"])
                #expect(example.storage.snapshot["a"] == 6)
                #expect(example.allOnAnotherThread == before)
                // Not before: a wrapper's first use in here keeps nothing of it for others.
                let another = StoredValue(key: "a", default: 0, storage: example.storage)
                #expect(another.wrappedValue == 6)
                #expect(onAnotherThread { another.wrappedValue } == 1)
            }
            #expect(example.all == "6 3 [] true true false [\"a\", \"b\"] [\"a 6\", \"b 3\"]")
            #expect(example.allOnAnotherThread == example.all)
            for expected in [1, 6] { #expect(await values.next(isolation: nil) == expected) }
        }
    }

    @Test("One that changes values back to what they were changes nothing")
    func changedBack() async throws {
        try await withTemporaryFolder { folder in
            let example = try Example(folder)
            let (a, b, text) = (example.a, example.b, try example.text())
            var values = a.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 1)
            example.storage.batch {
                a.set(5)
                b.set(6)
                a.set(1)
                b.reset()
            }
            #expect(try example.text() == text)
            a.set(2)
            #expect(await values.next(isolation: nil) == 2)
        }
    }

    @Test("One that cannot be written, with a changed and an equal value, stays in memory, and is written later")
    func unwritten() async throws {
        try await withTemporaryFolder { folder in
            let example = try Example(folder)
            let text = try example.text()
            example.operations.fail("rename", with: .noSpace)
            example.storage.batch {
                example.a.set(1)
                example.b.set(6)
            }
            #expect(example.a.wrappedValue == 1 && example.a.source == .file)
            #expect(example.b.wrappedValue == 6 && example.b.source == .memory)
            #expect(try example.text() == text)
            example.operations.fail("rename", with: nil)
            try await example.storage.flush()
            #expect(example.b.source == .file)
            #expect(try example.text() == "{\n  \"a\": 1,\n  \"b\": 6,\n  \"list\": [\"x\"]\n}\n")
        }
    }

    @Test("What it sets to an equal value is its own until its end, as what it changes is: an editor's save in between is overwritten")
    func equal() throws {
        try withTemporaryFolder { folder in
            let example = try Example(folder)
            try example.storage.batch {
                example.a.set(1)
                example.b.set(6)
                try #"{"a": 3, "list": ["x"]}"#.write(toFile: example.path, atomically: true, encoding: .utf8)
            }
            #expect(example.a.wrappedValue == 1 && example.b.wrappedValue == 6)
            #expect(try example.text() == "{\n  \"a\": 1,\n  \"b\": 6,\n  \"list\": [\"x\"]\n}\n")
        }
    }

    @Test("What a wrapper has set that is gone before the end comes to a later one of the same key")
    func wrapperIsGone() throws {
        try withTemporaryFolder { folder in
            let storage = try Example(folder).storage
            let later = storage.batch {
                do { StoredValue(key: "new", default: 0, storage: storage).set(1) }
                let later = StoredValue(key: "new", default: 0, storage: storage)
                #expect(later.wrappedValue == 1)
                #expect(onAnotherThread { later.wrappedValue } == 0)
                return later
            }
            #expect(later.wrappedValue == 1)
            #expect(onAnotherThread { later.wrappedValue } == 1)
        }
    }

    @Test("One inside another that throws is undone by itself, or with the outer one")
    func nested() throws {
        try withTemporaryFolder { folder in
            let example = try Example(folder)
            let (storage, a, b) = (example.storage, example.a, example.b)
            storage.batch {
                a.set(2)
                #expect(throws: Refusal.self) {
                    try storage.batch {
                        a.set(3)
                        b.set(4)
                        try storage.batch { () throws -> Void in throw Refusal() }
                    }
                }
                #expect(a.wrappedValue == 2 && !b.isStored)
                storage.batch { b.set(5) }
                #expect(b.wrappedValue == 5)
            }
            #expect(a.wrappedValue == 2 && b.wrappedValue == 5)
            #expect(example.operations.calls.count { $0 == "rename" } == 1)
            let text = try example.text()
            #expect(throws: Refusal.self) {
                try storage.batch {
                    a.set(7)
                    try storage.batch {
                        b.set(8)
                        throw Refusal()
                    }
                }
            }
            #expect(a.wrappedValue == 2 && b.wrappedValue == 5)
            #expect(try example.text() == text)
            #expect(throws: Refusal.self) {
                try storage.batch {
                    storage.batch { a.set(7) }
                    throw Refusal()
                }
            }
            #expect(a.wrappedValue == 2)
            #expect(try example.text() == text)
        }
    }

    @Test("An update that throws inside a batch undoes itself alone")
    func nestedUpdate() throws {
        try withTemporaryFolder { folder in
            let example = try Example(folder)
            example.storage.batch {
                example.a.set(2)
                #expect(throws: Refusal.self) {
                    try example.a.update { number in
                        number = 3
                        throw Refusal()
                    }
                }
                #expect(example.a.wrappedValue == 2)
            }
            #expect(example.a.wrappedValue == 2)
        }
    }

    @Test("One whose file cannot be written stays in memory as a whole, flush throws, and it is written as a whole")
    func unwritable() async throws {
        try await withTemporaryFolder { folder in
            let example = try Example(folder)
            let text = try example.text()
            example.operations.fail("rename", with: .noSpace)
            #expect(throws: Refusal.self) {
                try example.storage.batch {
                    example.a.set(100)
                    throw Refusal()
                }
            }
            example.storage.batch { example.change() }
            let after = "5 7 [] true true false [\"a\", \"b\"] [\"a 5\", \"b 7\"]"
            #expect(example.all == after)
            #expect(try example.text() == text)
            await #expect(throws: PreferencesError.self) { try await example.storage.flush() }
            example.operations.fail("rename", with: nil)
            try await example.storage.flush()
            #expect(example.all == after)
            #expect(try example.text() == "{\n  \"a\": 5,\n  \"b\": 7\n}\n")
        }
    }

    @Test("Observers are notified once for each key, when all is written and can be read, and may change the file")
    func observers() throws {
        try withTemporaryFolder { folder in
            let example = try Example(folder)
            let (a, b) = (example.a, example.b)
            let seen = Guarded<[String]>([])
            withObservationTracking {
                _ = a.wrappedValue
            } onChange: {
                seen.withLock { $0.append("a: \(a.wrappedValue) \(b.wrappedValue)") }
                StoredValue(key: "c", default: 0, storage: example.storage).set(100)
            }
            withObservationTracking {
                _ = b.wrappedValue
            } onChange: {
                seen.withLock { $0.append("b: \(b.wrappedValue)") }
            }
            @Sendable func count() {
                withObservationTracking {
                    _ = example.list.wrappedValue
                } onChange: {
                    seen.withLock { $0.append("list: \(example.list.wrappedValue)") }
                    count()
                }
            }
            count()
            example.storage.batch {
                for number in 2...5 {
                    a.set(number)
                    b.set(number)
                    example.list.append("\(number)")
                }
            }
            #expect(seen.withLock { $0.sorted() } == ["a: 5 5", "b: 5", #"list: ["x", "2", "3", "4", "5"]"#])
        }
    }

    @Test("Observers of another file that is changed inside an update are notified at the end of that, and may change its file")
    func observersOfAnotherFile() async {
        // A change of the outer file inside its own update traps.
        await #expect(processExitsWith: .success) {
            let outer = StoredValue(key: "outer", default: 0, storage: .inMemory())
            let inner = StoredValue(key: "inner", default: 0, storage: .inMemory())
            let seen = Guarded<[Int]>([])
            withObservationTracking {
                _ = inner.wrappedValue
            } onChange: {
                seen.withLock { $0.append(outer.wrappedValue) }
                outer.set(5)
            }
            outer.update { number in
                inner.set(1)
                #expect(inner.wrappedValue == 1 && seen.withLock { $0 } == [])
                number = 3
            }
            #expect(seen.withLock { $0 } == [3] && outer.wrappedValue == 5)
        }
    }

    @Test("Who has read one new value of a batch finds no old one, whatever the types")
    func neverHalf() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let number = StoredValue(key: "number", default: 0, storage: storage)
            let text = StoredValue(key: "text", default: "0", storage: storage)
            let list = StoredValue(key: "list", default: [0], storage: storage)
            // What is told one by one takes its time, so that somebody would see it.
            let others = (0..<200).map { StoredValue(key: "\($0)", default: 0, storage: storage) }
            #expect(others.allSatisfy { $0.wrappedValue == 0 })
            let count = 200
            let readings: [@Sendable () -> Int] = [{ number.wrappedValue }, { Int(text.wrappedValue) ?? -1 }, { list.wrappedValue[0] }]
            let writers = Task {
                await offPool {
                    for round in 1...count {
                        _ = try? storage.batch {
                            number.set(-round)
                            list.set([-round])
                            throw Refusal()
                        }
                        storage.batch {
                            text.set("\(round)")
                            list.set([round])
                            number.set(round)
                            for other in others { other.set(round) }
                        }
                    }
                }
            }
            let halves = await withTaskGroup(of: [String].self) { group in
                for reader in 0..<3 {
                    group.addTask {
                        await offPool {
                            var halves: [String] = []
                            var last = 0
                            while last < count {
                                for offset in 0..<3 {
                                    let now = readings[(reader + offset) % 3]()
                                    if now < last { halves.append("\(now) after \(last)") }
                                    last = max(last, now)
                                }
                            }
                            return halves
                        }
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            #expect(halves == [])
            await writers.value
        }
    }

    @Test("A file that an editor breaks meanwhile is set aside, and not lost")
    func brokenMeanwhile() throws {
        try withTemporaryFolder { folder in
            let example = try Example(folder), theirs = "{\n  \"a\": 7, // mine\n}\n"
            try example.storage.batch {
                example.a.set(5)
                try theirs.write(toFile: example.path, atomically: true, encoding: .utf8)
                example.storage.reload()
            }
            #expect(example.a.wrappedValue == 5)
            let aside = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".rejected-") }
            #expect(try aside.map { try contents(ofFile: "\(folder)/\($0)") } == [theirs])
            example.a.set(6)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count { $0.contains(".rejected-") } == 1)
        }
    }

    @Test("What an editor writes during a batch comes to everybody, and what the batch changed stays on top")
    func editor() throws {
        try withTemporaryFolder { folder in
            let example = try Example(folder)
            let (storage, a, b) = (example.storage, example.a, example.b)
            try storage.batch {
                a.set(5)
                try #"{"a": 7, "b": 8, "c": 9}"#.write(toFile: example.path, atomically: true, encoding: .utf8)
                storage.reload()
                #expect(a.wrappedValue == 5 && b.wrappedValue == 8)
                #expect(onAnotherThread { "\(a.wrappedValue) \(b.wrappedValue)" } == "7 8")
            }
            #expect(a.wrappedValue == 5 && b.wrappedValue == 8)
            #expect(try example.text() == "{\n  \"a\": 5,\n  \"b\": 8,\n  \"c\": 9\n}\n")
        }
    }

    @Test("Of what a newer version writes during a batch that value alone is refused")
    func newerMeanwhile() async throws {
        try await withTemporaryFolder { folder in
            let example = try Example(folder)
            let (storage, a, b) = (example.storage, example.a, example.b)
            try storage.batch {
                a.set(5)
                b.set(6)
                try #"{"a": 7, "$versions": {"a": 2}}"#.write(toFile: example.path, atomically: true, encoding: .utf8)
                storage.reload()
            }
            #expect(b.wrappedValue == 6 && storage.snapshot["a"] == 7)
            await #expect(throws: PreferencesError.newerVersion(key: "a", path: storage.path, stored: 2, supported: 0)) {
                try await storage.flush()
            }
        }
    }

    @Test("A value under a former key moves, also where the batch or the update that first reads it is undone", arguments: [false, true])
    func formerKey(isBatch: Bool) throws {
        try withTemporaryFolder { folder in
            let example = try Example(folder)
            let value = StoredValue(key: "new", default: 0, formerKeys: ["a"], storage: example.storage)
            #expect(throws: Refusal.self) {
                func fail() throws {
                    #expect(value.wrappedValue == 1)
                    #expect(onAnotherThread { value.wrappedValue } == 1)
                    throw Refusal()
                }
                if isBatch {
                    try example.storage.batch {
                        example.b.set(2)
                        try fail()
                    }
                } else {
                    try example.b.update { _ in try fail() }
                }
            }
            #expect(value.wrappedValue == 1 && !example.b.isStored)
            #expect(try example.text() == "{\n  \"list\": [\"x\"],\n  \"new\": 1\n}\n")
        }
    }

    @Test("A reset removes former keys that the same batch set")
    func formerKeyReset() throws {
        try withTemporaryFolder { folder in
            let example = try Example(folder)
            let value = StoredValue(key: "new", default: 0, formerKeys: ["old"], storage: example.storage)
            value.set(1)
            StoredValue(key: "old", default: 0, storage: example.storage).set(3)
            example.storage.batch {
                StoredValue(key: "old", default: 0, storage: example.storage).set(4)
                value.reset()
            }
            #expect(example.storage.keys == ["a", "list"])
        }
    }

    @Test("What an undone batch had set is released without a lock")
    func release() throws {
        final class Item: Codable, Sendable {
            let whenGone: (@Sendable () -> Void)?
            init(_ whenGone: @escaping @Sendable () -> Void) { self.whenGone = whenGone }
            init(from decoder: any Decoder) throws { whenGone = nil }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode("item")
            }
            deinit { whenGone?() }
        }
        try withTemporaryFolder { folder in
            let example = try Example(folder)
            let value = StoredValue<Item?>(key: "item", storage: example.storage)
            let b = example.b
            for isNested in [false, true] {
                try? example.storage.batch {
                    try? example.storage.batch {
                        value.set(Item { b.set(onAnotherThread { b.wrappedValue } + 1) })
                        throw Refusal()
                    }
                    if !isNested { throw Refusal() }
                }
            }
            #expect(b.wrappedValue == 1)
        }
    }
}
