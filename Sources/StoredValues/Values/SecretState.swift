/// One secret in this process: what is known of it, when the keyring is asked, and who waits for what.
///
/// Each method is an event, and returns actions for ``LiveSecret`` to carry out, in order. Nothing here waits, reads a clock or calls a
/// keyring.
///
/// - One background read serves all getters and all change notifications that arrive during it.
/// - Of two answers, the one to the later request counts, whichever arrives first. The outcome of a change of ours and a notification
///   are newer than all requests before them.
/// - Once the secret is known, an answer requested during a change of ours does not count: it may be from before or after the change.
struct SecretState<Item: StorableItem> {
    enum Action: Equatable {
        /// Show this content to all readers. It is done before the state changes again.
        case publish(SecretContent<Item>)
        /// Let these continue; with an error, they fail.
        case wake([Waiter], KeyringError?)
        /// After this time, ask the keyring in the background.
        case read(after: Duration)
        /// After this time, call ``retryIsDue()``.
        case retry(after: Duration)
        /// Return this to the caller that asked: it is newer than the keyring's answer.
        case reply(SecretContent<Item>)
    }

    /// A request to the keyring.
    struct Question {
        fileprivate let isBackground: Bool
        /// Later requests have higher numbers. Nil if the answer will not count.
        fileprivate let number: UInt64?
    }

    /// What readers get.
    private(set) var content = SecretContent<Item>.unknown

    // MARK: Reading

    /// Those that wait for the background read; they do so only while nothing is known.
    private var getters: [Waiter] = []
    private var isReading = false
    /// Whether to read once the present read or change has ended.
    private var isDue = false
    /// How many background reads in a row came too late to count.
    private var outdatedReads = 0
    private var lastNumber: UInt64 = 0
    /// Answers to requests up to this one no longer count.
    private var outdatedNumber: UInt64 = 0

    /// Whether the keyring was ever asked. Until then nobody uses the secret, and changes by others are ignored.
    private var isAsked: Bool { lastNumber > 0 }

    /// Whether the answer to a request made now would not count.
    private var isUncertain: Bool { change != nil && content.isAnswer }

    /// A getter wants the content; it is woken when there is one.
    mutating func get(_ getter: Waiter) -> [Action] {
        guard content == .unknown else { return [.wake([getter], nil)] }
        getters.append(getter)
        return read()
    }

    /// A getter has waited for `limit`.
    mutating func gaveUp(after limit: Duration) -> [Action] {
        content == .unknown ? publish(.unavailable(.timedOut(after: limit))) : []
    }

    /// The secret is needed, but nobody waits for it.
    mutating func readIfUnanswered() -> [Action] { content.isAnswer ? [] : read() }

    /// The keyring is about to be asked. Returns nil if a background read must not be made now; it follows after the change of ours.
    mutating func questionBegan(inBackground isBackground: Bool = false) -> Question? {
        if isBackground, isUncertain {
            (isReading, isDue) = (false, true)
            outdatedReads += 1
            return nil
        }
        lastNumber += 1
        return Question(isBackground: isBackground, number: isUncertain ? nil : lastNumber)
    }

    /// The keyring has answered.
    mutating func answered(_ answer: SecretContent<Item>, to question: Question) -> [Action] {
        // A cancelled request says nothing about the secret.
        if answer == .unavailable(.cancelled) { return question.isBackground ? readEnded(isCurrent: true) : [] }
        var actions: [Action] = []
        if case .unavailable(let error) = answer, error.mayPass { actions += retryLater() }
        if answer.isAnswer { retryDelay = .seconds(1) }
        var isCurrent = false
        if let number = question.number {
            let isNewest = number > outdatedNumber
            isCurrent = isNewest || answer == content
            if isNewest {
                outdatedNumber = number
                actions += publish(answer)
            } else if !isCurrent, answer.isAnswer, content.isAnswer {
                if !question.isBackground { actions.append(.reply(content)) }
                actions += read(anew: true)  // the later request may have been answered earlier
            }
        }
        return question.isBackground ? actions + readEnded(isCurrent: isCurrent) : actions
    }

    private mutating func readEnded(isCurrent: Bool) -> [Action] {
        isReading = false
        if !isCurrent { isDue = true }
        outdatedReads = isCurrent ? 0 : outdatedReads + 1
        return wakeGetters() + readIfDue()
    }

    /// Requests a background read. One under way is enough, unless `anew`.
    private mutating func read(anew: Bool = false) -> [Action] {
        if anew || !isReading { isDue = true }
        return readIfDue()
    }

    private mutating func readIfDue() -> [Action] {
        guard isDue, !isReading, !isUncertain else { return [] }
        (isReading, isDue) = (true, false)
        return [.read(after: rest)]
    }

    /// The pause before the next background read: while changes of ours follow one another, reads are outdated, and slow them down.
    private var rest: Duration {
        outdatedReads == 0 ? .zero : min(.milliseconds(10 << min(outdatedReads - 1, 5)), .milliseconds(200))
    }

    private mutating func publish(_ new: SecretContent<Item>) -> [Action] {
        guard new != content else { return [] }
        content = new
        return [.publish(new)] + (new.isAnswer ? wakeGetters() : [])
    }

    /// Publishes what is known without a request, and is newer than every request so far.
    private mutating func know(_ content: SecretContent<Item>) -> [Action] {
        lastNumber += 1
        outdatedNumber = lastNumber
        return publish(content)
    }

    private mutating func wakeGetters() -> [Action] {
        defer { getters = [] }
        return getters.isEmpty ? [] : [.wake(getters, nil)]
    }

