import Dispatch

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

    /// Waits for the answer: that of `deadline` after its time, and `cancelled` as soon as the task is cancelled. If one of
    /// these two comes first, `abandon` is called on the thread that noticed it. Call it once.
    package func wait(
        deadline: (time: Duration, answer: Answer)? = nil, cancelled: Answer, abandon: @escaping @Sendable () -> Void = {}
    ) async -> Answer {
        let timer = deadline.map { deadline in
            let timer = DispatchSource.makeTimerSource(queue: .deadlines)
            timer.setEventHandler { if self.answer(deadline.answer) { abandon() } }
            timer.schedule(deadline: .now() + deadline.time.dispatchInterval)
            timer.activate()
            return timer
        }
        defer { timer?.cancel() }  // otherwise it would stay until the deadline
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

/// Waits for `duration`, or until the task is cancelled; true if it waited the whole time.
///
/// Not `Task.sleep`: its timer fires on Swift's cooperative pool, which may be blocked by what waits here.
package func pause(for duration: Duration) async -> Bool {
    await OneShot().wait(deadline: (duration, true), cancelled: false)
}
