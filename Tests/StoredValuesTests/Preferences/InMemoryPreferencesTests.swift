import Foundation
import Logging
import Testing

@testable import StoredValues

@Suite("Preferences in memory", .hangLimit)
struct InMemoryPreferencesTests {}

extension InMemoryPreferencesTests {
    @Test("They begin with what is given, and all that works with a file works")
    func everything() async throws {
        let storage = PreferencesFile.inMemory(#"{"count": 7, "theme": "dark"}"#)
        let count = StoredValue(key: "count", default: 0, storage: storage)
        var values = count.values.makeAsyncIterator()
        #expect(await values.next(isolation: nil) == 7)
        count.set(8)
        count.update { $0 += 1 }
        storage.batch {
            count.set(10)
            StoredValue(key: "theme", default: "light", storage: storage).reset()
        }
        for expected in 8...10 { #expect(await values.next(isolation: nil) == expected) }
        #expect(StoredValue(key: "count", default: 0, storage: storage).wrappedValue == 10)
        #expect(storage.keys == ["count"] && count.isStored)
        try await storage.flush()
        count.reset()
        #expect(await values.next(isolation: nil) == 0)
        #expect(storage.path.contains("in memory"))
    }

    @Test("Each is its own, and begins empty unless told")
    func separate() {
        let (one, other) = (PreferencesFile.inMemory(), PreferencesFile.inMemory())
        StoredValue(key: "count", default: 0, storage: one).set(1)
        #expect(one.keys == ["count"] && other.keys == [])
        withTemporaryStorage { #expect(one.keys == ["count"], "it is named explicitly") }
    }

    @Test("A change that is refused is reported as ever")
    func refused() async throws {
        let storage = PreferencesFile.inMemory(#"{"a": 1, "$versions": {"a": 2}}"#)
        StoredValue(key: "a", default: 0, storage: storage).set(5)
        let refusal = PreferencesError.newerVersion(key: "a", path: storage.path, stored: 2, supported: 0)
        await #expect(throws: refusal) { try await storage.flush() }
        try await storage.flush()
    }

    @Test("Nothing is logged, and nothing is written, wherever the process works")
    func silent() async throws {
        try await withTemporaryFolder { folder in
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                try #require(chdir(folder) == 0)
                for variable in ["HOME", "XDG_CONFIG_HOME", "TMPDIR"] { setenv(variable, folder, 1) }
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                let storage = PreferencesFile.inMemory(#"{"count": 7}"#)
                let count = StoredValue(key: "count", default: 0, storage: storage)
                for number in 0..<100 { count.set(number) }
                try await storage.flush()
                #expect(RecordingLogHandler.takeLines() == [])
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
            }
        }
    }

    @Test("They go with the last handle on them")
    func end() {
        func isGone(after body: (PreferencesFile) -> Void) -> Bool {
            weak var store: PreferencesStore?
            do {
                let storage = PreferencesFile.inMemory()
                store = storage.store
                body(storage)
            }
            return store == nil
        }
        #expect(isGone { _ in })
        #expect(isGone { StoredValue(key: "count", default: 0, storage: $0).set(1) })
    }
}
