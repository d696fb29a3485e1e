#if Store
    import StoredValuesSupport
    import Testing

    @testable import StoredValuesStore
    @testable import StoredValues

    @Suite("What other programs write into the rows of a store")
    struct StoreRowRulesTests {}

    extension StoreRowRulesTests {
        @Test("never traps, and leaves a reader that follows with what a new one finds")
        func random() throws {
            let seed = SeededGenerator.printedSeed(for: "StoreRowRulesTests")
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<300 {
                let input = (0..<Int.random(in: 1...120, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
                do { try StoreRowRules.check(input) } catch { return #expect(Bool(false), "\(error): \(input)") }
            }
        }
    }

    @Suite("What a store changes itself")
    struct StoreRevisionTests {}

    extension StoreRevisionTests {
        private typealias Step = ItemStep<Note>

        @Test("is counted in memory as the file has it, or another process would miss it")
        func counted() async throws {
            var generator = SeededGenerator(seed: SeededGenerator.printedSeed(for: "StoreRevisionTests"))
            let store = ItemStore<Note>("notes", ItemDatabase(.inMemory()), ItemCoder(template: nil)) { try ItemCoder<Note>.text($0.id) }
            for number in 0..<400 {
                let id = "\(number % 8)", new = number % 3 == 0 ? Note(id) : nil
                let steps =
                    switch Int.random(in: 0..<10, using: &generator) {
                    case 0: [Step.removeAll]
                    case 1: [Step.removeWhere { $0.count % 3 == 0 }]
                    case 2: [Step.update(try ItemCoder<String>.text(id), orInsert: new) { $0.count = number }]
                    case 3: [Step.updateWhere({ $0.count % 3 == 1 }, { $0.count = number })]
                    default: try (0..<Int.random(in: 1...4, using: &generator)).map { _ in try step(number, using: &generator) }
                    }
                try await store.change(steps)
                #expect(try last(store) == store.state.withLock(\.revision), "\(steps)")
            }
        }

        /// Inserts or removes some of a few items, of which there may be none, and one may be meant twice.
        private func step(_ number: Int, using generator: inout SeededGenerator) throws -> Step {
            let notes = (0..<Int.random(in: 1...5, using: &generator)).map { _ in Note("\(Int.random(in: 0..<8, using: &generator))", count: number) }
            let items = try notes.map { try EncodedItem(item: $0, id: ItemCoder<Note>.text($0.id), json: ItemCoder<Note>.text($0)) }
            return Bool.random(using: &generator) ? .insert(items) : .remove(items.map(\.id), unreadableToo: true)
        }

        private func last(_ store: ItemStore<Note>) throws -> Int64 {
            try store.database.turns.run { later in
                try store.database.write(&later) { try ItemRows(database: $0, store: "notes").lastRevision() }
            }
        }
    }
#endif
