import StoredValuesFiles

/// What this process knows of a preferences file on the disk, and what it still has to do there.
struct KnownFile {
    /// The file that the members were read from or written to; nil when there was none, or it is gone already.
    private var pin: FilePin?
    /// The file as this process last wrote it.
    private(set) var written: FileIdentity?
    /// Whether the members are those of the last durable state, in place of a file that does not parse.
    private(set) var isRecovered = false
    /// The state of the file that was last found broken.
    private(set) var brokenIdentity: FileIdentity?
    /// Whether the file must be written even if no change waits: after a failed fsync, Linux has dropped its pages.
    private(set) var mustRewrite = false
    /// Whether something could not be brought to the disk, and is not there yet.
    private(set) var isSyncMissed = false
    private(set) var isSyncScheduled = false
    /// How long the last sync in the background took.
    private var syncCost = Duration.zero
    /// Whether a thread already waits for another process to let go of the file's lock.
    private(set) var isWaitingForLock = false
    /// Whether a change of ours is on its way into the file. What is read from it meanwhile may be that change.
    private(set) var isWriting = false
    /// Whether somebody wanted to read the file while ``isWriting``.
    private var isReadingMissed = false
    /// Whether it was said that changes by others may go unseen.
    private var isBlindnessReported = false

    /// The identity of the file that the members are the content of.
    var identity: FileIdentity? { pin?.identity }

    /// The same file, where this process was the last to write it.
    var writtenPin: FilePin? { written == identity ? pin : nil }

    // MARK: Reading and writing

    /// Notes that the members are those of the file at `pin`. Returns what is to be let go when no lock is held.
    mutating func wasRead(_ new: FilePin?) -> FilePin? {
        defer { (pin, isRecovered) = (new, false) }
        return pin
    }

    mutating func wasRecovered() { isRecovered = true }

    /// Notes the state in which the file is broken, and returns whether that is news.
    mutating func wasBroken(_ identity: FileIdentity?) -> Bool {
        defer { brokenIdentity = identity }
        return identity?.isUnwritten(since: brokenIdentity) != true
    }

    /// Whether the file may be read now. If not, ``endWriting()`` says that it must be.
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

    /// Notes that this process has replaced the file. Returns what is to be let go when no lock is held.
    mutating func wasWritten(_ identity: FileIdentity?, _ new: FilePin?) -> FilePin? {
        defer { (pin, written, mustRewrite, isRecovered) = (new, identity, false, false) }
        pin?.noteReplaced()
        return pin
    }

    // MARK: Bringing to the disk

    /// Asks for a sync in the background. Returns after how long it is to be, or nil where one is coming already.
    mutating func scheduleSync() -> Duration? {
        guard !isSyncScheduled else { return nil }
        isSyncScheduled = true
        // Where the disk is slow, or many processes use it, at most a tenth of the time is spent on it.
        return min(syncCost * 10, .seconds(5))
    }

    mutating func syncBegins() { isSyncScheduled = false }

    mutating func syncTook(_ cost: Duration) { syncCost = cost }

    mutating func wasSynced() { isSyncMissed = false }

    /// Notes that a sync failed, and whether what was written may be lost by that.
    mutating func wasNotSynced(isLost: Bool) {
        isSyncMissed = true
        if isLost { mustRewrite = true }
    }

    /// Notes that somebody broke the file since it was read or written here.
    mutating func wasSpoilt() { mustRewrite = true }

    // MARK: Waiting, watching

    /// Notes that somebody waits for the lock from now on. Returns whether nobody did.
    mutating func beginWaitingForLock() -> Bool {
        defer { isWaitingForLock = true }
        return !isWaitingForLock
    }

    mutating func lockWasFree() { isWaitingForLock = false }

    /// Notes that it is said that changes by others may go unseen. Returns whether that is news.
    mutating func noteBlindness() -> Bool {
        defer { isBlindnessReported = true }
        return !isBlindnessReported
    }
}
