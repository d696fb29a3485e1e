#if Store
    import Observation
    import StoredValues
    import StoredValuesSupport
    import Testing

    @testable import StoredValuesStore

    extension Store where Item == Note {
        static let notebook = Store("notebook")
    }

    /// In a struct that is `Sendable`.
    private struct Holder: Sendable {
        @Stored(in: .notebook) var notes
    }

    private actor Notebook {
        @Stored(in: .notebook) var notes
        func write(_ note: Note) async throws -> Int {
            try await $notes.insert(note)
            return notes.count
        }
    }

    @MainActor @Observable private final class Model {
        @ObservationIgnored @Stored(in: .notebook) var notes
    }

    private final class Service: Sendable {
        let holder = Holder()
        let notes = Store.notebook
    }

    @Suite("@Stored and temporary storage")
    struct StoredTests {}

    extension StoredTests {
        @Test("In an actor, a struct, an observable and a Sendable class it has the items of the store")
        func everywhere() async throws {
            try await withTemporaryStorage {
                let count = try await Notebook().write(Note("a"))
                #expect(count == 1)
                #expect(Holder().notes == [Note("a")])
                #expect(await MainActor.run { Model().notes } == [Note("a")])
                #expect(Service().holder.notes == Service().notes.items)
            }
        }

        @Test("Temporary storage begins empty, or with what a test puts into it, and ends with it")
        func temporary() async throws {
            try await withTemporaryStorage {
                try Store.notebook.seed([Note("a")])
                try await Store.notebook.insert(Note("b"))
                #expect(Store.notebook.ids == ["a", "b"])
                await Task { #expect(Store.notebook.ids == ["a", "b"]) }.value
            }
            withTemporaryStorage { #expect(Store.notebook.items == []) }
        }

        @Test("Two temporary storages beside each other share nothing")
        func apart() async throws {
            try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        try await withTemporaryStorage {
                            try await Store.notebook.insert(Note("\(number)"))
                            #expect(Store.notebook.ids == ["\(number)"])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test("Observation sees a change, once it can be read")
        func observation() async throws {
            try await withTemporaryStorage {
                let seen = Guarded<[[Note]]>([])
                withObservationTracking {
                    _ = Holder().notes
                } onChange: {
                    let items = Store.notebook.items
                    seen.withLock { $0.append(items) }
                }
                try await Store.notebook.insert(Note("a"))
                try await eventually("the observer was told") { seen.withLock { $0 } == [[Note("a")]] }
            }
        }

        @Test("Observation does not see a change that changes nothing")
        func nothingChanged() async throws {
            let store = Store<Note>("notes", in: .inMemory()), count = Guarded(0)
            try await store.insert(Note("a"))
            withObservationTracking {
                _ = store.items
            } onChange: {
                count.withLock { $0 += 1 }
            }
            try await store.remove(Note("b"))
            #expect(count.withLock { $0 } == 0)
            try await store.removeAll()
            #expect(count.withLock { $0 } == 1)
        }

        @Test("Stores in temporary storage are apart by file and name, whatever these are")
        func names() async throws {
            try await withTemporaryStorage {
                let one = Store<Note>("c", in: .named("a b")), other = Store<Note>("b c", in: .named("a"))
                try await one.insert(Note("1"))
                #expect(other.items == [])
                let third = Store<Note>("b", in: .named("a"))
                try await third.insert(Note("3"))
                #expect(one.ids == ["1"] && third.ids == ["3"])
            }
        }

        @Test("values has the items now, then the latest")
        func values() async throws {
            try await withTemporaryStorage {
                let values = Collector(Store.notebook.values)
                try await values.wait(for: [[]])
                try await Store.notebook.insert(Note("a"))
                try await values.wait(for: [[], [Note("a")]])
                try await Store.notebook.removeAll().insert([Note("b"), Note("c")]).run()
                try await values.wait(for: [[], [Note("a")], [Note("b"), Note("c")]])
            }
        }

        @Test("An iteration of events does not leave its actor between those that are there")
        @MainActor func events() async throws {
            let store = Store<Note>("notes", in: .inMemory())
            try await store.insert(Note("a"))
            var iterator = store.events.makeAsyncIterator()
            let others = Task { @MainActor in try await store.removeAll() }
            #expect(await iterator.next(isolation: #isolation) == StoreEvent(.initialized, [], false))
            #expect(await iterator.next(isolation: #isolation) == StoreEvent(.loaded, [Note("a")], false))
            #expect(store.ids == ["a"])  // the other task had no turn
            #expect(await iterator.next(isolation: #isolation) == StoreEvent(.remove, [Note("a")], false))
            try await others.value
        }
    }
#endif
