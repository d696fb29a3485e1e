#if Libsecret
    import StoredValuesSupport

    /// A prompt to unlock, shown to the user.
    struct UnlockQuestion: Sendable {
        /// On the connection of the calls: KeePassXC unlocks an item only for the connection that requested it.
        let daemon: Daemon
        /// What to unlock: collections, items.
        let paths: [ObjectPath]

        /// Shows the prompt, and waits for the answer. Throws `dismissed`, `noSecretService` if the daemon or its bus ends
        /// meanwhile, and `cancelled` if `cancellable` is; then the prompt is closed if possible.
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

    /// The open prompt on one bus: there is at most one, however many calls wait for it.
    ///
    /// Each caller waits until its task is cancelled; the prompt stays open until it is answered, as long as a caller waits,
    /// and at most ``ItemStore/longestQuestion``.
    final class OpenQuestion: Sendable {
        private typealias Answer = Result<Void, SecretServiceError>

        private struct State {
            var waiting: [OneShot<Answer>] = []
            var asking: Task<Void, Never>?
            /// Identifies the prompt that `waiting` wait for.
            var round = 0
            /// The user's last answer, and when it was given.
            var last: (answer: Answer, time: ContinuousClock.Instant)?
        }

        private let state = Guarded(State())

        /// Shows `question` and waits for the answer. If a prompt is already open, or was answered since the caller `began`,
        /// its answer is used.
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
                case .failure: break  // the user has not answered
                }
                return state.waiting
            }
            for shot in waiting { shot.answer(answer) }
        }

        /// Closes the prompt when the last waiting caller has given up.
        private func giveUp(_ shot: OneShot<Answer>) {
            let asking = state.withLock { state in
                state.waiting.removeAll { $0 === shot }
                return state.waiting.isEmpty ? state.asking.take() : nil
            }
            asking?.cancel()
        }
    }
#endif
