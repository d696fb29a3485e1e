import StoredValuesFiles

/// What this process knows about a preferences file on the disk, and what it still has to do there.
struct KnownFile {
    /// The file that the members were read from or written to; nil if there was none, or it is already gone.
    private var pin: FilePin?
    /// The file as this process last wrote it.
    private(set) var written: FileIdentity?
    /// Whether the members are those of the last durable state, because the file does not parse.
    private(set) var isRecovered = false
    /// The state in which the file was last found broken.
    private(set) var brokenIdentity: FileIdentity?
    /// Whether the file must be written even if no change is pending: after a failed fsync, Linux has dropped its pages.
    private(set) var mustRewrite = false
    /// Whether a sync has failed and was not repeated yet.
    private(set) var isSyncMissed = false
    private(set) var isSyncScheduled = false
    /// How long the last background sync took.
    private var syncCost = Duration.zero
    /// Whether a thread already waits until another process releases the file's lock.
    private(set) var isWaitingForLock = false
    /// Whether a change of ours is being written to the file. What is read from it meanwhile may be that change.
    private(set) var isWriting = false
    /// Whether a read was requested while ``isWriting``.
    private var isReadingMissed = false
    /// Whether it was logged that changes by other programs may go unseen.
    private var isBlindnessReported = false

    /// The identity of the file whose content the members are.
    var identity: FileIdentity? { pin?.identity }

    /// The same file if this process was the last to write it.
    var writtenPin: FilePin? { written == identity ? pin : nil }

    // MARK: Reading and writing

    /// Notes that the members are those of the file at `pin`. Returns what to release without a lock.
    mutating func wasRead(_ new: FilePin?) -> FilePin? {
        defer { (pin, isRecovered) = (new, false) }
        return pin
    }

    mutating func wasRecovered() { isRecovered = true }

    /// Notes the state in which the file is broken, and returns whether that state is new.
    mutating func wasBroken(_ identity: FileIdentity?) -> Bool {
        defer { brokenIdentity = identity }
        return identity?.isUnwritten(since: brokenIdentity) != true
    }

    /// Whether the file may be read now. If not, ``endWriting()`` returns that it must be.
    mutating func mayRead() -> Bool {
        isReadingMissed = isWriting
        return !isWriting
    }

    mutating func beginWriting() { isWriting = true }

    /// Returns whether the file must be read again.
    mutating func endWriting() -> Bool {
        defer { (isWriting, isReadingMissed) = (false, false) }
        return isReadingMissed
    }

    /// Notes that this process has replaced the file. Returns what to release without a lock.
    mutating func wasWritten(_ identity: FileIdentity?, _ new: FilePin?) -> FilePin? {
        defer { (pin, written, mustRewrite, isRecovered) = (new, identity, false, false) }
        pin?.noteReplaced()
        return pin
    }

    // MARK: Syncing to the disk

    /// Requests a background sync. Returns after what time it should run, or nil if one is already scheduled.
    mutating func scheduleSync() -> Duration? {
        guard !isSyncScheduled else { return nil }
        isSyncScheduled = true
        // On a slow or busy disk, at most a tenth of the time is spent syncing.
        return min(syncCost * 10, .seconds(5))
    }

    mutating func syncBegins() { isSyncScheduled = false }

    mutating func syncTook(_ cost: Duration) { syncCost = cost }

    mutating func wasSynced() { isSyncMissed = false }

    /// Notes that a sync failed, and whether that may have lost written data.
    mutating func wasNotSynced(isLost: Bool) {
        isSyncMissed = true
        if isLost { mustRewrite = true }
    }

    /// Notes that another program broke the file since it was read or written here.
    mutating func wasSpoilt() { mustRewrite = true }

    // MARK: Waiting, watching

    /// Notes that a thread begins to wait for the lock. Returns whether none did before.
    mutating func beginWaitingForLock() -> Bool {
        defer { isWaitingForLock = true }
        return !isWaitingForLock
    }

    mutating func lockWasFree() { isWaitingForLock = false }

    /// Notes that it is being logged that changes by other programs may go unseen. Returns whether it was not logged before.
    mutating func noteBlindness() -> Bool {
        defer { isBlindnessReported = true }
        return !isBlindnessReported
    }
}
