extension DurableFile {
    /// How long a change waits for other processes unless told otherwise.
    static let lockTimeout = Duration.seconds(2)

    /// Runs `body` while no other process or thread holds the lock, and rethrows its errors.
    ///
    /// Throws ``FileError`` when the lock is not to be had, `lockTimedOut` when another had it for all of `timeout`; nil waits as
    /// long as it takes. Not to be nested: the inner call would wait for the outer one.
    func withLock<Result>(
        timeout: Duration? = lockTimeout, _ body: (borrowing LockedFile) throws -> Result
    ) throws -> Result {
        let locked = try lock(timeout: timeout)
        return try body(locked)
    }

    /// The lock, held until the returned value's scope ends. ``withLock(timeout:_:)`` with a typed error.
    ///
    /// Makes the file's folder when it is missing, and nothing where something other than a file lies. Blocks the calling
    /// thread while it waits, and waits no more when `isWanted` says so.
    func lock(
        timeout: Duration? = lockTimeout, while isWanted: () -> Bool = { true }
    ) throws(FileError) -> LockedFile {
        try lock(".lock", toChange: "", makingFolder: true, timeout: timeout, while: isWanted)
    }

    /// The lock on the file beside the real one whose name ends in `lockSuffix`, to change the one that ends in `suffix`.
    func lock(
        _ lockSuffix: String, toChange suffix: String, makingFolder: Bool, timeout: Duration?,
        while isWanted: () -> Bool = { true }
    ) throws(FileError) -> LockedFile {
        var wait = LockWait(limit: timeout)
        while true {
            let target = try resolvedPath
            // Or a lock file would be left beside a device, in /dev.
            let found = try status(at: target, followingLinks: false)
            if let kind = found?.kind, kind != .regular { throw FileError(.lock, target, .notRegular(kind)) }
            if makingFolder { try makeFolders(ResolvedPath.folder(of: target)) }
            let lockPath = target + lockSuffix
            let descriptor: Int32
            do {
                descriptor = try openLock(lockPath, on: target, found)
            } catch {
                // The folder can go between its making and this.
                guard makingFolder, error == .noEntry, wait.again() else { throw FileError(.lock, lockPath, error) }
                continue
            }
            do {
                try acquire(descriptor, of: target, &wait, while: isWanted)
                // Somebody may have replaced the folder; and while this waited, turned a link elsewhere. One that was turned since
                // the path was followed, and not waited for, counts as turned after this change.
                let held = try attempt(.lock, lockPath) { () throws(SystemErrorCode) in try operations.status(of: descriptor) }
                if let found { keepReadersOut(descriptor, at: lockPath, held, of: target, found) }
                let there = try status(at: lockPath, followingLinks: false)
                let leadsThere = wait.mayHaveWaited ? try resolvedPath == target : true
                if leadsThere, there?.identity.inode == held.identity.inode,
                    there?.identity.device == held.identity.device
                {
                    return LockedFile(path: target + suffix, file: self, lock: descriptor)
                }
            } catch {
                operations.close(descriptor)
                throw error
            }
            operations.unlock(descriptor)
            operations.close(descriptor)
            guard wait.again() else { throw FileError(.lock, target, .lockTimedOut(after: wait.limit ?? .zero)) }
        }
    }

    /// Opens the lock file at `path`, and makes it when it is missing: for those who may write the file at `target`, which is
    /// as `status` says, or where there is none, for whom a new one would be.
    private func openLock(_ path: String, on target: String, _ status: FileStatus?) throws(SystemErrorCode) -> Int32 {
        while true {
            do { return try operations.open(path, for: .locking) } catch .noEntry {}
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
                // Another process was faster.
            }
        }
    }

    /// Lets those open the lock who may write the file now, and nobody else: its mode may be another than when the lock was made.
    ///
    /// Only where both are this user's, and what lies there is nothing but a lock: somebody may have moved another file there.
    private func keepReadersOut(
        _ descriptor: Int32, at path: String, _ lock: FileStatus, of target: String, _ status: FileStatus
    ) {
        let mode = FileAccess.lockMode(status.mode)
        guard lock.mode != mode || mode & 0o060 != 0 && lock.group != status.group else { return }
        guard lock.user == status.user, lock.user == effectiveUser(), lock.links == 1, lock.identity.size == 0 else { return }
        try? FileAccess(of: status, at: target, operations).ofLock().give(to: descriptor, at: path, now: lock, operations)
    }

    private func acquire(
        _ descriptor: Int32, of target: String, _ wait: inout LockWait, while isWanted: () -> Bool
    ) throws(FileError) {
        defer { wait.end(descriptor, operations) }
        repeat {
            do {
                if wait.isNext(descriptor, operations) {
                    try operations.lock(descriptor, waiting: wait.limit == nil)
                    if wait.isContended { operations.markTaken(descriptor, at: monotonicNanoseconds()) }
                    return
                }
            } catch .wouldBlock {
                // Another attempt may follow.
            } catch {
                throw FileError(.lock, target, error)
            }
        } while isWanted() && wait.again()
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
/// Whoever takes a lock that is waited for marks when that was.
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

    /// Whether no other one goes first, as far as is known.
    mutating func isNext(_ descriptor: Int32, _ operations: any FileOperations) -> Bool {
        guard limit != .zero else { return true }
        let now = monotonicNanoseconds()
        if !isMarked, now - start >= Self.patience {
            operations.markWaiting(descriptor, since: start)
            isMarked = true
        }
        if attempts > 0, let taken = operations.timeTaken(descriptor), taken != turn { (turn, turnSeen) = (taken, now) }
        isContended = operations.isWaitedFor(descriptor, since: .max)
        return !isContended || now - turnSeen >= Self.courtesy || !operations.isWaitedFor(descriptor, since: start)
    }

    /// Pauses and says whether there is time for another attempt.
    mutating func again() -> Bool {
        if let limit, .nanoseconds(monotonicNanoseconds() - turnSeen) >= limit { return false }
        attempts += 1
        if attempts <= 4 {
            yieldThread()
        } else {
            sleepThread(nanoseconds: min(50_000 << min(attempts - 5, 5), 1_000_000))
        }
        return true
    }

    /// Waits no more for the lock of `descriptor`.
    mutating func end(_ descriptor: Int32, _ operations: any FileOperations) {
        guard isMarked else { return }
        operations.markWaiting(descriptor, since: nil)
        isMarked = false
    }
}
