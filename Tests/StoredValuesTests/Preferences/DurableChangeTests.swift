import Foundation
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("set(durably:)", .hangLimit)
struct DurableChangeTests {}

extension DurableChangeTests {
    private func value(_ path: String, _ operations: FileOperations = .posix) -> StoredValue<Int> {
        StoredValue(
            key: "limit", default: 60, in: 1...100, storage: .ofAnotherProcess(path, operations: operations, syncDelay: .seconds(3600)))
    }

    @Test("When it returns, the value is in the file and in its last durable state, and every reader has it")
    func stores() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/app/p.json", limit = value(path)
            var values = limit.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 60)
            try await limit.set(durably: 30)
            #expect(limit.value == 30 && limit.source == .file)
            #expect(await values.next(isolation: nil) == 30)
            #expect(try contents(ofFile: path) == contents(ofFile: path + ".durable"))
            #expect(value(path).value == 30)
            try await limit.set(durably: 30)
            #expect(limit.value == 30)
        }
    }

    @Test("By the key, without a wrapper, a value is stored checked or durably")
    func byKey() async throws {
        try await withTemporaryFolder { folder in
            let key = StoredKey("limit", default: 60, in: 1...100), file = PreferencesFile(path: folder + "/p.json")
            try file.set(key, checking: 30)
            #expect(file[key] == 30)
            try await file.set(key, durably: 40)
            #expect(file[key] == 40)
            #expect(throws: PreferencesError.self) { try file.set(key, checking: 101) }
            await #expect(throws: PreferencesError.self) { try await file.set(key, durably: 101) }
            #expect(file[key] == 40)
        }
    }

    @Test("In memory alone it stores, and there is nothing to sync")
    func inMemory() async throws {
        let limit = StoredValue(key: "limit", default: 60, storage: .inMemory())
        try await limit.set(durably: 30)
        #expect(limit.value == 30)
    }

    @Test("It refuses what set(checking:) refuses, with the same error, and flush does not throw that again")
    func refusals() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", limit = value(path)
            let refusal = #expect(throws: PreferencesError.self) { try limit.set(checking: 101) }
            #expect(await #expect(throws: PreferencesError.self) { try await limit.set(durably: 101) } == refusal)
            #expect(limit.value == 60 && !limit.isStored)
            try await limit.flush()

            try #"{"limit": 1, "$versions": {"limit": 3}}"#.write(toFile: path, atomically: true, encoding: .utf8)
            await #expect(throws: PreferencesError.newerVersion(key: "limit", path: path, stored: 3, supported: 0)) {
                try await limit.set(durably: 30)
            }
            try await limit.flush()
        }
    }

    @Test(
        "Whichever step fails before the new file takes the place of the old one, nothing has changed",
        arguments: ["open creating", "write", "synchronize", "rename", "read"])
    func failingStep(_ step: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", operations = FaultyFileOperations(), limit = value(path, operations)
            try await limit.set(durably: 30)
            let before = try contents(ofFile: path), durable = try contents(ofFile: path + ".durable")
            var values = limit.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 30)
            operations.fail(step, with: .ioFailed)
            let failure = await #expect(throws: PreferencesError.self) { try await limit.set(durably: 31) }
            #expect(failure.map { "\($0)" }?.contains("EIO") == true)
            #expect(try contents(ofFile: path) == before && contents(ofFile: path + ".durable") == durable)
            #expect(limit.value == 30 && limit.source == .file)
            operations.fail(step, with: nil)
            try await limit.flush()
            #expect(try contents(ofFile: path) == before)
            try await limit.set(durably: 32)
            #expect(await values.next(isolation: nil) == 32, "nobody has seen the other one")
        }
    }

    @Test(
        "If only the folder or the durable state cannot be synced, the old content is put back, or there is no file as before",
        arguments: ["/app", ".durable.stored-values.tmp"], [true, false])
    func putBack(_ path: String, wasThere: Bool) async throws {
        let disk = MemoryDisk(), place = "/app/p.json", limit = value(place, disk)
        if wasThere { try await limit.set(durably: 30) }
        let before = disk.files[place]
        disk.failToSynchronize(path, with: .ioFailed)
        let failure = await #expect(throws: PreferencesError.self) { try await limit.set(durably: 31) }
        let sentence = "\(try #require(failure))"
        #expect(sentence.contains("put back") && sentence.contains("EIO"))
        #expect(disk.files[place] == before)
        #expect(limit.value == (wasThere ? 30 : 60))
        disk.failToSynchronize(path, with: nil)
        try await limit.set(durably: 32)
        #expect(value(place, MemoryDisk(disk.files)).value == 32)
    }

    @Test("On a disk that is nearly full it is stored as soon as there is room for one file, or nothing has changed", arguments: [true, false])
    func nearlyFull(wasFlushed: Bool) async throws {
        for percent in stride(from: 0, through: 300, by: 20) {
            let disk = MemoryDisk(), place = "/app/p.json", limit = value(place, disk)
            if wasFlushed {
                limit.set(30)
                try await limit.storage.flush()
            } else {
                try await limit.set(durably: 30)
            }
            let before = disk.files, size = before[place]?.count ?? 0
            disk.leaveRoom(size * percent / 100)
            do {
                try await limit.set(durably: 31)
                #expect(limit.value == 31 && disk.files[place] == disk.files[place + ".durable"] && percent >= 100, "\(percent) %")
            } catch {
                #expect(limit.value == 30 && disk.files == before && percent < 100, "\(percent) %: \(error)")
            }
        }
    }

    @Test("If not even the old content can be put back, the error says that the new value is in the file, and why")
    func notPutBack() async throws {
        let disk = MemoryDisk(), place = "/app/p.json", limit = value(place, disk)
        try await limit.set(durably: 30)
        disk.failToSynchronize("/app", with: .ioFailed)
        let other = try disk.open(place, for: .reading)  // holds the old file, and its room
        defer { disk.close(other) }
        disk.leaveRoom((disk.files[place]?.count ?? 0) * 3 / 2)
        let failure = await #expect(throws: PreferencesError.self) { try await limit.set(durably: 31) }
        let sentence = "\(try #require(failure))"
        #expect(sentence.contains("The new value is in the file") && sentence.contains("EIO") && sentence.contains("ENOSPC"))
        #expect(!sentence.contains("unchanged"))
    }

    @Test("What was set before and could not be written stays in memory if this fails, too, and is written with it if not")
    func pending() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", operations = FaultyFileOperations(), limit = value(path, operations)
            let other = StoredValue(key: "other", default: 0, storage: limit.storage)
            operations.fail("rename", with: .noSpace)
            other.set(1)
            await #expect(throws: PreferencesError.self) { try await limit.set(durably: 31) }
            #expect(other.value == 1 && other.source == .memory && limit.value == 60)
            operations.fail("rename", with: nil)
            try await limit.set(durably: 32)
            #expect(other.source == .file)
            #expect(try contents(ofFile: path).contains(#""other": 1"#))
        }
    }

    @Test("A broken file is set aside, as by every change")
    func broken() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", limit = value(path)
            try await limit.set(durably: 30)
            try writeFinished(Array("{ broken".utf8), to: path)
            try await limit.set(durably: 31)
            #expect(value(path).value == 31)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.contains(".rejected-") })
        }
    }

    @Test("If a broken file was set aside and the new one cannot be written, the file is the last durable state again")
    func brokenAndFailing() async throws {
        try await withTemporaryFolder { folder in
            let renames = Guarded<Int?>(nil), itself = Guarded<FaultyFileOperations?>(nil)
            let operations = FaultyFileOperations { call in
                guard call == "rename" else { return }
                let isSecond = renames.withLock { count in
                    count? += 1
                    return count == 2
                }
                if isSecond { itself.withLock { $0 }?.fail("rename", with: .ioFailed) }
            }
            itself.withLock { $0 = operations }
            defer { itself.withLock { $0 = nil } }
            let path = folder + "/p.json", limit = value(path, operations)
            try await limit.set(durably: 30)
            let durable = try contents(ofFile: path)
            try writeFinished(Array("{ broken".utf8), to: path)
            renames.withLock { $0 = 0 }
            await #expect(throws: PreferencesError.self) { try await limit.set(durably: 31) }
            #expect(limit.value == 30)
            #expect(try contents(ofFile: path) == durable)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.contains(".rejected-") })
            operations.fail("rename", with: nil)
            try await limit.set(durably: 32)
            #expect(value(path).value == 32)
        }
    }

    @Test("What another process writes right after it, and cannot be synced, is no error of it")
    func othersAfterwards() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", operations = FaultyFileOperations(), limit = value(path, operations)
            let other = StoredValue(key: "other", default: 0, storage: .ofAnotherProcess(path))
            withObservationTracking {
                _ = limit.value
            } onChange: {
                other.set(1)
                operations.fail("open creating", with: .noSpace)
            }
            try await limit.set(durably: 30)
            #expect(limit.value == 30)
            #expect(try contents(ofFile: path).contains(#""other": 1"#), "that came before its end")
        }
    }

    @Test("A cancelled task throws at once")
    func cancelled() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", limit = value(path)
            let task = Task { () async throws -> Void in
                withUnsafeCurrentTask { $0?.cancel() }
                try await limit.set(durably: 30)
            }
            await #expect(throws: PreferencesError.cancelled(path: path)) { try await task.value }
            await offPool { limit.storage.store.queues.disk.sync {} }  // it may still be made, and would make the folder again
        }
    }
}
