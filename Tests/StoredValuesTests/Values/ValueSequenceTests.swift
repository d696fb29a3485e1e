import Dispatch
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("The values of a stored value", .hangLimit)
struct ValueSequenceTests {}

extension ValueSequenceTests {
    @Test("A stream gives the value now and then each change, in order, none lost, to 100 subscribers with setters on several threads")
    func everyChange() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let value = StoredValue(key: "n", default: 0, storage: storage)
            let setters = 4, changesEach = 50
            let all = await withTaskGroup(of: [Int].self) { group in
                let subscribed = AsyncStream<Void>.makeStream()
                for _ in 0..<100 {
                    group.addTask {
                        var seen: [Int] = []
                        for await number in value.values {
                            if seen.isEmpty { subscribed.continuation.yield() }
                            seen.append(number)
                            if number == setters * changesEach { break }
                        }
                        return seen
                    }
                }
                var waiting = 100
                for await _ in subscribed.stream {
                    waiting -= 1
                    if waiting == 0 { break }
                }
                await withTaskGroup { inner in
                    for _ in 0..<setters {
                        inner.addTask { for _ in 0..<changesEach { value.update { $0 += 1 } } }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(all.count == 100)
            for seen in all { #expect(seen == Array(0...(setters * changesEach))) }
        }
    }

    @Test("A stream begun while others set misses nothing after its first value")
    func lateSubscriber() async throws {
        try await withTemporaryFolder { folder in
            let value = StoredValue(key: "n", default: 0, storage: PreferencesFile(path: folder + "/p.json"))
            async let setting: Void = { for _ in 0..<300 { value.update { $0 += 1 } } }()
            for _ in 0..<20 {
                var seen: [Int] = []
                for await number in value.values {
                    seen.append(number)
                    if seen.count == 3 || number == 300 { break }
                }
                #expect(seen == Array(seen[0]..<(seen[0] + seen.count)))
            }
            await setting
        }
    }

    @Test("A cancelled reader ends and leaves nothing behind; so does one that breaks off")
    func cancellation() async throws {
        try await withTemporaryFolder { folder in
            let preferences = PreferencesStore(.success(DurableFile(path: folder + "/p.json")), path: folder + "/p.json")
            let value = StoredValue(key: "n", default: 0, storage: PreferencesFile(preferences))
            let preference = LivePreference<Int>.find("n", in: preferences)
            let (started, start) = AsyncStream<Void>.makeStream()
            let reader = Task {
                for await _ in value.values { start.yield() }
                return "ended"
            }
            for await _ in started { break }
            #expect(preference.live.subscriptionCount == 1)
            reader.cancel()
            #expect(await reader.value == "ended")
            for await _ in value.values { break }
            #expect(preference.live.subscriptionCount == 0)
        }
    }

    @Test("A cancelled reader gets nothing more, not even what is left in its buffer")
    func cancelledWithMore() async throws {
        try await withTemporaryFolder { folder in
            let value = StoredValue(key: "n", default: 0, storage: PreferencesFile(path: folder + "/p.json"))
            let (started, start) = AsyncStream<Void>.makeStream()
            let reader = Task {
                var seen: [Int] = []
                for await number in value.values {
                    seen.append(number)
                    start.yield()
                    while !Task.isCancelled { await Task.yield() }
                }
                return seen
            }
            for await _ in started { break }
            value.set(1)
            reader.cancel()
            #expect(await reader.value == [0])
        }
    }

    @Test("Each iteration of one sequence is on its own")
    func iterations() async throws {
        try await withTemporaryFolder { folder in
            let value = StoredValue(key: "n", default: 0, storage: PreferencesFile(path: folder + "/p.json"))
            let values = value.values
            var first = values.makeAsyncIterator()
            #expect(await first.next(isolation: nil) == 0)
            value.set(1)
            var second = values.makeAsyncIterator()
            #expect(await second.next(isolation: nil) == 1)
            #expect(await first.next(isolation: nil) == 1)
        }
    }

    @Test("Who asks an iterator for one value after the other needs no try: of a setting, of a secret, and of a page of settings")
    func byHand() async {
        await withTemporaryStorage(secrets: ["token": "s3cret"]) {
            let key = StoredKey("name", default: ""), token = SecurelyStoredValue<String>(key: "token")
            var names = StoredValue(key).values.makeAsyncIterator(), tokens = token.values.makeAsyncIterator()
            var settings = PreferencesFile.standard.settingUpdates(of: [AnyStoredKey(key)]).makeAsyncIterator()
            StoredValue(key).set("Ada")
            for name in ["", "Ada"] { #expect(await names.next() == name) }
            #expect(await tokens.next() == "s3cret")
            #expect(await settings.next()?.map(\.value) == ["Ada"])
        }
    }

    @Test("A slow reader can ask for the newest values only")
    func newest() async throws {
        try await withTemporaryFolder { folder in
            let value = StoredValue(key: "n", default: 0, storage: PreferencesFile(path: folder + "/p.json"))
            var iterator = value.values(bufferingPolicy: .bufferingNewest(1)).makeAsyncIterator()
            for number in 1...5 { value.set(number) }
            #expect(await iterator.next(isolation: nil) == 5)
        }
    }

    @Test("A reader that waits gets the next value, even if none is kept for a slow one", arguments: [true, false])
    func nothingKept(isNewest: Bool) async throws {
        try await withTemporaryFolder { folder in
            let value = StoredValue(key: "n", default: 0, storage: PreferencesFile(path: folder + "/p.json"))
            let values = value.values(bufferingPolicy: isNewest ? .bufferingNewest(0) : .bufferingOldest(0))
            let executor = QueueExecutor()
            let reader = Task(executorPreference: executor) { () -> [Int?] in
                var iterator = values.makeAsyncIterator()
                return [await iterator.next(isolation: nil), await iterator.next(isolation: nil)]
            }
            await executor.allWaiting()
            value.set(1)
            await executor.allWaiting()
            reader.cancel()  // which ends one that did not get it
            #expect(await reader.value == [0, 1])
        }
    }

    @Test("A change that a waiting reader is woken for is not replaced or kept out by the next one", arguments: [true, false])
    func handedOver(isNewest: Bool) async throws {
        try await withTemporaryFolder { folder in
            let value = StoredValue(key: "n", default: 0, storage: PreferencesFile(path: folder + "/p.json"))
            let values = value.values(bufferingPolicy: isNewest ? .bufferingNewest(1) : .bufferingOldest(1))
            let executor = QueueExecutor()
            let reader = Task(executorPreference: executor) { () -> [Int?] in
                var iterator = values.makeAsyncIterator()
                return [await iterator.next(), await iterator.next(), await iterator.next()]
            }
            await executor.allWaiting()
            // On the reader's queue, so that it does not run before all three are set.
            await withCheckedContinuation { all in
                executor.queue.async {
                    for number in 1...3 { value.set(number) }
                    all.resume()
                }
            }
            #expect(await reader.value == [0, 1, isNewest ? 3 : 2])
        }
    }

    @Test("An equal set yields nothing, in whatever order its elements come")
    func equalSet() async throws {
        try await withTemporaryFolder { folder in
            let value = StoredValue(key: "set", default: Set<Int>(), storage: PreferencesFile(path: folder + "/p.json"))
            let one = Set(0..<50)
            var other = Set<Int>(minimumCapacity: 5_000)
            other.formUnion(one)
            #expect(Array(one) != Array(other))
            var iterator = value.values.makeAsyncIterator()
            for set in [one, other, [1]] as [Set<Int>] { value.set(set) }
            for expected in [[], one, [1]] as [Set<Int>] { #expect(await iterator.next(isolation: nil) == expected) }
        }
    }

    @Test("A change without effect yields nothing: an equal set, the default set, the default uncovered")
    func noNews() async throws {
        try await withTemporaryFolder { folder in
            let value = StoredValue(key: "n", default: 0, storage: PreferencesFile(path: folder + "/p.json"))
            var iterator = value.values.makeAsyncIterator()
            value.set(0)
            value.reset()
            value.set(1)
            value.set(1)
            value.set(2)
            #expect(await iterator.next(isolation: nil) == 0)
            #expect(await iterator.next(isolation: nil) == 1)
            #expect(await iterator.next(isolation: nil) == 2)
        }
    }

    @Test("Each reader reads its own default")
    func ownDefault() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let one = StoredValue(key: "n", default: 1, storage: storage)
            let two = StoredValue(key: "n", default: 2, storage: storage)
            var ones = one.values.makeAsyncIterator(), twos = two.values.makeAsyncIterator()
            one.set(5)
            one.reset()
            for expected in [1, 5, 1] { #expect(await ones.next(isolation: nil) == expected) }
            for expected in [2, 5, 2] { #expect(await twos.next(isolation: nil) == expected) }
        }
    }

    @Test("Observers are notified of every change, and can then read the new value")
    func observation() throws {
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let value = StoredValue(key: "n", default: 0, storage: storage)
            let seen = Guarded<[Int]>([])
            @Sendable func observe() {
                withObservationTracking {
                    _ = value.wrappedValue
                } onChange: {
                    seen.withLock { $0.append(value.wrappedValue) }
                    observe()
                }
            }
            observe()
            for number in 1...50 { StoredValue(key: "n", default: 0, storage: storage).set(number) }
            #expect(seen.withLock { $0 } == Array(1...50))
        }
    }

    final class Note: Codable, Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// An item that notes in the file when it goes.
    private struct Item: Codable, Sendable {
        final class Witness: Codable, Sendable {
            let storage: PreferencesFile?
            init(_ storage: PreferencesFile?) { self.storage = storage }
            init(from decoder: any Decoder) throws { storage = nil }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode("witness")
            }
            deinit { if let storage { StoredValue(key: "other", default: 0, storage: storage).update { $0 += 1 } } }
        }
        var witness: Witness
        var number: Int
    }

    @Test("A replaced class is released without a lock, so its deinit may use the value")
    func deinitUsesTheValue() throws {
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let value = StoredValue(key: "n", default: Item(witness: .init(nil), number: 0), storage: storage)
            for number in 1...5 { value.set(Item(witness: .init(storage), number: number)) }
            #expect(StoredValue(key: "other", default: 0, storage: storage).wrappedValue == 4)
        }
    }

    @Test("Temporary values of an update are released without a lock too")
    func deinitAfterUpdate() throws {
        struct Refusal: Error {}
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let count = StoredValue(key: "other", default: 0, storage: storage)
            let value = StoredValue(key: "n", default: Item(witness: .init(nil), number: 0), storage: storage)
            value.set(Item(witness: .init(nil), number: 1))
            value.update { $0 = Item(witness: .init(storage), number: 1) }  // the same JSON: nothing changes
            #expect(count.wrappedValue == 1)
            #expect(throws: Refusal.self) {
                try value.update { item in
                    item = Item(witness: .init(storage), number: 2)
                    throw Refusal()
                }
            }
            #expect(count.wrappedValue == 2)
        }
    }
}
