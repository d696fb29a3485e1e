/// When a live secret is read again: once for any number of hints that come while it is being read, and never while a
/// change of ours is under way, whose outcome nobody could tell from what another process did before or after it.
struct ReloadPlan {
    private var isReading = false
    private var isDueAgain = false
    private var changes = 0
    /// How many readings in a row were outdated when they came.
    private var outdated = 0

    /// Whether a change of ours is under way.
    var isChanging: Bool { changes > 0 }

    /// Asks for a reading; one that has begun will do, unless it is to be read `anew`. True if the caller has to begin.
    mutating func request(anew: Bool) -> Bool {
        if isReading || isChanging {
            if anew || !isReading { isDueAgain = true }
            return false
        }
        isReading = true
        return true
    }

    /// How long to wait before the next reading; by so much another process's change may be seen later. While changes of ours
    /// follow one another, each outdates the reading that began before it, and that reading only makes the change wait at
    /// the keyring.
    var rest: Duration { outdated == 0 ? .zero : min(.milliseconds(10 << min(outdated - 1, 5)), .milliseconds(200)) }

    /// Ends a reading, whose answer was current or was outdated when it came. True if the caller has to read once more.
    mutating func readingEnded(isCurrent: Bool) -> Bool {
        if !isCurrent { isDueAgain = true }
        outdated = isCurrent ? 0 : outdated + 1
        isReading = false
        return beginIfDue()
    }

    mutating func changeBegan() {
        changes += 1
    }

    /// Ends a change of ours. True if the caller has to begin a reading.
    mutating func changeEnded() -> Bool {
        changes -= 1
        return beginIfDue()
    }

    private mutating func beginIfDue() -> Bool {
        guard isDueAgain, !isReading, !isChanging else { return false }
        (isReading, isDueAgain) = (true, false)
        return true
    }
}
