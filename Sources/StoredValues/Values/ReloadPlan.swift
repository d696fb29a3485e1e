/// Decides when a live secret is read again, and which answers count.
///
/// One read serves any number of change notifications that arrive during it. Once something is known, the secret is never read
/// during a change of ours: its outcome could not be distinguished from what another process did before or after it.
struct ReloadPlan {
    private var isReading = false
    private var isDueAgain = false
    private var changes = 0
    /// How many reads in a row were outdated when they arrived.
    private var outdated = 0

    /// Whether a change of ours is under way.
    var isChanging: Bool { changes > 0 }

    /// Requests a read; one under way is enough, unless `anew`. `isFirst` means that nothing is known yet: then the read need
    /// not wait for a change under way. True if the caller has to begin the read.
    mutating func request(anew: Bool, isFirst: Bool = false) -> Bool {
        if isReading || isChanging && !isFirst {
            if anew || !isReading { isDueAgain = true }
            return false
        }
        isReading = true
        return true
    }

    /// How long to wait before the next read, and so by how much later another process's change may be seen. While changes of
    /// ours follow one another, each outdates the read that began before it, and that read only delays the change in the
    /// keyring.
    var rest: Duration { outdated == 0 ? .zero : min(.milliseconds(10 << min(outdated - 1, 5)), .milliseconds(200)) }

    /// Ends a read, whose answer was current or outdated when it arrived. True if the caller has to read once more.
    mutating func readingEnded(isCurrent: Bool) -> Bool {
        if !isCurrent { isDueAgain = true }
        outdated = isCurrent ? 0 : outdated + 1
        isReading = false
        return beginIfDue()
    }

    /// Begins a change of ours. If something is known, the answers to all earlier requests are outdated.
    mutating func changeBegan(isKnown: Bool = false) {
        changes += 1
        lastQuestion += 1
        if isKnown { outdatedQuestion = lastQuestion }
    }

    /// Ends a change of ours. True if the caller has to begin a read.
    mutating func changeEnded() -> Bool {
        changes -= 1
        return beginIfDue()
    }

    private mutating func beginIfDue() -> Bool {
        guard isDueAgain, !isReading, !isChanging else { return false }
        (isReading, isDueAgain) = (true, false)
        return true
    }

    // MARK: Which answers count

    /// Number of the last request to the keyring.
    private var lastQuestion: UInt64 = 0
    /// Requests up to this one came before the known content.
    private var outdatedQuestion: UInt64 = 0

    /// Whether anything was requested; until then, changes need not be handled.
    var isAsked: Bool { lastQuestion > 0 }

    /// Numbers a request to the keyring.
    mutating func ask() -> UInt64 {
        lastQuestion += 1
        return lastQuestion
    }

    /// Whether the answer to `question` counts: of two answers, that to the later request does, whichever arrives first.
    /// Content known without a request, such as the outcome of a change of ours, is newer than all requests so far.
    mutating func accept(answerTo question: UInt64?) -> Bool {
        let question = question ?? ask()
        guard question > outdatedQuestion else { return false }
        outdatedQuestion = question
        return true
    }

    // MARK: A keyring that does not answer

    private var patience = Duration.seconds(1)
    private var isWaiting = false

    /// How long to wait before asking a keyring again that did not answer: longer each time. Nil if a wait is under way.
    mutating func waitingBegan() -> Duration? {
        guard !isWaiting else { return nil }
        isWaiting = true
        defer { patience = min(patience * 2, .seconds(60)) }
        return patience
    }

    mutating func waitingEnded() { isWaiting = false }

    mutating func wasAnswered() { patience = .seconds(1) }
}
