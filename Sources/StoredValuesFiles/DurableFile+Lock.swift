import StoredValuesSupport

extension DurableFile {
    /// How long a change waits for one turn of another process by default. While the lock is passed on, it keeps waiting.
    package static let lockTimeout = Duration.seconds(2)

    /// Takes the lock, which no other process or thread has until the returned value is destroyed.
    ///
    /// Creates the file's folder if it is missing, and nothing if there is something other than a file. Blocks the calling
    /// thread while it waits, and stops waiting when `isWanted` returns false. Throws `lockTimedOut` when another has held the
    /// lock for all of `timeout`; nil waits without limit, and without asking `isWanted`. Must not be nested: the inner call
    /// would wait for the outer one.
    package func lock(timeout: Duration? = lockTimeout, while isWanted: () -> Bool = { true }) throws(FileError) -> LockedFile {
        try lock(".lock", toChange: "", makingFolder: true, timeout: timeout, while: isWanted)
    }

    /// The lock file beside the real one with the name suffix `lockSuffix`, for changing the file with `suffix`. `resolved` is
    /// the target of the path if known.
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
                // The folder can disappear after it was created.
                guard makingFolder, error.code == .noEntry, wait.again(nil, operations) else { throw error }
                continue
            }
            do {
                try acquire(descriptor, of: target, &wait, while: isWanted)
                // The folder may have been replaced, and while this waited, a symlink retargeted. A symlink retargeted since
                // the path was resolved, without waiting, counts as retargeted after this change.
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
            guard wait.again(nil, operations) else { throw FileError(.lock, target, .lockTimedOut(after: wait.limit ?? .zero)) }
        }
    }

    /// How often creating a lock file may fail because it exists, although opening it failed because it does not.
    private static var attemptLimit: Int { 100 }

    /// Opens the lock file at `path`, or creates it with access for those who may write the file at `target`, or who could
    /// write a new one.
    private func openLock(_ path: String, on target: String, makingFolder: Bool) throws(FileError) -> Int32 {
        var attempts = 0
        while true {
            do {
                return try operations.open(path, for: .locking)
            } catch .noEntry {
                // It is created below.
            } catch {
                throw FileError(.lock, path, error)
            }
            // Otherwise a lock file would be left beside a device, in /dev.
            let status = try regularFile(at: target, for: .lock), folder = ResolvedPath.folder(of: target)
            if makingFolder, status == nil { try makeFolders(folder) }
            let access = status.map { FileAccess(of: $0, at: target, operations) } ?? (try? ownerOfNew(in: folder))
            // A lock of this user's would keep the owner from a file that this user cannot replace.
            if access?.mayBeKept == false { throw FileError(.lock, path, .notPermitted) }
            do {
                let descriptor = try operations.open(path, for: .creating)
                // If this is refused, the lock stays with this user, which is not worth a failure.
                if let now = try? operations.status(of: descriptor) {
                    try? access?.ofLock().give(to: descriptor, at: path, now: now, operations)
                }
                return descriptor
            } catch .exists {
                // Another process was faster; or a network file system reports an outdated state.
                attempts += 1
                guard attempts < Self.attemptLimit else { throw FileError(.lock, path, .exists) }
            } catch {
                throw FileError(.lock, path, error)
            }
        }
    }

    /// Gives access to the lock to exactly those who may replace the file now: they may have changed since the lock was created.
    /// A lock that root created and did not give away, because it was killed, is given away now.
    ///
    /// Only if this user owns the lock and it is empty: another file may have been moved there.
    private func letWritersIn(_ descriptor: Int32, at path: String, _ lock: FileStatus, of target: String, _ status: FileStatus?) {
        let isRight = status.map { $0.user == lock.user && FileAccess.lockMode($0.mode) == lock.mode } ?? false
        // The group and an access list matter only if they give access to the lock.
        if isRight, lock.mode & 0o060 == 0 { return }
        let user = effectiveUser()
        guard lock.user == user, lock.kind == .regular, lock.links == 1, lock.identity.size == 0 else { return }
        let isRoots = user == 0 && lock.mode == 0o600
        var access: FileAccess?
        if let status {
            guard status.user == user || isRoots else { return }
            let wanted = FileAccess(of: status, at: target, operations).ofLock()
            let isOpen = lock.mode & 0o060 != 0
            let isOthers = isOpen && (lock.group != status.group || (try? operations.attribute(FileAccess.listName, at: path)) != nil)
            if lock.user == status.user, lock.mode == wanted.mode, !isOthers { return }
            access = wanted
        } else if isRoots {
            access = try? ownerOfNew(in: ResolvedPath.folder(of: target))
        }
        try? access?.give(to: descriptor, at: path, now: lock, operations)
    }

    private func acquire(
        _ descriptor: Int32, of target: String, _ wait: inout LockWait, while isWanted: () -> Bool
    ) throws(FileError) {
        var isTaken = false
        defer { wait.end(descriptor, isTaken: isTaken, operations) }
        repeat {
            do {
                if wait.isNext(descriptor, operations) {
                    try operations.lock(descriptor, waiting: wait.isEndless)
                    isTaken = true
                    return
                }
            } catch .wouldBlock {
                // Try again.
            } catch {
                throw FileError(.lock, target, error)
            }
        } while isWanted() && wait.again(descriptor, operations)
        throw FileError(.lock, target, .lockTimedOut(after: wait.limit ?? .zero))
    }
}

