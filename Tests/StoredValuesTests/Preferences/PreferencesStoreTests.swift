import Dispatch
import Foundation
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("The store of a preferences file", .hangLimit)
struct PreferencesStoreTests {}

extension PreferencesStoreTests {
    @Test("An observer that hears of the system-wide defaults while a file opens may open another one")
    func openingInsideObserver() async throws {
        try await withTemporaryFolder { folder in
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_HOME", folder + "/home", 1)
                setenv("XDG_CONFIG_DIRS", folder + "/etc", 1)
                StorageSystem.bootstrap(applicationID: "app")
                try FileManager.default.createDirectory(atPath: folder + "/etc/app", withIntermediateDirectories: true)
                try Data(#"{"theme": "dark"}"#.utf8).write(to: URL(fileURLWithPath: folder + "/etc/app/preferences.json"))
                let storage = PreferencesFile(path: folder + "/home/app/preferences.json")
                let theme = StoredValue(key: "theme", default: "light", storage: storage)
                let heard = Guarded<[String]>([])
                withObservationTracking {
                    _ = theme.wrappedValue
                } onChange: {
                    let keys = PreferencesFile.named("other").keys
                    heard.withLock { $0 = keys + [theme.wrappedValue] }
                }
                #expect(PreferencesFile.standard.keys == [])
                #expect(heard.withLock { $0 } == ["dark"])
            }
        }
    }

    /// Makes a link `current.json` to `a.json`, beside `b.json`; they hold 1 and 2.
    private func makeLink(in folder: String) throws {
        for (name, number) in [("a", 1), ("b", 2)] {
            try writeFinished(Array("{\"n\": \(number)}".utf8), to: "\(folder)/\(name).json")
        }
        try FileManager.default.createSymbolicLink(atPath: folder + "/current.json", withDestinationPath: "a.json")
    }

    /// Lets the link lead to `b.json`.
    private func retargetLink(in folder: String) throws {
        try FileManager.default.createSymbolicLink(atPath: folder + "/new", withDestinationPath: "b.json")
        #expect(rename(folder + "/new", folder + "/current.json") == 0)
    }

    private func number(at path: String) -> StoredValue<Int> { StoredValue(key: "n", default: 0, storage: PreferencesFile(path: path)) }

    @Test("After a link was retargeted, the path of its former target opens that file, and the link's handles follow the link")
    func formerTarget() throws {
        try withTemporaryFolder { folder in
            try makeLink(in: folder)
            let current = number(at: folder + "/current.json")
            #expect(current.wrappedValue == 1)
            try retargetLink(in: folder)
            let former = number(at: folder + "/a.json")
            #expect(former.wrappedValue == 1)
            former.set(10)
            current.set(20)
            #expect(former.wrappedValue == 10 && current.wrappedValue == 20)
            #expect(try contents(ofFile: folder + "/a.json").contains("\"n\": 10"))
            #expect(try contents(ofFile: folder + "/b.json").contains("\"n\": 20"))
        }
    }

    @Test("Handles by one path share their values at once, also after a link on it was retargeted; so do those by the path of its target")
    func samePath() throws {
        try withTemporaryFolder { folder in
            try makeLink(in: folder)
            let current = PreferencesFile(path: folder + "/current.json")
            #expect(PreferencesFile(path: folder + "/a.json").store === current.store)
            try retargetLink(in: folder)
            #expect(PreferencesFile(path: folder + "/current.json").store === current.store)
        }
    }

    @Test("A file's own path, and a link that was retargeted to it, lose none of each other's changes")
    func newTarget() throws {
        try withTemporaryFolder { folder in
            try makeLink(in: folder)
            let current = number(at: folder + "/current.json")
            try retargetLink(in: folder)
            let target = number(at: folder + "/b.json")
            for _ in 0..<20 {
                current.update { $0 += 1 }
                target.update { $0 += 1 }
            }
            #expect(try contents(ofFile: folder + "/b.json").contains("\"n\": 42"))
        }
    }

