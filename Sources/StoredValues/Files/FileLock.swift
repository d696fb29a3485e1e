extension DurableFile {
    /// How long a change waits for other processes unless told otherwise.
    static let lockTimeout = Duration.seconds(2)

    /// Runs `body` while no other process or thread holds the lock, and rethrows its errors.
    ///
    /// Throws ``FileError`` when the lock is not to be had, `lockTimedOut` after `timeout`; nil waits as long as it
    /// takes. Not to be nested: the inner call would wait for the outer one.
    func withLock<Result>(
        timeout: Duration? = lockTimeout, _ body: (borrowing LockedFile) throws -> Result
    ) throws -> Result {
        let locked = try lock(timeout: timeout)
        return try body(locked)
    }

    /// The lock, held until the returned value's scope ends. ``withLock(timeout:_:)`` with a typed error.
    ///
    /// Makes the file's folder when it is missing, and nothing where something other than a file lies. Blocks the calling
    /// thread while it waits.
    func lock(timeout: Duration? = lockTimeout) throws(FileError) -> LockedFile {
        try lock(".lock", toChange: "", makingFolder: true, timeout: timeout)
    }

    /// The lock on the file beside the real one whose name ends in `lockSuffix`, to change the one that ends in `suffix`.
    func lock(
        _ lockSuffix: String, toChange suffix: String, makingFolder: Bool, timeout: Duration?
    ) throws(FileError) -> LockedFile {
        var wait = LockWait(limit: timeout)
        while true {
            let target = try resolvedPath
            // Or a lock file would be left beside a device, in /dev.
            if let kind = try status(at: target, followingLinks: false)?.kind, kind != .regular {
                throw FileError(.lock, target, .notRegular(kind))
            }
            if makingFolder { try makeFolders(ResolvedPath.folder(of: target)) }
            let lockPath = target + lockSuffix
            let descriptor: Int32
            do {
                descriptor = try openToLock(lockPath)
            } catch {
                // The folder can go between its making and this.
                guard makingFolder, error == .noEntry, wait.again() else { throw FileError(.lock, lockPath, error) }
                continue
            }
            do {
                try acquire(descriptor, of: target, &wait)
                // Somebody may have replaced the folder; and while this waited, turned a link elsewhere. One that was turned since
                // the path was followed, and not waited for, counts as turned after this change.
                let held = try attempt(.lock, lockPath) { () throws(SystemErrorCode) in try operations.status(of: descriptor) }
                let there = try status(at: lockPath, followingLinks: false)
                let leadsThere = wait.mayHaveWaited ? try resolvedPath == target : true
                if leadsThere, there?.identity.inode == held.identity.inode,
                    there?.identity.device == held.identity.device
                {
                    return LockedFile(path: target + suffix, file: self, lock: descriptor, isItsOwnLock: lockSuffix == suffix)
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

    private func openToLock(_ path: String) throws(SystemErrorCode) -> Int32 {
        do {
            return try operations.open(path, for: .locking)
        } catch .accessDenied {
            // A generation has the mode of its file, which may be read-only; that will do for a lock.
            do { return try operations.open(path, for: .readingWithoutLinks) } catch { throw .accessDenied }
        }
    }

    private func acquire(_ descriptor: Int32, of target: String, _ wait: inout LockWait) throws(FileError) {
        var isMarked = false
        defer { if isMarked { operations.markWaiting(descriptor, false) } }
        while true {
            if wait.hasWaitedLong, !isMarked {
                operations.markWaiting(descriptor, true)
                isMarked = true
            }
            do {
                if !wait.isCourteous || !operations.isWaitedFor(descriptor) {
                    return try operations.lock(descriptor, waiting: wait.limit == nil)
                }
            } catch .wouldBlock {
                // Another attempt may follow.
            } catch {
                throw FileError(.lock, target, error)
            }
            guard wait.again() else { throw FileError(.lock, target, .lockTimedOut(after: wait.limit ?? .zero)) }
        }
    }
}

/// The pauses between attempts to lock: `flock` knows "at once" and "for ever" only. First other threads get a turn, for
/// a lock is mostly held for microseconds; then come sleeps, from 50 µs up to 1 ms.
///
/// Who lets go of a lock and takes it again at once leaves no gap that a sleeper would hit, so on a busy machine some would
/// wait for seconds while others had hundreds of turns. Therefore whoever has waited for long says so, and newcomers
/// let it go first. They do so for a moment only, or a process that is stopped while it waits would stop everybody.
private struct LockWait {
    /// From when on newcomers let this one go first.
    private static let patience = Duration.milliseconds(250)
    /// For how long a newcomer lets others go first.
    private static let courtesy = Duration.milliseconds(50)

    /// How long all attempts may take together; nil for no limit.
    let limit: Duration?
    private let start = ContinuousClock.now
    private var attempts = 0

    init(limit: Duration?) { self.limit = limit }

    /// Whether time may have passed: after an attempt that failed, or in a call that waits by itself.
    var mayHaveWaited: Bool { attempts > 0 || limit == nil }

    var hasWaitedLong: Bool { attempts > 0 && ContinuousClock.now - start >= Self.patience }

    var isCourteous: Bool { limit != .zero && (attempts == 0 || ContinuousClock.now - start < Self.courtesy) }

    /// Pauses and says whether there is time for another attempt.
    mutating func again() -> Bool {
        if let limit, ContinuousClock.now - start >= limit { return false }
        attempts += 1
        if attempts <= 4 {
            yieldThread()
        } else {
            sleepThread(nanoseconds: min(50_000 << min(attempts - 5, 5), 1_000_000))
        }
        return true
    }
}
