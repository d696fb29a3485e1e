#if Store
    import Dispatch
    import Foundation
    import GRDB
    import Observation
    import StoredValues
    import StoredValuesSupport
    import Testing

    @testable import StoredValuesStore

    @Suite("Items that use stores while they are decoded, updated or released", .hangLimit)
    struct StoreNestedTests {}

    extension StoreNestedTests {
        /// An item whose decoding does what a test wants.
        struct Hooked: Codable, Identifiable, Sendable {
            static let hooks = Guarded<[String: @Sendable () -> Void]>([:])
            let id: String

            init(id: String) { self.id = id }
            init(from decoder: any Decoder) throws {
                id = try decoder.singleValueContainer().decode(String.self)
                Self.hooks.withLock { $0[id] }?()
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(id)
            }
        }

        /// Stores of one file, which has a note and an item with a hook; nothing is read yet.
        private func stores(_ path: String) async throws -> (notes: Store<Note>, hooked: Store<Hooked>, id: String) {
            let id = UUID().uuidString
            try await Store<Note>.ofAnotherProcess(path).insert(Note("a"))
            try await Store<Hooked>("hooked", in: .ofAnotherProcess(path)).insert(Hooked(id: id))
            let file = StoreFile.ofAnotherProcess(path)
            return (Store("notes", in: file), Store("hooked", in: file), id)
        }

        private func onDecoding(_ id: String, _ hook: @escaping @Sendable () -> Void) { Hooked.hooks.withLock { $0[id] = hook } }

        @Test("get the items of another store of the file, and observers hear of it when nothing is being read any more")
        func other() async throws {
            try await withTemporaryFolder { folder in
                let (notes, hooked, id) = try await stores("\(folder)/s.sqlite")
                let read = Guarded<[[String]]>([]), seen = Guarded<[Int]>([])
                onDecoding(id) {
                    let ids = notes.ids
                    read.withLock { $0.append(ids) }
                }
                withObservationTracking {
                    _ = notes.status
                } onChange: {
                    let count = hooked.items.count
                    seen.withLock { $0.append(count) }
                }
                #expect(hooked.items.count == 1)
                #expect(read.withLock { $0 } == [["a"]])
                #expect(seen.withLock { $0 } == [1])
                let events = Collector(hooked.events)
                try await eventually("the reader has begun") { events.elements.count == 2 }
                try await hooked.insert(Hooked(id: "last"))
                try await eventually("the last event is there") { events.elements.last?.items.first?.id == "last" }
                #expect(events.elements.map(\.operation) == [.initialized, .loaded, .insert])
            }
        }

        /// An item with an object that reads the store when it is released.
        struct Watched: Codable, Identifiable, Sendable {
            final class Witness: Codable, Sendable {
                static let released = Guarded<[String: [[String]]]>([:])
                let id: String, file: StoreFile?
                init(_ id: String, _ file: StoreFile?) { (self.id, self.file) = (id, file) }
                init(from decoder: any Decoder) throws { (id, file) = ("", nil) }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.singleValueContainer()
                    try container.encode(id)
                }
                deinit {
                    guard let file else { return }
                    let ids = Store<Watched>("watched", in: file).items.map(\.id)
                    Self.released.withLock { $0[id, default: []].append(ids) }
                }
            }
            let id: String
            let witness: Witness
        }

        @Test("are released without a lock when they are replaced or removed, and find the store as it is then")
        func released() async throws {
            let file = StoreFile.inMemory(), store = Store<Watched>("watched", in: file), name = UUID().uuidString
            func item(_ id: String) -> Watched { Watched(id: id, witness: .init(name, file)) }
            let released = { Watched.Witness.released.withLock { $0[name] ?? [] } }
            try await store.insert([item("a"), item("b"), item("c")])
            try await store.insert(item("a"))
            try await eventually("the replaced one is released") { released() == [["a", "b", "c"]] }
            try await store.remove(id: "b")
            try await eventually("the removed one is released") { released().count == 2 }
            try await store.removeAll()
            try await eventually("all are released") { released().count == 4 }
            #expect(released().dropFirst() == [["a", "c"], [], []])
        }

        @Test("find their own store as it was before, and are told once")
        func itself() async throws {
            try await withTemporaryFolder { folder in
                let (_, hooked, id) = try await stores("\(folder)/s.sqlite")
                let counts = Guarded<[Int]>([])
                onDecoding(id) {
                    let count = hooked.items.count
                    counts.withLock { $0.append(count) }
                }
                let events = Collector(hooked.events)  // which begins to read
                try await eventually("the reader has begun") { events.elements.count == 2 }
                #expect(hooked.items.count == 1)
                #expect(counts.withLock { $0 } == [0])
                #expect(events.elements.map(\.items.count) == [0, 1])
                try await hooked.update(id) { _ in _ = hooked.items.count }
            }
        }

        @Test("may find the file replaced")
        func replaced() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", (notes, hooked, id) = try await stores(path)
                try await Store<Note>.ofAnotherProcess("\(folder)/new.sqlite").insert(Note("new"))
                onDecoding(id) {
                    #expect(rename("\(folder)/new.sqlite", path) == 0 || errno == ENOENT)
                    _ = notes.items
                }
                _ = hooked.items
                try await eventually("the new file is read") { notes.ids == ["new"] && hooked.items.isEmpty }
                #expect(notes.status == .loaded && hooked.status == .loaded)
            }
        }

        @Test("go to another file and back")
        func back() async throws {
            try await withTemporaryFolder { folder in
                let one = try await stores("\(folder)/1.sqlite"), two = try await stores("\(folder)/2.sqlite")
                let read = Guarded<[[String]]>([])
                onDecoding(one.id) { _ = two.hooked.items }
                onDecoding(two.id) {
                    let ids = one.notes.ids
                    read.withLock { $0.append(ids) }
                }
                #expect(one.hooked.items.count == 1)
                #expect(read.withLock { $0 } == [["a"]])
            }
        }

        @Test("are in the temporary storage of the call that changes them")
        func temporaryStorage() async throws {
            try await withTemporaryStorage {
                let store = Store<Note>("notes", in: .standard), isInside = Guarded(false)
                try await store.insert(Note("a"))
                try await store.update("a") { _ in isInside.withLock { $0 = TemporaryScope.current != nil } }
                #expect(isInside.withLock { $0 })
            }
        }

        @Test("of two files that read each other's at the same time wait for each other only so long")
        func mutual() async throws {
            try await withTemporaryFolder { folder in
                let one = try await stores("\(folder)/1.sqlite"), two = try await stores("\(folder)/2.sqlite")
                let (oneBegan, twoBegan) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                onDecoding(one.id) {
                    oneBegan.signal()
                    twoBegan.wait()
                    twoBegan.signal()
                    _ = two.notes.items
                }
                onDecoding(two.id) {
                    twoBegan.signal()
                    oneBegan.wait()
                    oneBegan.signal()
                    _ = one.notes.items
                }
                async let first = offPool { one.hooked.items.count }
                async let second = offPool { two.hooked.items.count }
                #expect(await [first, second] == [1, 1])
                try await eventually("all are read") { one.notes.ids == ["a"] && two.notes.ids == ["a"] }
            }
        }

        @Test("cannot change one: that is a trap")
        func change() async {
            await #expect(processExitsWith: .failure) {
                let store = Store<Note>("notes", in: .inMemory())
                try await store.insert(Note("a"))
                try await store.update("a") { _ in try store.seed([Note("b")]) }
            }
        }

        @Test("throw their own errors as they are, even those of SQLite")
        func errors() async throws {
            let store = Store<Note>("notes", in: .inMemory())
            try await store.insert(Note("a"))
            await #expect(throws: DatabaseError.self) { try await store.update("a") { _ in throw DatabaseError(resultCode: .SQLITE_BUSY) } }
            await #expect(throws: DatabaseError.self) { try await store.removeAll { _ in throw DatabaseError(resultCode: .SQLITE_BUSY) } }
            #expect(store.ids == ["a"])
        }
    }
#endif
