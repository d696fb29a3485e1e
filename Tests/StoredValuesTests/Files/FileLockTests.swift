import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("The lock of a DurableFile", .hangLimit)
struct FileLockTests {}

extension FileLockTests {
    /// The command line's `flock` as the other process: holds the lock until its standard input ends.
    private final class OtherProcess {
        private let process = Process()
        private let input = Pipe.forOneChild()
        private let output = Pipe.forOneChild()

        /// Returns once the lock is held.
        init(locking path: String) throws {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
            process.arguments = [path, "sh", "-c", "echo held; read line"]
            process.standardInput = input
            process.standardOutput = output
            try process.runAlone()
            #expect(output.fileHandleForReading.availableData == Data("held\n".utf8))
        }

        func release() throws {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    @Test("Another process's lock is respected: a change times out, and goes through once it is released")
    func otherProcess() throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file")
            _ = try file.withLock { try $0.replace(with: [1], durably: false) }
            let other = try OtherProcess(locking: folder + "/file.lock")
            let start = ContinuousClock.now
            #expect(throws: FileError(.lock, folder + "/file", .lockTimedOut(after: .milliseconds(50)))) {
                try file.withLock(timeout: .milliseconds(50)) { try $0.replace(with: [2], durably: false) }
            }
            #expect(ContinuousClock.now - start >= .milliseconds(50))
            #expect(try file.read()?.bytes == [1])  // readers need no lock
            try other.release()
            _ = try file.withLock { try $0.replace(with: [2], durably: false) }
            #expect(try file.read()?.bytes == [2])
        }
    }

    @Test("Our lock is respected by another process")
    func excludesOthers() throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file")
            func attempt() throws -> Int32 {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
                process.arguments = ["-n", folder + "/file.lock", "true"]
                try process.runAlone()
                process.waitUntilExit()
                return process.terminationStatus
            }
            let whileLocked = try file.withLock { _ in try attempt() }
            #expect(whileLocked == 1)
            #expect(try attempt() == 0)
        }
    }

    @Test("Without a timeout the lock is waited for")
    func waitsForEver() async throws {
        try await withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file")
            let other = try file.lock()
            let done = AsyncStream<Void>.makeStream()
            Thread.detachNewThread {
                #expect(throws: Never.self) {
                    try DurableFile(path: folder + "/file").withLock(timeout: nil) { _ = try $0.replace(with: [7], durably: false) }
                }
                done.continuation.finish()
            }
            #expect(try file.read() == nil)
            consume(other)
            for await _ in done.stream {}
            #expect(try file.read()?.bytes == [7])
        }
    }

    @Test("Threads that change the file at the same time lose nothing")
    func threads() throws {
        try withTemporaryFolder { folder in
            let failures = Guarded(0)
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let file = DurableFile(path: folder + "/file")
                for _ in 0..<100 {
                    do {
                        try file.withLock(timeout: hangLimit) { locked in
                            _ = try locked.replace(with: (try locked.read()?.bytes ?? []) + [1], durably: false)
                        }
                    } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
            }
            #expect(failures.withLock { $0 } == 0)
            let contents = try DurableFile(path: folder + "/file").read()
            #expect(contents?.bytes.count == 400)
        }
    }

    @Test("A process that has waited for long goes before one that takes the lock again and again")
    func nobodyStarves() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file", operations = FileOperations.posix
            consume(try DurableFile(path: path).lock(timeout: hangLimit))
            let looker = try operations.open(path + ".lock", for: .locking)
            defer { operations.close(looker) }
            let waiting: @Sendable () -> Int64? = { operations.othersMark(looker, in: LockWait.waiting) }
            for timeout in [hangLimit, nil, hangLimit, nil] {
                let isHeld = OneShot<Void>(), isWaitedFor = DispatchSemaphore(value: 0)
                async let greedy = offPool {
                    Self.problem {
                        let lock = try DurableFile(path: path).lock(timeout: hangLimit)
                        isHeld.answer(())
                        isWaitedFor.wait()
                        consume(lock)
                        // Free for microseconds: those who look once in a while find it taken.
                        while let before = waiting() {
                            let start = ContinuousClock.now
                            let lock = try DurableFile(path: path).lock(timeout: timeout)
                            // Only after it has let the other go first for a while; that one may have been too slow.
                            if waiting() == before { #expect(ContinuousClock.now - start >= .milliseconds(50)) }
                            consume(lock)
                        }
                    }
                }
                await isHeld.wait(cancelled: ())
                async let waiter = offPool { Self.problem { _ = try DurableFile(path: path).lock(timeout: hangLimit) } }
                defer { isWaitedFor.signal() }
                try await eventually("it has waited for long") { waiting() != nil }
                isWaitedFor.signal()
                #expect(await waiter == nil)
                #expect(await greedy == nil)
            }
        }
    }

    private static func problem(_ body: () throws -> Void) -> (any Error)? {
        do { try body() } catch { return error }
        return nil
    }

    @Test("A process gives up after waiting for one turn of another; it keeps waiting while turns pass", arguments: [true, false])
    func movingQueue(isMoving: Bool) throws {
        try withTemporaryFolder { folder in
            // Every turn that passes takes longer than the limit, on any machine.
            let limit = isMoving ? Duration.nanoseconds(1) : .milliseconds(20)
            let system = FileOperations.posix
            let turns = Guarded<[Int32]>([])
            let operations = Guarded<FaultyFileOperations?>(nil)
            let faulty = FaultyFileOperations(failing: ["lock": .wouldBlock]) { call in
                guard call == "lock" else { return }
                // At each attempt another process has it, as its mark tells; and after 20 turns it is free.
                turns.withLock { turns in
                    guard isMoving || turns.isEmpty else { return }
                    guard let next = try? system.open(folder + "/file.lock", for: .locking) else { return }
                    if let last = turns.last {
                        // A process that another test is starting may have it open, too, for a moment: the mark would outlive it.
                        system.mark(last, at: nil)
                        system.close(last)
                    }
                    turns.append(next)
                    system.mark(next, at: LockWait.turns.lowerBound + Int64(turns.count))
                }
                if isMoving, turns.withLock({ $0.count }) >= 20 { operations.withLock { $0 }?.fail("lock", with: nil) }
            }
            operations.withLock { $0 = faulty }
            defer {
                operations.withLock { $0 = nil }
                if let last = turns.withLock({ $0.last }) { system.close(last) }
            }
            let file = DurableFile(path: folder + "/file", operations: faulty)
            if isMoving {
                _ = try file.lock(timeout: limit)
                #expect(turns.withLock { $0.count } >= 20)
            } else {
                #expect(throws: FileError(.lock, folder + "/file", .lockTimedOut(after: limit))) {
                    _ = try file.lock(timeout: limit)
                }
            }
        }
    }

    @Test("A new process lets one go first that has waited for long, but not for ever; that one sees who has the lock until it is free")
    func courtesy() throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file")
            consume(try file.lock())
            let system = FileOperations.posix
            // It waits, and never takes its turn, as one that was stopped.
            let waiting = try system.open(folder + "/file.lock", for: .locking)
            defer { system.close(waiting) }
            system.mark(waiting, at: 1)
            let start = ContinuousClock.now
            let lock = try file.lock(timeout: hangLimit)
            #expect(ContinuousClock.now - start >= .milliseconds(50))
            #expect(system.othersMark(waiting, in: LockWait.turns) != nil)
            consume(lock)
            #expect(system.othersMark(waiting, in: LockWait.turns) == nil)
        }
    }

    @Test("The marks of waiting processes show who has waited longest, and the mark of a turn when it began")
    func marks() async throws {
        try await withTemporaryFolder { folder in
            let operations = FileOperations.posix
            let first = try operations.open(folder + "/lock", for: .creating)
            let (second, newcomer) = try (operations.open(folder + "/lock", for: .locking), operations.open(folder + "/lock", for: .locking))
            func isWaitedFor(_ descriptor: Int32, since time: Int64) -> Bool { operations.othersMark(descriptor, in: 0..<time) != nil }
            func turn(_ descriptor: Int32) -> Int64? { operations.othersMark(descriptor, in: LockWait.turns) }
            let now = LockWait.turns.lowerBound + 30
            #expect(LockWait.waiting == 0..<1 << 62 && LockWait.turns == 1 << 62..<Int64.max, "as in earlier versions, which share the file")
            operations.mark(first, at: 10)
            operations.mark(second, at: 20)
            #expect(!isWaitedFor(first, since: 10) && isWaitedFor(second, since: 20))
            #expect(operations.othersMark(newcomer, in: LockWait.waiting) != nil && turn(newcomer) == nil)
            operations.mark(first, at: now)
            #expect(!isWaitedFor(second, since: 20), "its own mark is none of another's")
            #expect(turn(second) == now && turn(first) == nil)
            operations.close(first)
            // A process of another test that is just being started may still have it, too.
            try await eventually("its mark is gone") { turn(second) == nil }
            #expect(operations.othersMark(newcomer, in: LockWait.waiting) != nil)
            operations.mark(second, at: nil)
            #expect(operations.othersMark(newcomer, in: LockWait.waiting) == nil)
            for descriptor in [second, newcomer] { operations.close(descriptor) }
        }
    }

    @Test("Where a lock file is there and is not there, as over a network, taking it fails and does not hang")
    func staleFolder() throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations(failing: ["open locking": .noEntry, "open creating": .exists])
            #expect(throws: FileError(.lock, folder + "/file.lock", .exists)) {
                _ = try DurableFile(path: folder + "/file", operations: operations).lock()
            }
        }
    }

    @Test("Where a folder is there, but no file can be created in it, as in /proc, taking the lock fails at once and not after its timeout")
    func folderWithoutFiles() throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations(failing: ["open creating": .noEntry])
            #expect(throws: FileError(.lock, folder + "/file.lock", .noEntry)) {
                _ = try DurableFile(path: folder + "/file", operations: operations).lock()
            }
            #expect(operations.calls.count { $0 == "open creating" } < 100, "until the timeout there are hundreds")
        }
    }

    @Test("A lock taken in a folder that was replaced meanwhile is taken again in the new one")
    func folderReplaced() throws {
        try withTemporaryFolder { folder in
            let rounds = Counter()
            let operations = FaultyFileOperations { call in
                guard call == "lock", rounds.next() == 1 else { return }
                #expect(throws: Never.self) {
                    try FileManager.default.moveItem(atPath: folder + "/f", toPath: folder + "/f.old")
                }
            }
            let file = DurableFile(path: folder + "/f/file", operations: operations)
            _ = try file.withLock(timeout: hangLimit) { try $0.replace(with: [3], durably: false) }
            #expect(rounds.value == 2)
            #expect(FileManager.default.fileExists(atPath: folder + "/f/file.lock"))
            #expect(try file.read()?.bytes == [3])
        }
    }

    @Test(
        "When a link is turned elsewhere while its file's lock is waited for, the other file is locked and changed",
        arguments: [hangLimit, nil])
    func linkTurned(timeout: Duration?) throws {
        try withTemporaryFolder { folder in
            let manager = FileManager.default
            let link = folder + "/link"
            try manager.createSymbolicLink(atPath: link, withDestinationPath: "old")
            let rounds = Counter()
            let operations = Guarded<FaultyFileOperations?>(nil)
            // Without a timeout the first attempt would wait by itself.
            let faulty = FaultyFileOperations(failing: timeout == nil ? [:] : ["lock": .wouldBlock]) { call in
                guard call == "lock" else { return }
                switch rounds.next() {
                case 1:
                    #expect(throws: Never.self) {
                        try manager.removeItem(atPath: link)
                        try manager.createSymbolicLink(atPath: link, withDestinationPath: "new")
                    }
                default: operations.withLock { $0 }?.fail("lock", with: nil)
                }
            }
            operations.withLock { $0 = faulty }
            defer { operations.withLock { $0 = nil } }
            let file = DurableFile(path: link, operations: faulty)
            _ = try file.withLock(timeout: timeout) { try $0.replace(with: [3], durably: false) }
            #expect(manager.contents(atPath: folder + "/new") == Data([3]))
            #expect(!manager.fileExists(atPath: folder + "/old"))
            #expect(rounds.value == (timeout == nil ? 2 : 3))
        }
    }

    private func consume(_ lock: consuming LockedFile) {}
}
