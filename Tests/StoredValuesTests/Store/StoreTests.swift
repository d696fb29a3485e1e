#if Store
    import StoredValues
    import Testing

    @testable import StoredValuesStore

    @Suite("A store of items")
    struct StoreTests {
        private let store = Store<Note>("notes", in: .inMemory())
    }

    extension StoreTests {
        @Test("has what was inserted, in the order of insertion")
        func order() async throws {
            try await store.insert(Note("b"))
            try await store.insert([Note("z"), Note("a")])
            #expect(store.ids == ["b", "z", "a"])
        }

        @Test("keeps the place of an item that is replaced")
        func replaced() async throws {
            try await store.insert([Note("b"), Note("z"), Note("a")])
            try await store.insert([Note("z", "new"), Note("c")])
            #expect(store.items == [Note("b"), Note("z", "new"), Note("a"), Note("c")])
        }

        @Test("takes the last of several items with one id, at the place of the first")
        func twice() async throws {
            let events = Collector(store.events)
            try await eventually("the reader has begun") { events.elements.count == 2 }
            try await store.insert([Note("a", "1"), Note("b"), Note("a", "2")])
            #expect(store.items == [Note("a", "2"), Note("b")])
            try await eventually("the event is there") { events.elements.count >= 3 }
            #expect(events.elements.count == 3 && events.elements.last == StoreEvent(.insert, [Note("a", "2"), Note("b")], false))
        }

        @Test("removes by id: one, a list, those that are meant, all; what is not there is no error")
        func remove() async throws {
            try await store.insert(["a", "b", "c", "d", "e", "f"].map { Note($0) })
            try await store.remove(Note("a", "another text"))
            try await store.remove([Note("b"), Note("x")])
            #expect(try await store.remove(id: "c") == Note("c"))
            #expect(try await store.remove(id: "y") == nil)
            #expect(try await store.removeAll { $0.id == "d" } == [Note("d")])
            #expect(store.ids == ["e", "f"])
            try await store.removeAll()
            #expect(store.items == [])
        }

        @Test("puts an item that was removed and is inserted again at the end")
        func again() async throws {
            try await store.insert([Note("a"), Note("b")])
            try await store.remove(id: "a")
            try await store.insert(Note("a"))
            #expect(store.ids == ["b", "a"])
        }

        @Test("compares ids as bytes: two that are equal as strings are two")
        func bytes() async throws {
            let composed = "\u{E9}", decomposed = "e\u{301}"
            #expect(composed == decomposed)
            try await store.insert([Note(composed), Note(decomposed)])
            #expect(store.items.count == 2)
            try await store.remove(id: composed)
            #expect(store.items.map { Array($0.id.utf8) } == [Array(decomposed.utf8)])
        }

        @Test("finds an item by its id")
        func find() async throws {
            try await store.insert([Note("a", "1"), Note("b", "2")])
            #expect(store[id: "b"] == Note("b", "2"))
            #expect(store[id: "c"] == nil)
        }

        @Test("updates one item, and returns it; nil if there is none")
        func update() async throws {
            try await store.insert([Note("a"), Note("b")])
            #expect(try await store.update("a") { $0.count += 1 } == Note("a", count: 1))
            #expect(try await store.update("c") { $0.count += 1 } == nil)
            #expect(store.items == [Note("a", count: 1), Note("b")])
        }

        @Test("has nothing of an update that throws, or that changes the id")
        func failedUpdate() async throws {
            struct Refused: Error {}
            let store = Store<Renamable>("names", in: .inMemory())
            try await store.insert(Renamable(id: "a"))
            await #expect(throws: Refused.self) {
                try await store.update("a") { item in
                    item.count = 1
                    throw Refused()
                }
            }
            await #expect(throws: StoreError.changedID(store: "names", id: "\"a\"")) { try await store.update("a") { $0.id = "b" } }
            #expect(store.items == [Renamable(id: "a")])
        }

        @Test("has nothing of an update of an object that throws, and changes no object that readers have")
        func object() async throws {
            struct Refused: Error {}
            let store = Store<Counter>("counters", in: .inMemory())
            try await store.insert(Counter(id: "a"))
            let before = try #require(store[id: "a"])
            await #expect(throws: Refused.self) {
                try await store.update("a") { item in
                    item.count = 1
                    throw Refused()
                }
            }
            #expect(store[id: "a"]?.count == 0)
            let after = try await store.update("a") { $0.count = 2 }
            #expect(after?.count == 2 && store[id: "a"]?.count == 2 && before.count == 0)
        }

        private class Counter: Codable, Identifiable, @unchecked Sendable {  // used by one after another
            let id: String
            var count = 0
            init(id: String) { self.id = id }
        }

        private final class NamedCounter: Counter, @unchecked Sendable {
            private enum Key: CodingKey { case name }
            let name: String

            init(id: String, name: String) {
                self.name = name
                super.init(id: id)
            }

            required init(from decoder: any Decoder) throws {
                name = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .name)
                try super.init(from: decoder)
            }

            override func encode(to encoder: any Encoder) throws {
                try super.encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(name, forKey: .name)
            }
        }

        @Test("updates an object of a subclass as one, and loses nothing of it")
        func subclass() async throws {
            let store = Store<Counter>("counters", in: .inMemory())
            try await store.insert(NamedCounter(id: "a", name: "A"))
            let after = try await store.update("a") { $0.count = 1 }
            #expect(after?.count == 1 && (after as? NamedCounter)?.name == "A")
        }

        @Test("updates the item that it is given if there is none with that id, and inserts it")
        func updateOrInsert() async throws {
            try await store.insert(Note("a"))
            for count in 1...2 {
                #expect(try await store.update(orInsert: Note("b", "new")) { $0.count += 1 } == Note("b", "new", count: count))
            }
            #expect(store.items == [Note("a"), Note("b", "new", count: 2)])
            let names = Store<Renamable>("names", in: .inMemory())
            await #expect(throws: StoreError.changedID(store: "names", id: "\"c\"")) {
                try await names.update(orInsert: Renamable(id: "c")) { $0.id = "d" }
            }
            #expect(names.items == [])
        }

        @Test("updates all items that are meant, or none, as one change, and returns them in their order")
        func updateAll() async throws {
            struct Refused: Error {}
            try await store.insert(["b", "z", "a", "c"].map { Note($0) })
            let events = Collector(store.events)
            try await eventually("the reader has begun") { events.elements.count == 2 }
            await #expect(throws: Refused.self) {
                try await store.updateAll(where: { _ in true }) { item in
                    if item.id == "c" { throw Refused() }
                    item.count = 7
                }
            }
            let changed = try await store.updateAll(where: { $0.id < "c" }) { $0.count += 1 }
            #expect(changed == [Note("b", count: 1), Note("a", count: 1)])
            #expect(try await store.updateAll(where: { $0.count > 1 }) { $0.count = 0 } == [])
            let all = [Note("b", count: 1), Note("z"), Note("a", count: 1), Note("c")]
            #expect(store.items == all)
            try await store.removeAll()
            try await eventually("the last event is there") { events.elements.last?.operation == .remove }
            #expect(events.elements.dropFirst(2) == [StoreEvent(.insert, changed, false), StoreEvent(.remove, all, false)])
        }

        private struct Renamable: Codable, Identifiable, Equatable {
            var id: String
            var count = 0
        }

        @Test("has nothing of an insertion with an item that cannot be encoded")
        func notEncodable() async throws {
            struct Item: Codable, Identifiable, Equatable {
                let id: Int
                var isBad = false
                struct Refused: Error, CustomStringConvertible { let description = "refused" }
                func encode(to encoder: any Encoder) throws {
                    if isBad { throw Refused() }
                    var container = encoder.singleValueContainer()
                    try container.encode(id)
                }
                init(id: Int, isBad: Bool = false) { (self.id, self.isBad) = (id, isBad) }
                init(from decoder: any Decoder) throws { self.init(id: try decoder.singleValueContainer().decode(Int.self)) }
            }
            let store = Store<Item>("items", in: .inMemory())
            await #expect(throws: StoreError.notEncodable(store: "items", reason: "refused")) {
                try await store.insert([Item(id: 1), Item(id: 2, isBad: true)])
            }
            #expect(store.items == [])
        }

        @Test("says of an item that cannot be encoded why, and shows nothing of it")
        func encodingError() async throws {
            final class Item: Codable, Identifiable, @unchecked Sendable {  // changed by its test only
                struct ID: Codable, Hashable {
                    let text: String
                    func encode(to encoder: any Encoder) throws {
                        if text == "bad" { throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "no id")) }
                        try text.encode(to: encoder)
                    }
                    init(_ text: String) { self.text = text }
                    init(from decoder: any Decoder) throws { text = try String(from: decoder) }
                }
                enum CodingKeys: CodingKey { case id }
                let id: ID
                var isBad = false
                init(_ id: String, isBad: Bool = false) { (self.id, self.isBad) = (ID(id), isBad) }
                func encode(to encoder: any Encoder) throws {
                    if isBad { throw EncodingError.invalidValue(self, .init(codingPath: [CodingKeys.id], debugDescription: "refused")) }
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(id, forKey: .id)
                }
            }
            let store = Store<Item>("items", in: .inMemory()), good = Item("a")
            let refused = StoreError.notEncodable(store: "items", reason: "refused (at id)")
            await #expect(throws: refused) { try await store.insert(Item("b", isBad: true)) }
            try await store.insert(good)
            good.isBad = true
            await #expect(throws: refused) { try await store.update(Item.ID("a")) { _ in } }
            let noID = StoreError.notEncodable(store: "items", reason: "no id")
            await #expect(throws: noID) { try await store.remove(Item("bad")) }
            await #expect(throws: noID) { try await store.remove(id: Item.ID("bad")) }
        }

        @Test("is keyed by any property, named by a key path")
        func keyPath() async throws {
            let store = Store<Note>("by text", in: .inMemory(), id: \.text)
            try await store.insert([Note("1", "a"), Note("2", "b"), Note("3", "a")])
            #expect(store.ids == ["3", "2"])
        }

        @Test("is one with every other of its name and file, and apart from those of other names and files")
        func shared() async throws {
            let file = StoreFile.inMemory()
            let one = Store<Note>("notes", in: file), other = Store<Note>("notes", in: file), third = Store<Note>("Notes", in: file)
            try await one.insert(Note("a"))
            #expect(other.ids == ["a"])
            #expect(third.ids == [])
            #expect(Store<Note>("notes", in: .inMemory()).ids == [])
        }

        @Test("does nothing for a task that was cancelled before")
        func cancelled() async throws {
            let store = store
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await store.insert(Note("a"))
            }
            task.cancel()
            await #expect(throws: StoreError.cancelled) { try await task.value }
            #expect(store.items == [])
        }
    }

    @Suite("A chain of changes")
    struct StoreChainTests {
        private let store = Store<Note>("notes", in: .inMemory())
    }

    extension StoreChainTests {
        @Test("does nothing before run()")
        func lazy() async throws {
            let chain: StoreChain = store.insert(Note("a")).insert([Note("b"), Note("c")])
            #expect(store.items == [])
            try await chain.run()
            #expect(store.ids == ["a", "b", "c"])
        }

        @Test("has each operation act on what those before it left")
        func steps() async throws {
            try await store.insert([Note("a"), Note("b")])
            try await store.remove(Note("a")).insert(Note("c")).insert([Note("a"), Note("d")]).remove([Note("c"), Note("b")]).run()
            #expect(store.ids == ["a", "d"])
            try await store.insert(Note("x")).removeAll().insert(Note("y")).insert(Note("y", "again")).run()
            #expect(store.items == [Note("y", "again")])
            try await store.insert(Note("z")).removeAll().remove(Note("z")).run()
            #expect(store.items == [])
        }

        @Test("is one transaction: events come together, after it")
        func oneTransaction() async throws {
            try await store.insert([Note("a"), Note("b")])
            let events = Collector(store.events)
            try await eventually("the reader has begun") { events.elements.count == 2 }
            try await store.remove(Note("a")).insert(Note("c")).run()
            try await events.wait(for: [
                StoreEvent(.initialized, [], false), StoreEvent(.loaded, [Note("a"), Note("b")], false),
                StoreEvent(.remove, [Note("a")], false), StoreEvent(.insert, [Note("c")], false),
            ])
        }
    }
#endif