/// Pauses between attempts to lock: `flock` can only try once or wait without limit. First other threads get a turn, because a
/// lock is mostly held for microseconds; then come sleeps, from 50 µs up to 1 ms.
///
/// A process that releases a lock and takes it again at once leaves no gap for a sleeper, so on a busy machine some would wait
/// for seconds while others had hundreds of turns. Therefore a process that has waited for long marks the lock file with the time
/// since when, and all that have waited for less let it go first. They do so while the lock is passed on, and for a moment after
/// that: a process that is stopped while it waits must not stop all others.
///
/// The limit applies to one turn of another process and begins again with each turn, so that only a process that holds the lock
/// for long causes a timeout, however busy the machine is. A process that takes a contended lock marks when; only one that tries
/// just once does not check for contention.
struct LockWait {
    /// The marks of waiting processes: since when they wait.
    static let waiting: Range<Int64> = 0..<1 << 62
    /// The marks of those that have taken a contended lock: when, above all of those.
    static let turns: Range<Int64> = 1 << 62..<Int64.max
    /// After this time, those who have waited for less let this one go first.
    private static let patience: Int64 = 250_000_000
    /// How long they do so while the lock is not taken.
    private static let courtesy: Int64 = 50_000_000

    /// The limit for one turn of another; nil for no limit.
    let limit: Duration?
    private let start = monotonicNanoseconds()
    private var attempts = 0
    private var isMarked = false
    /// Whether others have waited for long at the last attempt.
    private(set) var isContended = false
    /// The mark of the last turn of another, and when it was seen.
    private var turn: Int64?
    private var turnSeen: Int64

    init(limit: Duration?) {
        self.limit = limit
        turnSeen = start
    }

    /// Whether time may have passed: after a failed attempt, or in a call that waits by itself.
    var mayHaveWaited: Bool { attempts > 0 || limit == nil }

    /// Whether the next attempt may wait by itself, with a mark.
    var isEndless: Bool { limit == nil && attempts > 0 }

    /// Whether no other goes first, as far as known.
    mutating func isNext(_ descriptor: Int32, _ operations: any FileOperations) -> Bool {
        guard limit != .zero else { return true }
        let now = monotonicNanoseconds()
        if !isMarked, isEndless || now - start >= Self.patience {
            operations.mark(descriptor, at: start)
            isMarked = true
        }
        if attempts > 0 { _ = seesNewTurn(descriptor, operations) }
        isContended = operations.othersMark(descriptor, in: Self.waiting) != nil
        return !isContended || now - turnSeen >= Self.courtesy || operations.othersMark(descriptor, in: 0..<start) == nil
    }

    /// Pauses and returns whether there is time for another attempt. `descriptor` is the lock file's, if there is one.
    mutating func again(_ descriptor: Int32?, _ operations: any FileOperations) -> Bool {
        // This process may itself have been delayed for longer than the limit, also between two looks at the clock.
        let isOver = limit.map { .nanoseconds(monotonicNanoseconds() - turnSeen) >= $0 } ?? false
        guard !isOver || seesNewTurn(descriptor, operations) else { return false }
        attempts += 1
        if attempts <= 4 {
            yieldThread()
        } else {
            sleepThread(nanoseconds: min(50_000 << min(attempts - 5, 5), 1_000_000))
        }
        return true
    }

    /// Whether another process has taken the lock since the last check. One that tries just once does not ask.
    private mutating func seesNewTurn(_ descriptor: Int32?, _ operations: any FileOperations) -> Bool {
        guard limit != .zero, let descriptor, let taken = operations.othersMark(descriptor, in: Self.turns), taken != turn else {
            return false
        }
        (turn, turnSeen) = (taken, monotonicNanoseconds())
        return true
    }

    /// Stops waiting for the lock of `descriptor`, which was taken or given up.
    mutating func end(_ descriptor: Int32, isTaken: Bool, _ operations: any FileOperations) {
        let isTurn = isTaken && isContended
        if isMarked || isTurn { operations.mark(descriptor, at: isTurn ? Self.turns.lowerBound + monotonicNanoseconds() : nil) }
        isMarked = false
    }
}
