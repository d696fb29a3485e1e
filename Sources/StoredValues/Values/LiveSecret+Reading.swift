import Dispatch
import StoredValuesSupport

/// How long a getter waits for the first answer.
private let getterDeadline = Duration.seconds(5)

// One question to the keyring for each reading, whose deadline is the keyring's. Getters and whoever hears of a change share a
// reading; `load` has one of its own, for it is to see what was stored before it was called.
extension LiveSecret {
    /// When a getter has waited long enough that begins to now.
    static var endOfWaiting: DispatchTime { .now() + getterDeadline.dispatchInterval }

    /// What is known now; the first time ever it asks the keyring and waits for the answer, until `end` at the latest.
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
            guard case .unknown = live.current.content else { return nil }  // it has come meanwhile
            state.waiting.append(isRead)
            return state.plan.request(anew: false, isFirst: true)
        }
        guard let isOurs else { return }
        if isOurs { beginReading() }
        if isRead.wait(timeout: end) == .timedOut { giveUp(after: getterDeadline) }
    }

    /// Asks the keyring.
    func load() async throws(KeyringError) -> Item? { try await ask().answer.answer.get() }

    /// `reason`, and which secret it is about.
    func failure(_ reason: KeyringError) -> SecretError {
        SecretError(reason: reason, id: id, keyring: keyring.description)
    }

    /// Asks the keyring in the background where it has given no answer, unless that is going on.
    func reloadIfUnanswered() {
        if !live.current.content.isAnswer { reload() }
    }

    /// Asks the keyring in the background, unless that is going on; with `anew`, once more after that.
    func reload(anew: Bool = false) {
        let isOurs = state.withLock { state in
            let isFirst = if case .unknown = live.current.content { true } else { false }
            return state.plan.request(anew: anew, isFirst: isFirst)
        }
        if isOurs { beginReading() }
    }

    /// Reads until the plan says that it is enough. To be called when the plan says to begin.
    func beginReading() {
        Task(executorPreference: executor) {
            var isDue = true
            while isDue {
                let rest = self.state.withLock { $0.plan.rest }
                if rest > .zero { _ = await pause(for: rest) }
                // Beside a change of ours an answer would not be put over what is known. An error is the content then.
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

    /// Asks the keyring, once, and takes over what it says unless memory may know better: then it is not the current answer.
    ///
    /// Returns what the keyring `said`; the `answer` for whoever reads, which is what a change of ours left, or a later question
    /// found, where one came in between; and whether memory says now what the keyring said.
    func ask() async -> (said: SecretContent<Item>, answer: SecretContent<Item>, isCurrent: Bool) {
        listen()
        let question = state.withLock { state -> UInt64? in
            let question = state.plan.ask()
            // Beside a change of ours: what is said may be older than what that has stored, or newer. The change leaves no such doubt.
            return state.plan.isChanging && live.current.content.isAnswer ? nil : question
        }
        let said = await read()
        switch said {
        case .unavailable(.cancelled): return (said, said, true)  // a task that was cancelled has learnt nothing
        case .unavailable(.timedOut): askLater()
        case .value, .absent: state.withLock { $0.plan.wasAnswered() }
        default: break
        }
        guard let question else { return (said, said, false) }
        if take(said, answerTo: question) { return (said, said, true) }
        let known = live.current.content
        guard said.isAnswer, known.isAnswer else { return (said, said, false) }
        reload(anew: true)  // the later question may have been answered earlier
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

    /// Asks again after a while: a daemon that hung and goes on tells nobody.
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
