import Foundation
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Values of several keys that are read as one", .hangLimit)
struct ConsistentValuesTests {}

extension ConsistentValuesTests {
    /// Two numbers that every change here makes equal.
    private struct Pair {
        let storage: PreferencesFile
        let left: StoredValue<Int>
        let right: StoredValue<Int>

        init(_ storage: PreferencesFile, left: String = "left") {
            self.storage = storage
            self.left = StoredValue(key: left, default: 0, storage: storage)
            right = StoredValue(key: left == "left" ? "right" : "twin", default: 0, storage: storage)
        }

        func set(_ number: Int) {
            storage.batch {
                left.set(number)
                right.set(number)
            }
        }
    }

    private struct Elements {
        var iterator: LiveValues<(Int, Int)>.Iterator

        mutating func next() async -> [Int] { await iterator.next().map { [$0.0, $0.1] } ?? [] }
    }

    private func inTemporaryFile<Result>(_ body: (PreferencesFile) async throws -> Result) async throws -> Result {
        try await withTemporaryFolder { folder in try await body(PreferencesFile(path: folder + "/p.json")) }
    }

    // MARK: Streams

    @Test("A value that a reader has decoded from a text of another form, and that is set to the same again, is no news")
    func refined() {
        let read = StoredValue(key: "a", default: [0], storage: .inMemory()).transform(mayBeRefined: true)
        func content(_ text: String) -> StoredContent { .item(Box([1, 2]), text: StoredJSON(json: Array(text.utf8))) }
        #expect(read(.absent) == [0])
        #expect(read(content("[1,    2]")) == [1, 2])
        #expect(read(content("[1, 2]")) == nil)
    }

