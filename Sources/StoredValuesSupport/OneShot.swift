/// An answer that one task waits for. The first one counts: the answer itself, the deadline or the task's cancellation.
package final class OneShot<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Answer, Never>)
        /// With the answer if it came before the wait began.
        case answered(Answer?)
    }

    private let state = Guarded(State.open)

    package init() {}

    /// Whether another answer would be ignored.
    package var isAnswered: Bool {
        state.withLock { state in
            if case .answered = state { true } else { false }
        }
    }

    /// Gives the answer; false if another one came first.
    @discardableResult
    package func answer(_ answer: Answer) -> Bool {
        let (isFirst, task) = state.withLock { state -> (Bool, CheckedContinuation<Answer, Never>?) in
            switch state {
            case .open:
                state = .answered(answer)
                return (true, nil)
            case .awaited(let task):
                state = .answered(nil)
                return (true, task)
            case .answered:
                return (false, nil)
            }
        }
        task?.resume(returning: answer)
        return isFirst
    }

    /// Waits for the answer: `cancelled` as soon as the task is cancelled. If that comes first, `abandon` is called on the thread that
    /// noticed it. Call it once. For a deadline, set an ``Alarm`` that gives an answer.
    package func wait(cancelled: Answer, abandon: @escaping @Sendable () -> Void = {}) async -> Answer {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                let early = state.withLock { state -> Answer? in
                    guard case .answered(let early) = state else {
                        state = .awaited(task)
                        return nil
                    }
                    state = .answered(nil)
                    return early
                }
                if let early { task.resume(returning: early) }
            }
        } onCancel: {
            if self.answer(cancelled) { abandon() }
        }
        // The thread sanitizer does not always see that the runtime resumes after the answer (seen with Swift 6.3.1: reports about what
        // an answer holds); this it sees.
        state.withLock { _ in }
        return answer
    }
}
