#if Store
    import StoredValuesSupport
    import Testing

    @Suite("What other programs write into the rows of a store")
    struct StoreRowRulesTests {
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
#endif
