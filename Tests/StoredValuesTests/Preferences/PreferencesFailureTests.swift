import Foundation
import Logging
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("PreferencesFile in trouble", .hangLimit)
struct PreferencesFailureTests {}

extension PreferencesFailureTests {
    private func open(_ path: String, operations: FileOperations = .posix) -> PreferencesFile {
        .ofAnotherProcess(path, operations: operations)
    }

    @Test(
        "A file that does not parse is read as empty, set aside before the first write, and never lost",
        arguments: ["{\"a\": 1,", "not json", "", "[1]"])
    func rejected(text: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/preferences.json"
            try writeFinished(Array(text.utf8), to: path)
            let value = StoredValue(key: "a", default: 0, storage: open(path))
            #expect(value.wrappedValue == 0)
            #expect(try contents(ofFile: path) == text)
            value.set(2)
            value.set(3)
            let rejected = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("preferences.json.rejected-") }
            #expect(rejected.count == 1)
            #expect(try contents(ofFile: folder + "/" + rejected[0]) == text)
            #expect(try contents(ofFile: path) == "{\n  \"a\": 3\n}\n")
        }
    }

    @Test("A file that breaks while the program runs leaves the last good values in use")
    func brokenLater() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = open(path)
            let a = StoredValue(key: "a", default: 0, storage: storage), b = StoredValue(key: "b", default: 0, storage: storage)
            a.set(1)
            try "{".write(toFile: path, atomically: false, encoding: .utf8)
            b.set(2)
            #expect(a.wrappedValue == 1)
            #expect(open(path).keys == ["a", "b"])
            let rejected = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("p.json.rejected-") }
            #expect(try rejected.map { try contents(ofFile: folder + "/" + $0) } == ["{"])
        }
    }

    @Test("A change that cannot be written stays in memory, is thrown by flush, and is written when the cause is gone", arguments: ["write", "rename", "makeFolder", "lock"])
    func failure(call: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/new/p.json"
            let operations = FaultyFileOperations(failing: [call: call == "write" ? .noSpace : .accessDenied])
            let storage = open(path, operations: operations)
            let value = StoredValue(key: "a", default: 0, storage: storage)
            value.set(1)
            value.update { $0 += 1 }
            #expect(value.wrappedValue == 2 && value.isStored)
            let error = await #expect(throws: PreferencesError.self) { try await storage.flush() }
            let text = try #require(error).description
            #expect(text.contains(path) && text.contains(call == "write" ? "ENOSPC" : "EACCES"))
            operations.fail(call, with: nil)
            try await storage.flush()
            #expect(StoredValue(key: "a", default: 0, storage: open(path)).wrappedValue == 2)
        }
    }

    @Test("In a folder that this user may not write to, a change stays in memory and flush says why")
    func unwritableFolder() async throws {
        try await withTemporaryFolder { folder in
            #expect(chmod(folder, 0o555) == 0)
            defer { #expect(chmod(folder, 0o755) == 0) }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                if geteuid() == 0 { try #require(seteuid(65534) == 0) }  // root may write anywhere
                let storage = PreferencesFile(path: folder + "/p.json")
                let value = StoredValue(key: "a", default: 0, storage: storage)
                value.set(1)
                #expect(value.wrappedValue == 1)
                let error = await #expect(throws: PreferencesError.self) { try await storage.flush() }
                #expect(try #require(error).description.contains("EACCES"))
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names == [])
        }
    }

    @Test("After a failed fsync the file is written again, because Linux has dropped its pages")
    func failedSync() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations(failing: ["synchronize": .ioFailed])
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations, syncDelay: .seconds(3600))
            StoredValue(key: "a", default: 0, storage: storage).set(1)
            // What somebody wrote in place is brought to the disk itself, and not by its copy alone.
            try #"{"a": 2}"#.write(toFile: path, atomically: false, encoding: .utf8)
            await #expect(throws: PreferencesError.self) { try await storage.flush() }
            operations.fail("synchronize", with: nil)
            let renames = operations.calls.count { $0 == "rename" }
            try await storage.flush()
            #expect(operations.calls.count { $0 == "rename" } == renames + 2)  // of the file and of its generation
        }
    }

    @Test(
        "A sync that failed in a flush is retried, and the file is written again if its own fsync failed",
        arguments: [true, false])
    func failedFlush(isOwn: Bool) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", file = DurableFile(path: folder + "/p.json")
            let operations = FaultyFileOperations()
            let storage = PreferencesFile.ofAnotherProcess(
                path, operations: operations, syncDelay: .seconds(3600), retryPause: .milliseconds(1))
            StoredValue(key: "a", default: 0, storage: storage).set(1)
            if isOwn { try #"{"a": 2}"#.write(toFile: path, atomically: false, encoding: .utf8) }
            let identity = try file.currentIdentity()
            operations.fail("synchronize", with: .ioFailed)
            await #expect(throws: PreferencesError.self) { try await storage.flush() }
            operations.fail("synchronize", with: nil)
            try await eventually("the copy") {
                let isNew = try file.currentIdentity() != identity
                return try (isNew || !isOwn) && (try? contents(ofFile: path + ".durable")) == contents(ofFile: path)
            }
            withExtendedLifetime(storage) {}
        }
    }

    @Test("While only the copy cannot be made, the file itself is not written again")
    func copyTriedAgain() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", file = DurableFile(path: folder + "/p.json")
            // No folder can be locked.
            try FileManager.default.createDirectory(atPath: path + ".durable.lock", withIntermediateDirectories: false)
            let operations = FaultyFileOperations()
            let storage = PreferencesFile.ofAnotherProcess(
                path, operations: operations, syncDelay: .milliseconds(1), retryPause: .milliseconds(1))
            StoredValue(key: "a", default: 0, storage: storage).set(1)
            let identity = try file.currentIdentity()
            func attempts() -> Int { operations.calls.count { $0 == "synchronize" } }
            try await eventually("several attempts") { attempts() > 4 }
            #expect(try file.currentIdentity() == identity)
            try FileManager.default.removeItem(atPath: path + ".durable.lock")
            try await eventually("the copy") { (try? contents(ofFile: path + ".durable")) == "{\n  \"a\": 1\n}\n" }
            #expect(try file.currentIdentity() == identity)
            withExtendedLifetime(storage) {}
        }
    }

    @Test("An item that cannot be encoded changes nothing, and flush says so once")
    func notEncodable() async throws {
        struct Stubborn: Codable, Sendable {
            var number: Int
            func encode(to encoder: any Encoder) throws {
                guard number < 10 else { throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "too large for me")) }
                var container = encoder.singleValueContainer()
                try container.encode(number)
            }
            init(_ number: Int) { self.number = number }
            init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
        }
        try await withTemporaryFolder { folder in
            let storage = open(folder + "/p.json")
            let value = StoredValue(key: "a", default: Stubborn(0), storage: storage)
            value.set(Stubborn(1))
            value.set(Stubborn(11))
            value.update { $0.number = 12 }
            #expect(value.wrappedValue.number == 1)
            let error = await #expect(throws: PreferencesError.self) { try await storage.flush() }
            #expect(try #require(error).description.contains("too large for me"))
            try await storage.flush()
        }
    }

    @Test("Without a home folder values stay in memory and flush says why")
    func noHome() async throws {
        let storage = PreferencesFile(PreferencesStore(.failure(.noHomeFolder), path: "(no file)"))
        let value = StoredValue(key: "a", default: 0, storage: storage)
        value.set(1)
        value.update { $0 += 1 }
        #expect(value.wrappedValue == 2)
        await #expect(throws: PreferencesError.noHomeFolder) { try await storage.flush() }
    }

    @Test(
        "A failed write is retried in the background, whatever the cause was",
        arguments: ["open locking", "lock", "open creating", "write", "flush", "rename", "synchronize"],
        [SystemErrorCode.tooManyOpenFiles, .noSpace, .accessDenied])
    func triedAgain(call: String, code: SystemErrorCode) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations(failing: [call: code])
            let storage = PreferencesFile.ofAnotherProcess(
                path, operations: operations, syncDelay: .milliseconds(1), retryPause: .milliseconds(1))
            StoredValue(key: "a", default: 0, storage: storage).set(1)
            func attempts() -> Int { operations.calls.count { $0 == call } }
            let first = attempts()
            try await eventually("several attempts") { attempts() > first + 3 }
            operations.fail(call, with: nil)
            try await eventually("the value is on the disk") {
                (try? contents(ofFile: path + ".durable")) == "{\n  \"a\": 1\n}\n"
            }
            #expect(try contents(ofFile: path) == "{\n  \"a\": 1\n}\n")
        }
    }

    @Test("A file that could not be read, for whatever reason, is read when it can be", arguments: [SystemErrorCode.accessDenied, .ioFailed])
    func readAgain(code: SystemErrorCode) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", operations = FaultyFileOperations(failing: ["open reading": code])
            try writeFinished(Array(#"{"a": 1}"#.utf8), to: path)
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations, retryPause: .milliseconds(1))
            let value = StoredValue(key: "a", default: 0, storage: storage)
            #expect(value.wrappedValue == 0)
            // The second is that of the watch, which reads the file once when it begins.
            try await eventually("it was tried again") { operations.calls.count { $0 == "open reading" } > 2 }
            operations.fail("open reading", with: nil)
            try await eventually("the value is read") { value.wrappedValue == 1 }
        }
    }

    @Test("A layer that could not be read, for whatever reason, is read when it can be", arguments: [SystemErrorCode.accessDenied, .ioFailed])
    func layerReadAgain(code: SystemErrorCode) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/layer.json", operations = FaultyFileOperations(failing: ["open reading": code])
            try writeFinished(Array(#"{"a": 1}"#.utf8), to: path)
            let storage = PreferencesFile.ofAnotherProcess(folder + "/p.json", retryPause: .milliseconds(1))
            let layer = PreferencesLayer(DurableFile(path: path, operations: operations), .systemWide)
            storage.store.state.withLock { $0.members.add([layer], onTop: false) }
            storage.store.refreshLayers()
            let value = StoredValue(key: "a", default: 0, storage: storage)
            #expect(value.wrappedValue == 0)
            try await eventually("it was tried again") { operations.calls.count { $0 == "open reading" } > 2 }
            operations.fail("open reading", with: nil)
            try await eventually("the value is read") { value.wrappedValue == 1 }
        }
    }

    @Test("On a network file system each change and each flush reads the file, which may look unchanged: no change of another machine is lost")
    func twoMachines() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json", inotify = FaultyInotify()
            try writeFinished(Array("{}".utf8), to: path)
            inotify.pretend("nfs4", at: folder)
            let thread = WatchThread(inotify)
            func machine() -> PreferencesFile {
                let storage = PreferencesFile.ofAnotherProcess(path, operations: RemoteFileOperations(at: path), syncDelay: .seconds(3600))
                let file = DurableFile(path: path), watch = FileWatch(file, on: thread) { _ in }
                storage.store.queues.watching.sync {}  // it has its own watch
                storage.store.state.withLock { $0.watches = [(file, watch)] }
                storage.store.refresh()
                return storage
            }
            let one = machine(), other = machine()
            let a = StoredValue(key: "a", default: 0, storage: one), b = StoredValue(key: "b", default: 0, storage: other)
            a.set(1)
            b.set(2)
            a.set(3)
            #expect(try contents(ofFile: path) == "{\n  \"a\": 3,\n  \"b\": 2\n}\n")
            b.set(4)
            try await one.flush()
            #expect(StoredValue(key: "b", default: 0, storage: one).wrappedValue == 4)
        }
    }

    @Test("A file that was opened when no descriptor was left is read, and watched, once there are some")
    func openedWithoutDescriptors() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try writeFinished(Array(#"{"a": 1}"#.utf8), to: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                let value = try await withoutDescriptors {
                    let value = StoredValue(key: "a", default: 0, storage: PreferencesFile(path: path))
                    #expect(value.wrappedValue == 0)
                    return value
                }
                try await eventually("the value is read") { value.wrappedValue == 1 }
                try await eventually("the value is heard of") {
                    try writeFinished(Array(#"{"a": 2}"#.utf8), to: path)
                    return value.wrappedValue == 2
                }
            }
        }
    }

    @Test("The first flush of a program that has no descriptor left says what is wrong, and the program continues")
    func flushWithoutDescriptors() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            await #expect(processExitsWith: .success) { [path = path as String] in
                let storage = PreferencesFile(path: path)
                try await withoutDescriptors {
                    // The first timer of Dispatch opens a descriptor, and traps where there is none.
                    StoredValue(key: "a", default: 0, storage: storage).set(1)
                    await #expect(throws: PreferencesError.self) { try await storage.flush() }
                }
                try await storage.flush()
            }
            let text = try contents(ofFile: path)
            #expect(text.contains("1"))
        }
    }

    @Test("While another process keeps the lock, a change waits 2 s at most, is kept, and is written once the lock is free")
    func lockKept() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations()
            let value = StoredValue(key: "a", default: 0, storage: .ofAnotherProcess(path, operations: operations))
            var lock: LockedFile? = try DurableFile(path: path).lock()
            let first = await offPool { ContinuousClock().measure { value.set(1) } }
            #expect(first >= .seconds(2))
            let attempts = operations.calls.count { $0 == "lock" }
            await offPool { for number in 2...10 { value.update { $0 = number } } }
            // Each of the nine looks whether the lock is free by now. The thread that writes it later does so once, and then waits for it.
            #expect(operations.calls.count { $0 == "lock" } <= attempts + 9 + 2, "those behind the first do not wait again")
            #expect(value.wrappedValue == 10)
            #expect(open(path).keys == [])
            _ = lock.take()
            try await eventually("the pending change is written") { open(path).keys == ["a"] }
            #expect(StoredValue(key: "a", default: 0, storage: open(path)).wrappedValue == 10)
        }
    }

    @Test("When the file is set aside and a new one cannot be written, the last good values stay, and are written later")
    func setAsideThenFailing() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = open(path)
            let a = StoredValue(key: "a", default: 0, storage: storage), b = StoredValue(key: "b", default: 0, storage: storage)
            a.set(1)
            b.set(2)
            try "{ broken".write(toFile: path, atomically: false, encoding: .utf8)
            // Nothing can take the temporary file's name from a folder that is not empty.
            let temporary = DurableFile.temporaryPath(of: path)
            try FileManager.default.createDirectory(atPath: temporary + "/x", withIntermediateDirectories: true)
            a.set(3)
            #expect(a.wrappedValue == 3 && b.wrappedValue == 2)
            try FileManager.default.removeItem(atPath: temporary)
            a.set(4)
            #expect(a.wrappedValue == 4 && b.wrappedValue == 2)
            #expect(try contents(ofFile: path) == "{\n  \"a\": 4,\n  \"b\": 2\n}\n")
        }
    }

    @Test("Changes that could not be written are laid key by key over what another process wrote")
    func pendingOverOthers() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations(failing: ["rename": .noSpace])
            let storage = open(path, operations: operations)
            StoredValue(key: "a", default: 0, storage: storage).set(1)
            try #"{"a": 5, "b": 6}"#.write(toFile: path, atomically: false, encoding: .utf8)
            operations.fail("rename", with: nil)
            try await storage.flush()
            #expect(try contents(ofFile: path) == "{\n  \"a\": 1,\n  \"b\": 6\n}\n")
        }
    }

    @Test("A file that cannot be read is never written over", arguments: ["read", "open reading"])
    func unreadable(call: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"b": 6}"#.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = open(path, operations: FaultyFileOperations(failing: [call: .ioFailed]))
            StoredValue(key: "a", default: 0, storage: storage).set(1)
            await #expect(throws: PreferencesError.self) { try await storage.flush() }
            #expect(try contents(ofFile: path) == #"{"b": 6}"#)
        }
    }

    @Test("A log handler may read the preferences that a message is about")
    func logHandlerThatReads() async throws {
        try await withTemporaryFolder { folder in
            try writeFinished(Array("{ broken".utf8), to: folder + "/p.json")
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                LoggingSystem.bootstrap { _ in ReadingLogHandler(path: folder + "/p.json") }
                let isDone = Guarded(false)
                Thread.detachNewThread {
                    _ = StoredValue(key: "n", default: 0, storage: PreferencesFile(path: folder + "/p.json")).wrappedValue
                    isDone.withLock { $0 = true }
                }
                try await eventually("the value is read") { isDone.withLock { $0 } }
            }
        }
    }

    @Test("What goes wrong in a file that was opened before LoggingSystem.bootstrap is logged by the handler set there")
    func openedBeforeLogging() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            await #expect(processExitsWith: .success) { [path = path as String] in
                let storage = PreferencesFile.ofAnotherProcess(path, operations: FaultyFileOperations(failing: ["rename": .noSpace]))
                let value = StoredValue(key: "a", default: 0, storage: storage)
                try #require(value.value == 0)
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                value.set(1)
                try #require(RecordingLogHandler.takeLines().contains { $0.contains(path) })
            }
        }
    }
}

/// Reads a stored value for every message.
private struct ReadingLogHandler: LogHandler {
    let path: String
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(path: String) { self.path = path }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        _ = StoredValue(key: "verbosity", default: 0, storage: PreferencesFile(path: path)).wrappedValue
    }
}
