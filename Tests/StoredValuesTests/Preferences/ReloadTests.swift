import Foundation
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Reading the disk at once", .hangLimit)
struct ReloadTests {}

extension ReloadTests {
    private func write(_ text: String, _ path: String, atomically: Bool = true) throws {
        try text.write(toFile: path, atomically: atomically, encoding: .utf8)
    }

    @Test("When it returns, getters have it, of the file and of the system-wide defaults, and it waits in every stream", arguments: [true, false])
    func reload(atomically: Bool) async throws {
        try await withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            let storage = PreferencesFile.ofAnotherProcess(folder + "/p.json", operations: operations)
            storage.store.addLayers([folder + "/layer.json"])
            let a = StoredValue(key: "a", default: 0, storage: storage), b = StoredValue(key: "b", default: 0, storage: storage)
            #expect(a.wrappedValue == 0)
            // So that nothing comes by itself.
            storage.store.queues.watching.suspend()
            defer { storage.store.queues.watching.resume() }
            var values = a.values.makeAsyncIterator()
            for number in 1...50 {
                try write("{\"a\": \(number)}", folder + "/p.json", atomically: atomically)
                storage.reload()
                #expect(a.wrappedValue == number)
                try write("{\"b\": \(number), \"a\": -1}", folder + "/layer.json", atomically: atomically)
                storage.reload()
                #expect(b.wrappedValue == number && a.wrappedValue == number)
            }
            for number in 0...50 { #expect(await values.next(isolation: nil) == number) }
            // It asks for no permission that reading would not need.
            #expect(!operations.calls.contains { ["lock", "rename", "makeFolder"].contains($0) })
        }
    }

