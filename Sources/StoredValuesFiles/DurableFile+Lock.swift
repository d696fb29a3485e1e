import StoredValuesSupport

extension DurableFile {
    /// How long a change waits for one turn of another process by default. While the lock is passed on, it keeps waiting.
    package static let lockTimeout = Duration.seconds(2)

    /// Takes the lock, which no other process or thread has until the returned value is destroyed. Must not be nested.
    ///
    /// With a `suffix` it is the lock of the file with this name suffix, beside the real one. Creates the folder of the real one if it is
    /// missing, and nothing if there is something other than a file. Blocks the calling thread while it waits, and stops waiting when
    /// `isWanted` returns false. Throws `lockTimedOut` when another has held the lock for all of `timeout`; nil waits without limit.
    /// `resolved` is the target of the path if known.
    package func lock(
        toChange suffix: String = "", at resolved: String? = nil, timeout: Duration? = lockTimeout, while isWanted: () -> Bool = { true }
    ) throws(FileError) -> LockedFile {
        let makingFolder = suffix.isEmpty
        var wait = LockWait(limit: timeout), failures = 0
        while true {
            let target = if let resolved, !wait.mayHaveWaited { resolved } else { try resolvedPath }
            let paths = suffix.isEmpty ? paths(of: target) : FilePaths(of: target + suffix), lockPath = paths.lock
            let descriptor: Int32
            do { descriptor = try openLock(lockPath, on: target, makingFolder: makingFolder) } catch {
                // The folder can disappear after it was created. In some, such as /proc, every new file fails with this error.
                failures += 1
                guard makingFolder, error.code == .noEntry, failures < 20, wait.again(nil, operations) else { throw error }
                continue
            }
            // Released when this is left.
            var locked = LockedFile(paths: paths, file: self, lock: descriptor)
            try acquire(descriptor, of: target, &wait, while: isWanted)
            locked.isMarked = wait.isContended
            // The folder may have been replaced, and while this waited, a symlink retargeted. A symlink retargeted since the path
            // was resolved, without waiting, counts as retargeted after this change.
            let held = try attempt(.lock, lockPath) { () throws(SystemErrorCode) in try operations.status(of: descriptor) }
            let isThere = try status(at: lockPath, followingLinks: false)?.identity.isSameFile(as: held.identity) ?? false
            let leadsThere = wait.mayHaveWaited ? try resolvedPath.isIdentical(to: target) : true
            if isThere, leadsThere {
                locked.found = try regularFile(at: target, for: .lock)
                letWritersIn(descriptor, at: lockPath, held, of: target, locked.found)
                return locked
            }
            _ = consume locked
            guard wait.again(nil, operations) else { throw FileError(.lock, target, .lockTimedOut(after: wait.limit ?? .zero)) }
        }
    }

    /// Opens the lock file at `path`, or creates it for those who may write the file at `target`, or who could write a new one.
    private func openLock(_ path: String, on target: String, makingFolder: Bool) throws(FileError) -> Int32 {
        // Over a network, opening the file may fail because it does not exist, and creating it because it does.
        for _ in 0..<100 {
            do { return try operations.open(path, for: .locking) } catch {
                guard error == .noEntry else { throw FileError(.lock, path, error) }
            }
            // Otherwise this would leave a lock file beside a device in /dev.
            let status = try regularFile(at: target, for: .lock), folder = ResolvedPath.folder(of: target)
            if makingFolder, status == nil { try makeFolders(folder) }
            let access = status.map { FileAccess(of: $0, at: target, operations) } ?? (try? ownerOfNew(in: folder))
            // A lock of this user would lock the owner out of a file that this user cannot replace.
            if access?.mayBeKept == false { throw FileError(.lock, path, .notPermitted) }
            do {
                let descriptor = try operations.open(path, for: .creating)
                // If this is refused, the lock stays with this user, which is not worth a failure.
                if let now = try? operations.status(of: descriptor) {
                    try? access?.ofLock().give(to: descriptor, at: path, now: now, operations)
                }
                return descriptor
            } catch {
                guard error == .exists else { throw FileError(.lock, path, error) }  // another process was faster
            }
        }
        throw FileError(.lock, path, .exists)
    }

