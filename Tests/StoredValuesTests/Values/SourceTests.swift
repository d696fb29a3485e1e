import Foundation
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Where a value comes from", .hangLimit)
struct SourceTests {}

extension SourceTests {
    @Test("The file over the system-wide defaults over the code, inside a batch too")
    func order() throws {
        try withTemporaryFolder { folder in
            try #"{"a": 1}"#.write(toFile: folder + "/system.json", atomically: false, encoding: .utf8)
            let storage = PreferencesFile(path: folder + "/p.json")
            storage.store.addLayers([folder + "/system.json"])
            let a = StoredValue(key: "a", default: 0, storage: storage)
            let b = StoredValue(key: "b", default: 0, storage: storage)
            #expect(a.source == .system && b.source == .code)
            storage.batch {
                a.set(2)
                b.set(0)
                #expect(a.source == .file && b.source == .file)
                a.reset()
                #expect(a.source == .system)
            }
            #expect(a.source == .system && b.source == .file && b.isStored)
            b.reset()
            #expect(b.source == .code)
        }
    }

    @Test("What does not decode comes from the file all the same, and the repairs tell that")
    func broken() throws {
        try withTemporaryFolder { folder in
            try #"{"a": "?"}"#.write(toFile: folder + "/p.json", atomically: false, encoding: .utf8)
            let a = StoredValue(key: "a", default: 0, storage: PreferencesFile(path: folder + "/p.json"))
            #expect(a.source == .file && !a.repairs.isEmpty)
        }
    }

    @Test("An observer is notified of another source although the value stays the same")
    func observed() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let a = StoredValue(key: "a", default: 0, storage: storage)
            func changes(_ change: () throws -> Void) async throws {
                let isTold = Guarded(false)
                withObservationTracking {
                    _ = a.source
                } onChange: {
                    isTold.withLock { $0 = true }
                }
                try change()
                try await eventually("the observer is told") { isTold.withLock { $0 } }
            }
            try await changes { a.set(0) }
            #expect(a.source == .file)
            try await changes { a.reset() }
            #expect(a.source == .code)
            try #"{"a": 0}"#.write(toFile: folder + "/system.json", atomically: false, encoding: .utf8)
            storage.store.addLayers([folder + "/fleet.json"], of: .fleet, onTop: true)
            try await changes { storage.store.addLayers([folder + "/system.json"]) }
            #expect(a.source == .system && a.value == 0)
            try await changes { try #"{"a": 0}"#.write(toFile: folder + "/fleet.json", atomically: false, encoding: .utf8) }
            #expect(a.source == .fleet && a.value == 0)
        }
    }

    @Test("What could not be saved comes from memory, and an observer hears when a retry has saved it")
    func unsaved() async throws {
        try await withTemporaryFolder { folder in
            let operations = FaultyFileOperations(failing: ["rename": .noSpace])
            let storage = PreferencesFile.ofAnotherProcess(folder + "/p.json", operations: operations)
            let a = StoredValue(key: "a", default: 0, storage: storage)
            a.set(1)
            #expect(a.source == .memory && a.isStored && a.value == 1)
            let heard = Guarded(0)
            withObservationTracking {
                _ = a.source
            } onChange: {
                heard.withLock { $0 += 1 }
            }
            var values = a.values.makeAsyncIterator()
            #expect(await values.next() == 1)
            operations.fail("rename", with: nil)
            try await storage.flush()
            #expect(a.source == .file && a.isStored && heard.withLock { $0 } == 1)
            a.set(2)
            #expect(await values.next() == 2, "the value itself had not changed")
            operations.fail("rename", with: .noSpace)
            a.set(3)
            #expect(a.source == .memory)
            a.reset()
            #expect(a.source == .code && !a.isStored)
        }
    }

    @Test("With no place for a file, and in a file in memory, every stored value comes from memory")
    func noFile() async throws {
        let inMemory = StoredValue(key: "a", default: 0, storage: .inMemory(#"{"a": 1}"#))
        #expect(inMemory.source == .memory && inMemory.isStored)
        inMemory.set(2)
        #expect(inMemory.source == .memory)
        inMemory.reset()
        #expect(inMemory.source == .code)
        await #expect(processExitsWith: .success) {
            for variable in ["HOME", "XDG_CONFIG_HOME", "STORED_VALUES_PREFERENCES"] { unsetenv(variable) }
            let value = StoredValue(key: "a", default: 0)
            try #require(value.source == .code)
            value.set(1)
            try #require(value.source == .memory)
        }
    }
}
