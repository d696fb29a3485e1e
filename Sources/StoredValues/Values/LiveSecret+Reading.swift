import Dispatch
import StoredValuesSupport

/// How long a getter waits for the first answer.
private let getterDeadline = Duration.seconds(5)

// One request to the keyring per read, with the keyring's deadline. Getters and change notifications share a read. `load` has
// its own, because it must see what was stored before it was called.
extension LiveSecret {
    /// The time until which a getter that begins now waits.
    static var endOfWaiting: DispatchTime { .now() + getterDeadline.dispatchInterval }

    /// The known content; the very first time it asks the keyring and waits for the answer, until `end` at the latest.
    func contentAtHand(by end: DispatchTime? = nil) -> SecretContent<Item> {
        let (content, revision) = live.current
        switch content {
        case .value, .absent: live.makeReady(content.item, ifStill: revision)
        case .unavailable: reload()
        case .unknown:
            waitForFirstAnswer(until: end ?? Self.endOfWaiting)
            return live.current.content
        }
        return content
    }

    private func waitForFirstAnswer(until end: DispatchTime) {
        let isRead = DispatchSemaphore(value: 0)
        let isOurs: Bool? = state.withLock { state in
            guard case .unknown = live.current.content else { return nil }  // answered in the meantime
            state.waiting.append(isRead)
            return state.plan.request(anew: false, isFirst: true)
        }
        guard let isOurs else { return }
        if isOurs { beginReading() }
        if isRead.wait(timeout: end) == .timedOut { giveUp(after: getterDeadline) }
    }

    /// Asks the keyring.
    func load() async throws(KeyringError) -> Item? { try await ask().answer.answer.get() }

    /// `reason` together with the secret it is about.
    func failure(_ reason: KeyringError) -> SecretError {
        SecretError(reason: reason, id: id, keyring: keyring.description)
    }

    /// Reads the keyring in the background if it has given no answer yet, unless a read is under way.
    func reloadIfUnanswered() {
        if !live.current.content.isAnswer { reload() }
    }

    /// Reads the keyring in the background, unless a read is under way; with `anew`, once more after that one.
    func reload(anew: Bool = false) {
        let isOurs = state.withLock { state in
            let isFirst = if case .unknown = live.current.content { true } else { false }
            return state.plan.request(anew: anew, isFirst: isFirst)
        }
        if isOurs { beginReading() }
    }

    /// Reads until the plan is satisfied. Call it when the plan says so.
    func beginReading() {
        Task(executorPreference: executor) {
            var isDue = true
            while isDue {
                let rest = self.state.withLock { $0.plan.rest }
                if rest > .zero { _ = await pause(for: rest) }
                // During a change of ours an answer would not replace the known content. An error may be replaced.
                let isInVain = self.state.withLock { $0.plan.isChanging } && self.live.current.content.isAnswer
                isDue = self.readingEnded(isCurrent: isInVain ? false : await self.ask().isCurrent)
            }
        }
    }

    private func readingEnded(isCurrent: Bool) -> Bool {
        let (isDue, waiting) = state.withLock { state in
            defer { state.waiting = [] }
            return (state.plan.readingEnded(isCurrent: isCurrent), state.waiting)
        }
        for getter in waiting { getter.signal() }
        return isDue
    }

    /// Asks the keyring once and publishes its answer, unless memory may hold a newer one: then the answer is not current.
    ///
    /// Returns what the keyring `said`; the `answer` for the caller, which is the outcome of a change of ours or a later
    /// request if one came in between; and whether memory now equals what the keyring said.
    func ask() async -> (said: SecretContent<Item>, answer: SecretContent<Item>, isCurrent: Bool) {
        listen()
        let question = state.withLock { state -> UInt64? in
            let question = state.plan.ask()
            // During a change of ours the answer may be from before or after it. The outcome of the change itself is certain.
            return state.plan.isChanging && live.current.content.isAnswer ? nil : question
        }
        let said = await read()
        switch said {
        case .unavailable(.cancelled): return (said, said, true)  // a cancelled task has learnt nothing
        case .unavailable(.timedOut): askLater()
        case .value, .absent: state.withLock { $0.plan.wasAnswered() }
        default: break
        }
        guard let question else { return (said, said, false) }
        if take(said, answerTo: question) { return (said, said, true) }
        let known = live.current.content
        guard said.isAnswer, known.isAnswer else { return (said, said, false) }
        reload(anew: true)  // the later request may have been answered earlier
        return (said, known, false)
    }

    private func read() async -> SecretContent<Item> {
        do throws(KeyringError) {
            guard let secret = try await keyring.read(id) else { return .absent }
            return .value(try SecretCoding.decode(Item.self, from: secret), secret)
        } catch {
            return .unavailable(error)
        }
    }

    /// Asks again after a while: a daemon that hung and continues sends no signal.
    private func askLater() {
        guard let delay = state.withLock({ $0.plan.waitingBegan() }) else { return }
        Task.detached { [weak self] in
            let isOver = await pause(for: delay)
            guard let self else { return }
            self.state.withLock { $0.plan.waitingEnded() }
            if isOver { self.reload() }
        }
    }
}