    @Test("The values now, then all of them after each change of any, a batch as one; what reads as before is no change")
    func stream() async throws {
        try await inTemporaryFile { storage in
            let pair = Pair(storage)
            pair.left.set(1)
            var elements = Elements(iterator: PreferencesFile.values(of: pair.left, pair.right).makeAsyncIterator())
            pair.set(2)
            pair.right.set(3)
            pair.right.set(3)
            StoredValue(key: "other", default: 0, storage: storage).set(9)
            pair.set(4)
            storage.batch {
                pair.left.set(100)
                pair.left.set(4)
            }
            struct Refusal: Error {}
            try? storage.batch {
                pair.set(200)
                throw Refusal()
            }
            pair.left.reset()
            pair.left.set(0)
            pair.right.reset()
            for expected in [[1, 0], [2, 2], [2, 3], [4, 4], [0, 4], [0, 0]] { #expect(await elements.next() == expected) }
            pair.set(5)
            #expect(await elements.next() == [5, 5])
        }
    }

    @Test("Wrappers of any types, one alone, one key twice: each reads its own default and by its own validation")
    func kinds() async throws {
        try await inTemporaryFile { storage in
            let number = StoredValue(key: "n", default: 1, storage: storage)
            let double = StoredValue(key: "n", default: 2, validate: { min($0, 3) }, storage: storage)
            let text = StoredValue<String?>(key: "t", storage: storage)
            let list = StoredValue(key: "l", default: ["x"], formerKeys: ["old"], storage: storage)
            StoredValue(key: "old", default: [""], storage: storage).set(["moved"])
            var all = storage.values(of: number, double, text, list).makeAsyncIterator()
            var alone = PreferencesFile.values(of: text).makeAsyncIterator()
            storage.batch {
                number.set(5)
                text.set("new")
            }
            list.append("y")
            text.set(nil)
            for expected in ["(1, 2, nil, [\"moved\"])", "(5, 3, Optional(\"new\"), [\"moved\"])"] {
                #expect(await all.next().map { "\($0)" } == expected)
            }
            #expect(await all.next().map { $0.3 } == ["moved", "y"])
            #expect(await all.next().map { $0.2 == nil } == true)
            for expected in [nil, "new", nil] as [String?] { #expect(await alone.next() == .some(expected)) }
        }
    }

    @Test("While several threads and another process change both, no element is torn, none of ours is lost, and they come in order")
    func load() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let pair = Pair(storage, left: "counter")
            let processes = TestProcesses()
            let other = try processes.start("count-in-batches", storage.path)
            let threads = 3, each = 100
            let reader = Task {
                var seen: [[Int]] = []
                for await (left, right) in storage.values(of: pair.left, pair.right) {
                    seen.append([left, right])
                    if left == -1_000_000 { break }
                }
                return seen
            }
            try await eventually("it has begun") { storage.store.state.withLock { $0.audience.listeners.count } == 1 }
            _ = try await other.line()
            // Their numbers count upwards; ours are below zero, and say which thread's they are.
            let torn = await withTaskGroup(of: Int.self) { group in
                for thread in 0..<threads {
                    group.addTask {
                        await offPool {
                            for number in 1...each { pair.set(-1000 * (thread + 1) - number) }
                            return 0
                        }
                    }
                    group.addTask {
                        await offPool {
                            var torn = 0
                            for _ in 0..<1000 {
                                let read = storage.withConsistentValues { (pair.left.wrappedValue, pair.right.wrappedValue) }
                                if read.0 != read.1 { torn += 1 }
                            }
                            return torn
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            try await other.kill()
            pair.set(-1_000_000)
            let seen = await reader.value
            #expect(torn == 0)
            #expect(seen.filter { $0[0] != $0[1] } == [])
            for thread in 0..<threads {
                let ours = seen.map { $0[0] }.filter { $0 / 1000 == -(thread + 1) }
                #expect(ours == (1...each).map { -1000 * (thread + 1) - $0 })
            }
        }
    }

    @Test("What another program writes comes whole")
    func anotherProgram() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let pair = Pair(storage)
            let seen = Collector(PreferencesFile.values(of: pair.left, pair.right).map { [$0.0, $0.1] })
            try await seen.wait(for: [[0, 0]])
            for number in 1...20 {
                try #"{"right": \#(number), "left": \#(number)}"#.write(toFile: storage.path, atomically: true, encoding: .utf8)
            }
            try await seen.wait(untilLast: [20, 20])
            #expect(seen.elements.filter { $0[0] != $0[1] } == [])
        }
    }

    @Test("Each iteration is on its own, and when it goes or is cancelled nothing is left")
    func ending() async throws {
        try await inTemporaryFile { storage in
            let pair = Pair(storage)
            func listeners() -> Int { storage.store.state.withLock { $0.audience.listeners.count } }
            let values = storage.values(of: pair.left, pair.right)
            #expect(listeners() == 0)
            do {
                var first = Elements(iterator: values.makeAsyncIterator())
                pair.set(1)
                var second = Elements(iterator: values.makeAsyncIterator())
                #expect(listeners() == 2)
                #expect(await first.next() == [0, 0])
                #expect(await first.next() == [1, 1])
                #expect(await second.next() == [1, 1])
            }
            #expect(listeners() == 0)
            let task = Task { for await _ in values {} }
            try await eventually("it listens") { listeners() == 1 }
            task.cancel()
            await task.value
            #expect(listeners() == 0)
        }
    }

    @Test("In temporary storage they are that storage's")
    func temporaryStorage() async throws {
        let left = StoredValue(key: "left", default: 0), right = StoredValue(key: "right", default: 0)
        for _ in 0..<2 {
            await withTemporaryStorage {
                var elements = Elements(iterator: PreferencesFile.standard.values(of: left, right).makeAsyncIterator())
                left.set(1)
                #expect(await elements.next() == [0, 0])
                #expect(await elements.next() == [1, 0])
                let read = PreferencesFile.standard.withConsistentValues { [left.wrappedValue, right.wrappedValue] }
                #expect(read == [1, 0])
            }
        }
    }

    @Test("Wrappers of different files trap, and the message names both", arguments: [false, true])
    func differentFiles(isOfOne: Bool) async throws {
        try await withTemporaryFolder { folder in
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [folder = folder as String, isOfOne = isOfOne as Bool] in
                let files = ["a", "b"].map { PreferencesFile(path: "\(folder)/\($0).json") }
                let values = files.map { StoredValue(key: "n", default: 0, storage: $0) }
                if isOfOne { _ = files[0].values(of: values[1]) } else { _ = PreferencesFile.values(of: values[0], values[1]) }
            }
            let sentence = try trapSentence(result)
            #expect(sentence.contains("/a.json\"") && sentence.contains("/b.json\"") && sentence.contains("values(of:)"))
        }
    }

    // MARK: Reading at one moment

    @Test("Whoever observes what is changed inside is told when it can be read, at the end")
    func observersInside() async throws {
        try await inTemporaryFile { storage in
            let value = StoredValue(key: "n", default: 0, storage: storage), seen = Guarded<[Int]>([])
            @Sendable func observe() {
                withObservationTracking {
                    _ = value.wrappedValue
                } onChange: {
                    seen.withLock { $0.append(value.wrappedValue) }
                    observe()
                }
            }
            observe()
            storage.withConsistentValues {
                value.set(5)
                // A change or a read of another thread that ends meanwhile does not tell of it, on that thread.
                onAnotherThread { storage.withConsistentValues { storage.set("other", to: 1) } }
                #expect(seen.withLock { $0 } == [])
            }
            #expect(seen.withLock { $0 } == [5])
            storage.batch {
                storage.withConsistentValues { value.set(6) }
                #expect(seen.withLock { $0 } == [5])
            }
            #expect(seen.withLock { $0 } == [5, 6])
        }
    }

    @Test("Inside, all reads see the state at the call, whatever is changed meanwhile; outside, the current state")
    func moment() async throws {
        try await inTemporaryFile { storage in
            let pair = Pair(storage)
            let text = StoredValue(key: "t", default: "NONE", validate: { $0.uppercased() }, storage: storage)
            storage.set("left", to: 1)
            text.set("x")
            func all() -> String {
                "\(pair.left.wrappedValue) \(pair.right.wrappedValue) \(pair.right.isStored) \(text.wrappedValue) \(storage.keys)"
            }
            let before = all()
            let result = storage.withConsistentValues {
                onAnotherThread { pair.set(5) }
                #expect(all() == before)
                text.reset()
                pair.left.update { $0 += 1 }
                #expect(all() == before)
                // Nobody else's reads, and nobody's afterwards.
                #expect(onAnotherThread { pair.left.wrappedValue } == 6)
                #expect(StoredValue(key: "left", default: 0, storage: storage).wrappedValue == 1)
                storage.withConsistentValues { #expect(all() == before) }
                storage.batch {
                    #expect(pair.left.wrappedValue == 6)
                    pair.left.set(7)
                    #expect(pair.left.wrappedValue == 7)
                    storage.withConsistentValues {
                        pair.left.update { $0 += 1 }
                        #expect(pair.left.wrappedValue == 7)
                    }
                    #expect(pair.left.wrappedValue == 8)
                }
                #expect(all() == before)
                return pair.left.wrappedValue
            }
            #expect(result == 1)
            #expect(all() == "8 5 true NONE [\"left\", \"right\"]")
        }
    }

    @Test("A wrapper that is first used inside reads its value under the former key")
    func formerKey() async throws {
        try await inTemporaryFile { storage in
            StoredValue(key: "old", default: 0, storage: storage).set(4)
            let value = StoredValue(key: "new", default: 0, formerKeys: ["old"], storage: storage)
            storage.withConsistentValues {
                #expect(onAnotherThread { value.wrappedValue } == 4)
                #expect(value.wrappedValue == 4 && value.isStored)
            }
            #expect(value.wrappedValue == 4)
        }
    }

    @Test("It throws what the closure throws, and then nothing of it is left")
    func throwing() async throws {
        struct Refusal: Error {}
        try await inTemporaryFile { storage in
            let pair = Pair(storage)
            #expect(throws: Refusal.self) {
                try storage.withConsistentValues { () throws(Refusal) in
                    pair.set(3)
                    throw Refusal()
                }
            }
            #expect(pair.left.wrappedValue == 3)
        }
    }
}
