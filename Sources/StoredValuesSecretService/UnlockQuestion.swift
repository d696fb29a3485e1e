#if Libsecret
    import StoredValuesSupport

    /// The question whether to unlock, put to the user.
    struct UnlockQuestion: Sendable {
        /// On the connection that calls use: KeePassXC lets only the connection have an item that asked for it.
        let daemon: Daemon
        /// What is to be unlocked: collections, items.
        let paths: [ObjectPath]

        /// Asks, and waits for the answer. Throws `dismissed`, `noSecretService` when the daemon or its bus goes meanwhile, and
        /// `cancelled` when `cancellable` is; then the question is taken away where that can be done.
        func ask(_ cancellable: Cancellable) throws(SecretServiceError) {
            guard let prompt = try daemon.beginUnlocking(paths, cancellable) else { return }
            do {
                try prompt.perform(cancellable)
            } catch .cancelled {
                prompt.dismissIfSafe()
                throw .cancelled
            }
        }
    }

    /// The question that stands on one bus: there is one at a time, however many calls want it answered.
    ///
    /// Each caller waits as long as its task is not cancelled; the question stands until it is answered, for as long as
    /// somebody waits, and ``ItemStore/longestQuestion`` at most.
    final class OpenQuestion: Sendable {
        private typealias Answer = Result<Void, SecretServiceError>

        private struct State {
            var waiting: [OneShot<Answer>] = []
            var asking: Task<Void, Never>?
            /// Which question `waiting` wait for.
            var round = 0
            /// What the user answered last, and when.
            var last: (answer: Answer, time: ContinuousClock.Instant)?
        }

        private let state = Guarded(State())

        /// Puts `question` to the user and waits for the answer. Where one stands already, or was answered since the
        /// caller `began`, that one's answer is the answer.
        ///
        /// Throws `dismissed`, `cancelled` as soon as the task is, and `timedOut`.
        func ask(_ question: UnlockQuestion, since began: ContinuousClock.Instant) async throws(SecretServiceError) {
            let shot = OneShot<Answer>()
            let early = state.withLock { state -> Answer? in
                if let last = state.last, last.time > began { return last.answer }
                state.waiting.append(shot)
                if state.asking == nil {
                    state.round += 1
                    state.asking = Task.detached { [self, round = state.round] in await put(question, round) }
                }
                return nil
            }
            if let early { return try early.get() }
            let answer = await shot.wait(cancelled: .failure(.cancelled))
            if case .failure(.cancelled) = answer { giveUp(shot) }
            try answer.get()
        }

        private func put(_ question: UnlockQuestion, _ round: Int) async {
            let answer: Answer
            do throws(SecretServiceError) {
                try await ServiceThread.perform(on: ServiceThread.questions, deadline: ItemStore.longestQuestion) {
                    cancellable throws(SecretServiceError) in
                    try question.ask(cancellable)
                }
                answer = .success(())
            } catch {
                answer = .failure(error)
            }
            let waiting = state.withLock { state -> [OneShot<Answer>] in
                guard state.round == round else { return [] }
                defer { (state.waiting, state.asking) = ([], nil) }
                switch answer {
                case .success, .failure(.dismissed): state.last = (answer, .now)
                case .failure: break  // the user has said nothing
                }
                return state.waiting
            }
            for shot in waiting { shot.answer(answer) }
        }

        /// Ends the question with the last of those who wait: nobody wants to know any more.
        private func giveUp(_ shot: OneShot<Answer>) {
            let asking = state.withLock { state in
                state.waiting.removeAll { $0 === shot }
                return state.waiting.isEmpty ? state.asking.take() : nil
            }
            asking?.cancel()
        }
    }
#endif