    @Test("It misses nothing while this process writes, and no older state comes after it")
    func whileWriting() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path, lockTimeout: hangLimit)
            let other = PreferencesFile.ofAnotherProcess(path, lockTimeout: hangLimit)
            storage.store.addLayers([folder + "/layer.json"])
            let value = StoredValue(key: "theirs", default: 0, storage: storage), layered = StoredValue(key: "layered", default: 0, storage: storage)
            let theirs = StoredValue(key: "theirs", default: 0, storage: other)
            let isDone = Guarded(false)
            let ours = Task {
                await offPool {
                    var number = 0
                    while !isDone.withLock({ $0 }) {
                        number += 1
                        StoredValue(key: "ours", default: 0, storage: storage).set(number)
                    }
                }
            }
            await offPool {
                for number in 1...200 {
                    theirs.set(number)
                    storage.reload()
                    #expect(value.wrappedValue == number)
                    #expect(throws: Never.self) { try write("{\"layered\": \(number)}", folder + "/layer.json") }
                    storage.reload()
                    for _ in 0..<10 { #expect(layered.wrappedValue == number) }
                }
                isDone.withLock { $0 = true }
            }
            await ours.value
        }
    }

    @Test("What an editor writes just when a change of ours has been written is read, too")
    func afterRename() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let isReplaced = Guarded(false)
            let meanwhile = Guarded<(@Sendable () -> Void)?>(nil)
            let operations = FaultyFileOperations { call in
                if call == "rename" { return isReplaced.withLock { $0 = true } }
                guard isReplaced.withLock({ $0 }), let act = meanwhile.withLock({ $0.take() }) else { return }
                act()
            }
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations, syncDelay: .seconds(3600))
            let theirs = StoredValue(key: "theirs", default: 0, storage: storage)
            let seen = Guarded<Int?>(nil), isDone = DispatchSemaphore(value: 0)
            meanwhile.withLock {
                $0 = {
                    let text = #"{"theirs": 5}"#
                    #expect(throws: Never.self) { try text.write(toFile: path, atomically: true, encoding: .utf8) }
                    let thread = Guarded<String?>(nil)
                    Thread.detachNewThread {
                        thread.withLock { $0 = try? FileOperations.posix.readLink("/proc/thread-self") }
                        storage.reload()
                        seen.withLock { $0 = theirs.wrappedValue }
                        isDone.signal()
                    }
                    // It waits for the change that is under way; one that does not is done then.
                    while !isAsleep(thread.withLock { $0 }) {
                        if isDone.wait(timeout: .now() + .milliseconds(1)) == .success {
                            isDone.signal()
                            break
                        }
                    }
                }
            }
            StoredValue(key: "ours", default: 0, storage: storage).set(1)
            isDone.wait()
            #expect(seen.withLock { $0 } == 5)
        }
    }

    @Test("Inside a batch and inside an update it reads too, and observers hear of it at the end")
    func insideChange() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path)
            let a = StoredValue(key: "a", default: 0, storage: storage), b = StoredValue(key: "b", default: 0, storage: storage)
            let notices = Guarded(0)
            // What the watch reads by itself would be told at once.
            storage.store.queues.watching.sync {}
            storage.store.queues.watching.suspend()
            defer { storage.store.queues.watching.resume() }
            try b.update { number in
                withObservationTracking {
                    _ = a.wrappedValue
                } onChange: {
                    notices.withLock { $0 += 1 }
                }
                try write(#"{"a": 1, "b": 2}"#, path)
                storage.reload()
                #expect(a.wrappedValue == 1 && notices.withLock { $0 } == 0)
                number += 10
            }
            #expect(notices.withLock { $0 } == 1)
            #expect(a.wrappedValue == 1 && b.wrappedValue == 10)
            try storage.batch {
                b.set(3)
                try write(#"{"a": 4, "b": 5}"#, path)
                storage.reload()
                #expect(a.wrappedValue == 4 && b.wrappedValue == 3)
            }
            #expect(try contents(ofFile: path) == "{\n  \"a\": 4,\n  \"b\": 3\n}\n")
        }
    }

    @Test("Inside a change of another file, observers hear at the end of that")
    func insideChangeOfAnother() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path)
            let a = StoredValue(key: "a", default: 0, storage: storage), other = StoredValue(key: "b", default: 0, storage: .inMemory())
            let notices = Guarded(0)
            // What the watch reads by itself would be told at once.
            storage.store.queues.watching.sync {}
            storage.store.queues.watching.suspend()
            defer { storage.store.queues.watching.resume() }
            withObservationTracking {
                _ = a.wrappedValue
            } onChange: {
                notices.withLock { $0 += 1 }
            }
            try other.update { number in
                try write(#"{"a": 1}"#, path)
                storage.reload()
                #expect(a.wrappedValue == 1 && notices.withLock { $0 } == 0)
                number = 1
            }
            #expect(notices.withLock { $0 } == 1)
        }
    }

    @Test("A program that requires a readable file is told which one is not, and why; a missing one is none of them")
    func requireReadable() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path)
            try storage.requireReadable()
            try write("{\n\"a\": 1,}", path)
            let error = #expect(throws: PreferencesError.self) { try storage.requireReadable() }
            guard case .notRead(path, let reason) = error else { throw try #require(error) }
            #expect(reason.contains("line 2") && reason.hasPrefix("It is not JSON"), "\(reason)")
            try write("{}", path)
            try storage.requireReadable()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(throws: PreferencesError.self) { try storage.requireReadable() }
            try FileManager.default.removeItem(atPath: path)
            let layer = folder + "/layer.json"
            storage.store.addLayers([layer], of: .systemWide)
            try storage.requireReadable()
            try write("[]", layer)
            #expect(throws: PreferencesError.self) { try storage.requireReadable() }
        }
    }

    @Test("Of a file that is not JSON the last good values stay; one that is gone holds nothing")
    func broken() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path)
            let a = StoredValue(key: "a", default: 0, storage: storage)
            a.set(1)
            try write("{", path)
            storage.reload()
            #expect(a.wrappedValue == 1)
            try FileManager.default.removeItem(atPath: path)
            storage.reload()
            #expect(a.wrappedValue == 0 && !a.isStored)
        }
    }
}
