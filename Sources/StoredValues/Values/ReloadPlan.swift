/// When a live secret is read again, and which answers count.
///
/// It is read once for any number of hints that come while it is being read, and, once something is known, never while a
/// change of ours is under way: nobody could tell its outcome from what another process did before or after it.
struct ReloadPlan {
    private var isReading = false
    private var isDueAgain = false
    private var changes = 0
    /// How many readings in a row were outdated when they came.
    private var outdated = 0

    /// Whether a change of ours is under way.
    var isChanging: Bool { changes > 0 }

    /// Asks for a reading; one that has begun will do, unless it is to be read `anew`. Where nothing is known yet, it `isFirst`,
    /// and a change that is under way need not end before it. True if the caller has to begin.
    mutating func request(anew: Bool, isFirst: Bool = false) -> Bool {
        if isReading || isChanging && !isFirst {
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

    /// Begins a change of ours. Where something is known, the answers to all earlier questions are outdated.
    mutating func changeBegan(isKnown: Bool = false) {
        changes += 1
        lastQuestion += 1
        if isKnown { outdatedQuestion = lastQuestion }
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

    // MARK: Which answers count

    /// Number of the last question to the keyring.
    private var lastQuestion: UInt64 = 0
    /// Questions up to this one came before what is known.
    private var outdatedQuestion: UInt64 = 0

    /// Whether anybody has asked; until then, nobody needs to hear of changes.
    var isAsked: Bool { lastQuestion > 0 }

    /// Numbers a question to the keyring.
    mutating func ask() -> UInt64 {
        lastQuestion += 1
        return lastQuestion
    }

    /// Whether the answer to `question` counts: of two, the one that was asked for later does, whichever comes first. What is known
    /// without a question, as the outcome of a change of ours is, counts before all that were asked until now.
    mutating func accept(answerTo question: UInt64?) -> Bool {
        let question = question ?? ask()
        guard question > outdatedQuestion else { return false }
        outdatedQuestion = question
        return true
    }

    // MARK: A keyring that does not answer

    private var patience = Duration.seconds(1)
    private var isWaiting = false

    /// How long to wait before a keyring that did not answer is asked again: longer each time. Nil when somebody waits already.
    mutating func waitingBegan() -> Duration? {
        guard !isWaiting else { return nil }
        isWaiting = true
        defer { patience = min(patience * 2, .seconds(60)) }
        return patience
    }

    mutating func waitingEnded() { isWaiting = false }

    mutating func wasAnswered() { patience = .seconds(1) }
}
