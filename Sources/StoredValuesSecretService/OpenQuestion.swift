#if Libsecret
    import Dispatch
    import StoredValuesSupport

    /// The question to the person on one bus: there is one at a time, however many calls want it answered.
    ///
    /// Each caller waits as long as its task is not cancelled; the question stands until it is answered, for as long as
    /// somebody waits, and ``ItemStore/longestQuestion`` at most.
    final class OpenQuestion: Sendable {
        private typealias Answer = Result<Void, SecretServiceError>

        private struct State {
            var waiting: [Int: CheckedContinuation<Answer, Never>] = [:]
            var next = 0
            var asking: Task<Void, Never>?
            /// Which question `waiting` wait for.
            var round = 0
            /// Callers that gave up before they began to wait.
            var givenUp: Set<Int> = []
            /// What the person answered last, and when.
            var last: (answer: Answer, time: ContinuousClock.Instant)?
        }

        private let state = Guarded(State())

        /// Puts `question` to the person and waits for the answer. Where one stands already, or was answered since the
        /// caller `began`, that one's answer is the answer.
        ///
        /// Throws `dismissed`, `cancelled` as soon as the task is, and `timedOut`.
        func ask(_ question: UnlockQuestion, since began: ContinuousClock.Instant) async throws(SecretServiceError) {
            let number = state.withLock { state in
                state.next += 1
                return state.next
            }
            let answer = await withTaskCancellationHandler {
                await withCheckedContinuation { wait(for: $0, number, question, since: began) }
            } onCancel: {
                giveUp(number)
            }
            _ = state.withLock { $0.givenUp.remove(number) }
            try answer.get()
        }

        private func wait(
            for continuation: CheckedContinuation<Answer, Never>, _ number: Int, _ question: UnlockQuestion,
            since began: ContinuousClock.Instant
        ) {
            let answer = state.withLock { state -> Answer? in
                if state.givenUp.contains(number) { return .failure(.cancelled) }
                if let last = state.last, last.time > began { return last.answer }
                state.waiting[number] = continuation
                if state.asking == nil {
                    state.round += 1
                    state.asking = Task.detached { [self, round = state.round] in await put(question, round) }
                }
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }

        private func put(_ question: UnlockQuestion, _ round: Int) async {
            let answer: Answer
            do throws(SecretServiceError) {
                try await Call.run(on: ServiceThread.questions, deadline: ItemStore.longestQuestion) {
                    cancellable throws(SecretServiceError) in
                    try question.ask(cancellable)
                }
                answer = .success(())
            } catch {
                answer = .failure(error)
            }
            let waiting = state.withLock { state in
                guard state.round == round else { return [Int: CheckedContinuation<Answer, Never>]() }
                defer { (state.waiting, state.asking) = ([:], nil) }
                switch answer {
                case .success, .failure(.dismissed): state.last = (answer, .now)
                case .failure: break  // the person has said nothing
                }
                return state.waiting
            }
            for continuation in waiting.values { continuation.resume(returning: answer) }
        }

        private func giveUp(_ number: Int) {
            let (continuation, asking) = state.withLock { state in
                let continuation = state.waiting.removeValue(forKey: number)
                if continuation == nil { state.givenUp.insert(number) }
                let isLast = continuation != nil && state.waiting.isEmpty
                return (continuation, isLast ? state.asking.take() : nil)
            }
            asking?.cancel()  // nobody wants to know any more
            continuation?.resume(returning: .failure(.cancelled))
        }
    }
#endif
