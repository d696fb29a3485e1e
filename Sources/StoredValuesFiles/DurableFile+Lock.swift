import StoredValuesSupport

extension DurableFile {
    /// How long a change waits for one turn of another process unless told otherwise. While the lock is passed on, it waits.
    package static let lockTimeout = Duration.seconds(2)

    /// The lock, which no other process or thread has until the returned value's scope ends.
    ///
    /// Makes the file's folder when it is missing, and nothing where something other than a file lies. Blocks the calling
    /// thread while it waits, and waits no more when `isWanted` says so. Throws `lockTimedOut` when another had it for all of
    /// `timeout`; nil waits as long as it takes. Not to be nested: the inner call would wait for the outer one.
    package func lock(timeout: Duration? = lockTimeout, while isWanted: () -> Bool = { true }) throws(FileError) -> LockedFile {
        try lock(".lock", toChange: "", makingFolder: true, timeout: timeout, while: isWanted)
    }

    /// The lock on the file beside the real one whose name ends in `lockSuffix`, to change the one that ends in `suffix`.
    /// `resolved` is where the path is known to lead.
    func lock(
        _ lockSuffix: String, toChange suffix: String, makingFolder: Bool, at resolved: String? = nil, timeout: Duration?,
        while isWanted: () -> Bool = { true }
    ) throws(FileError) -> LockedFile {
        var wait = LockWait(limit: timeout)
        while true {
            let target = if let resolved, !wait.mayHaveWaited { resolved } else { try resolvedPath }
            let lockPath = target + lockSuffix
            let descriptor: Int32
            do {
                descriptor = try openLock(lockPath, on: target, makingFolder: makingFolder)
            } catch {
                // The folder can go between its making and this.
                guard makingFolder, error.code == .noEntry, wait.again() else { throw error }
                continue
            }
            do {
                try acquire(descriptor, of: target, &wait, while: isWanted)
                // Somebody may have replaced the folder; and while this waited, turned a link elsewhere. One that was turned since
                // the path was followed, and not waited for, counts as turned after this change.
                let held = try attempt(.lock, lockPath) { () throws(SystemErrorCode) in try operations.status(of: descriptor) }
                let there = try status(at: lockPath, followingLinks: false)
                let isThere = there?.identity.inode == held.identity.inode && there?.identity.device == held.identity.device
                let leadsThere = wait.mayHaveWaited ? try resolvedPath == target : true
                if isThere, leadsThere {
                    let found = try regularFile(at: target, for: .lock)
                    letWritersIn(descriptor, at: lockPath, held, of: target, found)
                    return LockedFile(
                        path: target + suffix, found: found, file: self, lock: descriptor, isMarked: wait.isContended)
                }
            } catch {
                operations.unlock(descriptor)
                operations.close(descriptor)
                throw error
            }
            operations.unlock(descriptor)
            operations.close(descriptor)
            guard wait.again() else { throw FileError(.lock, target, .lockTimedOut(after: wait.limit ?? .zero)) }
        }
    }

    /// How often a lock file that is not there may be there when it is to be made.
    private static var attemptLimit: Int { 100 }

    /// Opens the lock file at `path`, and makes it when it is missing: for those who may write the file at `target`, or where there
    /// is none, for whom a new one would be.
    private func openLock(_ path: String, on target: String, makingFolder: Bool) throws(FileError) -> Int32 {
        var attempts = 0
        while true {
            do {
                return try operations.open(path, for: .locking)
            } catch .noEntry {
                // It is made below.
            } catch {
                throw FileError(.lock, path, error)
            }
            // Or a lock file would be left beside a device, in /dev.
            let status = try regularFile(at: target, for: .lock)
            if makingFolder, status == nil { try makeFolders(ResolvedPath.folder(of: target)) }
            do {
                let descriptor = try operations.open(path, for: .creating)
                // What is refused leaves it to this user, which is not worth a failure.
                let access =
                    if let status { FileAccess(of: status, at: target, operations).ofLock() } else {
                        try? ownerOfNew(in: ResolvedPath.folder(of: target))
                    }
                if let now = try? operations.status(of: descriptor) {
                    try? access?.give(to: descriptor, at: path, now: now, operations)
                }
                return descriptor
            } catch .exists {
                // Another process was faster; or a network's file system tells what was there before.
                attempts += 1
                guard attempts < Self.attemptLimit else { throw FileError(.lock, path, .exists) }
            } catch {
                throw FileError(.lock, path, error)
            }
        }
    }

