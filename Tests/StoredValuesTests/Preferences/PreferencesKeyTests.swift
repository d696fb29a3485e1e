import Testing

@testable import StoredValues

@Suite("Keys")
struct PreferencesKeyTests {
    /// Both are "é"; Swift takes them for equal, JSON does not.
    private let composed = "\u{E9}", decomposed = "e\u{301}"

    @Test("Keys that look alike are two keys, in memory as in the file")
    func lookalikes() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations()
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations)
            let a = StoredValue(key: composed, default: 0, storage: storage)
            let b = StoredValue(key: decomposed, default: 0, storage: storage)
            a.set(1)
            b.set(2)
            #expect(a.wrappedValue == 1 && b.wrappedValue == 2)
            operations.fail("rename", with: .noSpace)
            a.set(3)
            b.set(4)
            operations.fail("rename", with: nil)
            try await storage.flush()
            #expect(a.wrappedValue == 3 && b.wrappedValue == 4)
            let other = PreferencesFile.ofAnotherProcess(path)
            #expect(StoredValue(key: composed, default: 0, storage: other).wrappedValue == 3)
            #expect(StoredValue(key: decomposed, default: 0, storage: other).wrappedValue == 4)
            other.batch {
                StoredValue(key: composed, default: 0, storage: other).set(5)
                StoredValue(key: decomposed, default: 0, storage: other).reset()
            }
            b.reset()
            #expect(a.wrappedValue == 5 && !b.isStored)
            #expect(storage.keys.map { Array($0.utf8) } == [Array(composed.utf8)])
        }
    }
}