    // MARK: A keyring that does not answer

    private var retryDelay = Duration.seconds(1)
    private var isRetrying = false

    /// Asks again later: a daemon that hung sends no signal when it continues, and a change that could not be read is announced only once.
    private mutating func retryLater() -> [Action] {
        guard !isRetrying else { return [] }
        isRetrying = true
        defer { retryDelay = min(retryDelay * 2, .seconds(60)) }
        return [.retry(after: retryDelay)]
    }

    /// The time of a ``Action/retry(after:)`` has passed.
    mutating func retryIsDue() -> [Action] {
        isRetrying = false
        return read()
    }

    // MARK: Changes by others

    /// The keyring reports a change that may concern the secret.
    mutating func heard(_ change: KeyringChange) -> [Action] {
        guard isAsked else { return [] }
        return switch change {
        case .secret, .anySecret, .unlocked: readNews()
        case .locked: know(.unavailable(.locked)) + readNews()  // another collection of the keyring may still be open
        case .unavailable(let error): isGone(error)
        }
    }

    /// Does not read again: that would start another daemon in place of the one that quit.
    private mutating func isGone(_ error: KeyringError) -> [Action] {
        change?.outage = error
        return know(.unavailable(error))
    }

    /// A wrapper of another type has stored `content`; nil if it does not decode as this type.
    mutating func followed(_ content: SecretContent<Item>?) -> [Action] {
        guard isAsked else { return [] }
        // Another process's change after that one may already have been seen and read here.
        return (content.map { know($0) } ?? []) + readNews()
    }

    /// Reads what others may have changed. During a change of ours it is read again afterwards: theirs may be made before or after it.
    private mutating func readNews() -> [Action] {
        if change != nil { change = (isNews: true, outage: nil) }
        return read(anew: true)
    }

    // MARK: Changes of ours

    /// During a change: whether others may have changed the secret meanwhile, and why the keyring has been unavailable since. Nil between changes.
    private var change: (isNews: Bool, outage: KeyringError?)?

    /// The keyring is about to be changed. Only the caller whose turn it is may change it.
    mutating func changeBegan() {
        change = (isNews: false, outage: nil)
        lastNumber += 1
        if content.isAnswer { outdatedNumber = lastNumber }
    }

    /// The keyring now holds `content`.
    mutating func changed(to content: SecretContent<Item>) -> [Action] {
        let change = change.take()
        if change?.isNews == true { isDue = true }
        var actions = know(content)
        if let outage = change?.outage { actions += know(.unavailable(outage)) }
        return actions + readIfDue()
    }

    /// The change failed, perhaps before it began.
    mutating func changeFailed(_ error: KeyringError) -> [Action] {
        change = nil
        return switch error {
        case .tooLarge, .notDecodable, .notEncodable, .notStored, .readOnly: readIfDue()  // the keyring answers, and its content is unchanged
        case .cancelled, .timedOut, .other: read(anew: true)  // only the keyring knows whether it happened
        case .accessDenied: read(anew: true)  // what cannot be changed may still be read
        case .wrongKey, .dismissed: know(.unavailable(error)) + readIfDue()  // a read might ask the user once more
        default: know(.unavailable(error)) + read(anew: true)
        }
    }

    // MARK: Turns

    /// Two queues. One caller at a time changes the secret, and one at a time runs a closure that awaits before its change.
    enum Line { case changes, updates }

    /// The callers in the order in which they came; the first has its turn.
    private var lines: [Line: [Waiter]] = [:]

    /// A caller wants its turn, and is woken when that comes. It fails if it is called inside `turns` and one of them is the update whose
    /// closure is running: an update would wait for itself, and after any other change the closure would run again.
    mutating func enter(_ line: Line, _ caller: Waiter, inside turns: [Waiter] = []) -> [Action] {
        if let running = lines[.updates]?.first, turns.contains(running) { return [.wake([caller], .updateOfItself)] }
        lines[line, default: []].append(caller)
        return lines[line]?.count == 1 ? [.wake([caller], nil)] : []
    }

    /// A caller is done, or waits no longer. After a timeout all behind it fail too: each would wait for its own deadline.
    mutating func leave(_ line: Line, _ caller: Waiter, after error: KeyringError?) -> [Action] {
        guard var callers = lines[line], let place = callers.firstIndex(of: caller) else { return [] }
        callers.remove(at: place)
        defer { lines[line] = callers }
        guard place == 0, !callers.isEmpty else { return [] }
        guard case .timedOut = error else { return [.wake([callers[0]], nil)] }
        defer { callers = [] }
        return [.wake(callers, error)]
    }
}

extension KeyringError {
    /// Whether the cause may go away without a notification: a timeout, an error of the system or of a file, or a fleet's agent that has not
    /// read the settings yet, which notifies nobody if there are no secrets. Other errors last, or asking again might ask the user for a
    /// passphrase each time.
    fileprivate var mayPass: Bool {
        switch self {
        // Not `.accessDenied`: a user may have denied it, and would be asked again each minute. So if only a file's mode is corrected,
        // which a watch does not report, the next getter reads it, but a stream does not see it.
        case .timedOut, .other("file", _, _), .other("system", _, _), .other("FleetKeyring", Self.fleetIsUnread, _): true
        default: false
        }
    }

    /// Thrown for a change of a secret inside of the closure of an update of it.
    static let updateOfItself = KeyringError.other(
        domain: "StoredValues", code: 2,
        message: "the secret was to be changed inside the closure of an update of the same secret, which would wait for itself or run again without end; change the closure's argument instead")
}