    /// Lets those open the lock who may write the file now, and nobody else: they may be others than when the lock was made. What
    /// root made and did not give away, for it was killed, it gives away now.
    ///
    /// Only where the lock is this user's, and what lies there is nothing but a lock: somebody may have moved another file there.
    private func letWritersIn(_ descriptor: Int32, at path: String, _ lock: FileStatus, of target: String, _ status: FileStatus?) {
        let isRight = status.map { $0.user == lock.user && FileAccess.lockMode($0.mode) == lock.mode } ?? false
        // Which group it is, and whom a list names, counts where they may open the lock.
        if isRight, lock.mode & 0o060 == 0 { return }
        let user = effectiveUser()
        guard lock.user == user, lock.kind == .regular, lock.links == 1, lock.identity.size == 0 else { return }
        let isRoots = user == 0 && lock.mode == 0o600
        var access: FileAccess?
        if let status {
            guard status.user == user || isRoots else { return }
            let wanted = FileAccess(of: status, at: target, operations).ofLock()
            let list = try? operations.attribute(AccessList.name, at: path)
            if isRight, lock.group == status.group, list == wanted.list?.bytes { return }
            access = wanted
        } else if isRoots {
            access = try? ownerOfNew(in: ResolvedPath.folder(of: target))
        }
        try? access?.give(to: descriptor, at: path, now: lock, operations)
    }

    private func acquire(
        _ descriptor: Int32, of target: String, _ wait: inout LockWait, while isWanted: () -> Bool
    ) throws(FileError) {
        defer { wait.end(descriptor, operations) }
        repeat {
            do {
                if wait.isNext(descriptor, operations) {
                    try operations.lock(descriptor, waiting: wait.isEndless)
                    if wait.isContended { operations.markTaken(descriptor, at: monotonicNanoseconds()) }
                    return
                }
            } catch .wouldBlock {
                // Another attempt may follow.
            } catch {
                throw FileError(.lock, target, error)
            }
        } while isWanted() && wait.again(for: descriptor, operations)
        throw FileError(.lock, target, .lockTimedOut(after: wait.limit ?? .zero))
    }
}

/// The pauses between attempts to lock: `flock` knows "at once" and "for ever" only. First other threads get a turn, for
/// a lock is mostly held for microseconds; then come sleeps, from 50 µs up to 1 ms.
///
/// Who lets go of a lock and takes it again at once leaves no gap that a sleeper would hit, so on a busy machine some would
/// wait for seconds while others had hundreds of turns. Therefore whoever has waited for long says since when, and all that
/// have waited for less let it go first. They do so while the lock is passed on, and for a moment after that, or a process
/// that is stopped while it waits would stop everybody.
///
/// Only who waits for one and the same turn waits in vain, however busy the machine is: the limit begins anew with each turn.
/// Whoever takes a lock that is waited for marks when that was; only one that tries just once does not look.
private struct LockWait {
    /// From when on those who have waited for less let this one go first.
    private static let patience: Int64 = 250_000_000
    /// For how long others go first while nobody takes the lock.
    private static let courtesy: Int64 = 50_000_000

    /// How long a turn of another may last; nil for no limit.
    let limit: Duration?
    private let start = monotonicNanoseconds()
    private var attempts = 0
    private var isMarked = false
    /// Whether others have waited for long at the last attempt.
    private(set) var isContended = false
    /// When another had the lock last, by its mark, and when that was seen.
    private var turn: Int64?
    private var turnSeen: Int64

    init(limit: Duration?) {
        self.limit = limit
        turnSeen = start
    }

    /// Whether time may have passed: after an attempt that failed, or in a call that waits by itself.
    var mayHaveWaited: Bool { attempts > 0 || limit == nil }

    /// Whether the next attempt may wait by itself, with a mark.
    var isEndless: Bool { limit == nil && attempts > 0 }

    /// Whether no other one goes first, as far as is known.
    mutating func isNext(_ descriptor: Int32, _ operations: any FileOperations) -> Bool {
        guard limit != .zero else { return true }
        let now = monotonicNanoseconds()
        if !isMarked, isEndless || now - start >= Self.patience {
            operations.markWaiting(descriptor, since: start)
            isMarked = true
        }
        if attempts > 0 { look(descriptor, operations) }
        isContended = operations.isWaitedFor(descriptor, since: .max)
        return !isContended || now - turnSeen >= Self.courtesy || !operations.isWaitedFor(descriptor, since: start)
    }

    /// Pauses and says whether there is time for another attempt.
    mutating func again(for descriptor: Int32, _ operations: any FileOperations) -> Bool {
        // This one may itself have been kept from looking for longer than the limit.
        if isOver { look(descriptor, operations) }
        return again()
    }

    /// The same where there is no lock to look at yet.
    mutating func again() -> Bool {
        guard !isOver else { return false }
        attempts += 1
        if attempts <= 4 {
            yieldThread()
        } else {
            sleepThread(nanoseconds: min(50_000 << min(attempts - 5, 5), 1_000_000))
        }
        return true
    }

    private var isOver: Bool { limit.map { .nanoseconds(monotonicNanoseconds() - turnSeen) >= $0 } ?? false }

    /// Sees whether another has the lock now than before.
    private mutating func look(_ descriptor: Int32, _ operations: any FileOperations) {
        guard let taken = operations.timeTaken(descriptor), taken != turn else { return }
        (turn, turnSeen) = (taken, monotonicNanoseconds())
    }

    /// Waits no more for the lock of `descriptor`.
    mutating func end(_ descriptor: Int32, _ operations: any FileOperations) {
        guard isMarked else { return }
        operations.markWaiting(descriptor, since: nil)
        isMarked = false
    }
}