    @Test("A flush that hangs ends with its deadline or its task, and what it has begun continues")
    func hangingFlush() async throws {
        try await withTemporaryFolder { folder in
            let disk = DispatchSemaphore(value: 0)
            let operations = FaultyFileOperations { call in
                guard call == "synchronize" else { return }
                disk.wait()
                disk.signal()
            }
            let storage = PreferencesFile.ofAnotherProcess(folder + "/p.json", operations: operations, syncDelay: .seconds(3600))
            let store = storage.store
            StoredValue(key: "n", default: 0, storage: storage).set(1)
            await #expect(throws: PreferencesError.timedOut(path: store.path, after: .milliseconds(1))) {
                try await store.flush(deadline: .milliseconds(1))
            }
            let task = Task { try await storage.flush() }
            task.cancel()
            await #expect(throws: PreferencesError.cancelled(path: store.path)) { try await task.value }
            disk.signal()
            try await storage.flush()
            #expect(try contents(ofFile: folder + "/p.json.durable").contains("\"n\": 1"))
        }
    }

    @Test("An edit of what cannot be read says so")
    func unreadable() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let error = #expect(throws: PreferencesError.self) {
                _ = try PreferencesFile.ofAnotherProcess(path).beginEdit()
            }
            guard case .notRead(path, _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("Nothing is kept in memory for keys that are no longer used")
    func forgottenKeys() throws {
        try withTemporaryFolder { folder in
            let storage = PreferencesFile.ofAnotherProcess(folder + "/p.json")
            func keys() -> [String] { storage.store.state.withLock { $0.audience.keys }.map(\.text) }
            let kept = StoredValue(key: "kept", default: 0, storage: storage)
            kept.set(1)
            for number in 0..<1000 { _ = StoredValue(key: "k\(number)", default: 0, storage: storage).wrappedValue }
            #expect(keys() == ["kept"])
            kept.set(2)
            #expect(kept.wrappedValue == 2)
            // With another type, too, now that nobody has the first one.
            #expect(StoredValue(key: "k1", default: "none", storage: storage).wrappedValue == "none")
        }
    }

    @Test("Of the changes that were refused and that no flush has asked for, a hundred are kept")
    func refusalsWithoutFlush() {
        var log = TroubleLog(path: "p.json")
        let refusals = (0..<300).map { PreferencesError.tooLarge(key: "k\($0)", path: "p.json", limit: 1) }
        for refusal in refusals { log.refuse(refusal) }
        #expect(log.takeRefusals() == Array(refusals.prefix(100)))
        log.refuse(.tooLarge(key: "k", path: "p.json", limit: 1))
        #expect(log.takeRefusals() == [.tooLarge(key: "k", path: "p.json", limit: 1)])
    }

    @Test("A change that was checked just before it is written is not refused for what others write in between")
    func checkedAndWritten() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json", storage = PreferencesFile.ofAnotherProcess(path)
            let text = StoredJSON(json: Array("30".utf8))
            try storage.store.change("set(checking:)", of: "limit") { changes in
                changes.set("limit", to: text, if: .notNewer(than: 0))
                try storage.store.check(changes)  // as set(checking:) does
                try writeFinished(Array(#"{"limit": 1, "$versions": {"limit": 3}}"#.utf8), to: path)
                storage.store.refresh()  // as the watch does
            }
            #expect(StoredValue(key: "limit", default: 60, storage: storage).wrappedValue == 30)
            #expect(storage.store.state.withLock { $0.log.takeRefusals() } == [])
        }
    }

    @Test("In a batch, a checked change does not keep the file from being read")
    func checkedInBatch() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json", storage = PreferencesFile.ofAnotherProcess(path)
            let limit = StoredValue(key: "limit", default: 60, storage: storage), name = StoredValue(key: "name", default: "", storage: storage)
            try storage.batch {
                try limit.set(checking: 30)
                try writeFinished(Array(#"{"name": "theirs"}"#.utf8), to: path)
                storage.reload()
                #expect(name.wrappedValue == "theirs" && limit.wrappedValue == 30)
            }
            #expect(name.wrappedValue == "theirs" && limit.wrappedValue == 30)
        }
    }

    @Test("Threads do not grow with files")
    func threads() async throws {
        try await withTemporaryFolder { folder in
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                let files = (0..<300).map { PreferencesFile(path: "\(folder)/\($0).json") }
                for file in files { StoredValue(key: "n", default: 0, storage: file).set(1) }
                var most = 0
                try await eventually("all are watched, and on the disk") {
                    most = max(most, try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count)
                    return files.allSatisfy { file in
                        !file.store.state.withLock { $0.watches.isEmpty } && FileManager.default.fileExists(atPath: file.path + ".durable")
                    }
                }
                // Those of Swift's pool are one for each processor.
                #expect(most < 64 + ProcessInfo.processInfo.activeProcessorCount, "\(most) threads")
            }
        }
    }
}