    /// Gives access to the lock to exactly those who may replace the file now: they may have changed since the lock was created, or
    /// root, who created it, was killed before giving it away. Only if this user owns the lock and it is empty: another file may have
    /// been moved there.
    private func letWritersIn(_ descriptor: Int32, at path: String, _ lock: FileStatus, of target: String, _ status: FileStatus?) {
        let isRight = status.map { $0.user == lock.user && FileAccess.lockMode($0.mode) == lock.mode } ?? false
        // The group and an access list matter only if they give access to the lock.
        if isRight, lock.mode & 0o060 == 0 { return }
        let user = effectiveUser(), isRoots = user == 0 && lock.mode == 0o600
        guard lock.user == user, lock.kind == .regular, lock.links == 1, lock.identity.size == 0 else { return }
        var access: FileAccess?
        if let status {
            guard status.user == user || isRoots else { return }
            access = FileAccess(of: status, at: target, operations).ofLock()
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
            guard wait.isNext(descriptor, operations) else { continue }
            do {
                try operations.lock(descriptor, waiting: wait.isEndless)
                isTaken = true
                return
            } catch {
                guard error == .wouldBlock else { throw FileError(.lock, target, error) }
            }
        } while isWanted() && wait.again(descriptor, operations)
        throw FileError(.lock, target, .lockTimedOut(after: wait.limit ?? .zero))
    }
}

/// Pauses between attempts to lock: `flock` can only try once or wait without limit. First other threads get a turn, because a
/// lock is mostly held for microseconds; then come sleeps, from 50 µs up to 1 ms.
///
/// A process that releases a lock and takes it again at once leaves no gap for a sleeper, so some would wait for seconds while
/// others had hundreds of turns. Therefore a process that has waited for long marks the lock file with the time since when, and all
/// that have waited for less let it go first: while the lock is passed on, and for a moment after that, because a process that is
/// stopped while it waits must not stop all others.
///
/// The limit applies to one turn of another process and begins again with each, which its mark shows: a process that takes a
/// contended lock marks when. One that tries just once looks for no marks.
struct LockWait {
    /// The marks of waiting processes: since when they wait.
    static let waiting: Range<Int64> = 0..<1 << 62
    /// The marks of those that have taken a contended lock: when, above all of those.
    static let turns: Range<Int64> = 1 << 62..<Int64.max
    /// After this time, those who have waited for less let this one go first.
    private static let patience: Int64 = 250_000_000
    /// For how long they do so if nobody takes the lock.
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

    init(limit: Duration?) { (self.limit, turnSeen) = (limit, start) }

    /// Whether this may have waited: after a failed attempt, or in a flock(2) that blocks.
    var mayHaveWaited: Bool { attempts > 0 || limit == nil }

    /// Whether the next attempt may block in flock(2), with a mark.
    var isEndless: Bool { limit == nil && attempts > 0 }

    /// Whether this may try now: it does not wait at all, or no process that has waited longer is known to be about to take the lock.
    mutating func isNext(_ descriptor: Int32, _ operations: FileOperations) -> Bool {
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
    mutating func again(_ descriptor: Int32?, _ operations: FileOperations) -> Bool {
        // This process may itself have been delayed for longer than the limit, also between two looks at the clock.
        let isOver = limit.map { .nanoseconds(monotonicNanoseconds() - turnSeen) >= $0 } ?? false
        guard !isOver || seesNewTurn(descriptor, operations) else { return false }
        attempts += 1
        if attempts <= 4 { yieldThread() } else { sleepThread(nanoseconds: min(50_000 << min(attempts - 5, 5), 1_000_000)) }
        return true
    }

    /// Whether another process has taken the lock since the last check.
    private mutating func seesNewTurn(_ descriptor: Int32?, _ operations: FileOperations) -> Bool {
        let taken = limit == .zero ? nil : descriptor.flatMap { operations.othersMark($0, in: Self.turns) }
        guard let taken, taken != turn else { return false }
        (turn, turnSeen) = (taken, monotonicNanoseconds())
        return true
    }

    /// Stops waiting for the lock of `descriptor`, which was taken or given up.
    mutating func end(_ descriptor: Int32, isTaken: Bool, _ operations: FileOperations) {
        let isTurn = isTaken && isContended
        if isMarked || isTurn { operations.mark(descriptor, at: isTurn ? Self.turns.lowerBound + monotonicNanoseconds() : nil) }
        isMarked = false
    }
}
