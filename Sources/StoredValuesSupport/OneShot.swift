package import Dispatch

/// An answer that one task waits for. The first one counts: the answer itself, the deadline or the task's cancellation.
package final class OneShot<Answer: Sendable>: Sendable {
    private struct State {
        var isAnswered = false
        /// The answer if it came before the wait began.
        var answer: Answer?
        var task: CheckedContinuation<Answer, Never>?
    }

    private let state = Guarded(State())

    package init() {}

    /// Whether there is an answer already, so that another one would be ignored.
    package var isAnswered: Bool { state.withLock { $0.isAnswered } }

    /// Gives the answer; false if another one came first.
    @discardableResult
    package func answer(_ answer: Answer) -> Bool {
        let (isFirst, task) = state.withLock { state -> (Bool, CheckedContinuation<Answer, Never>?) in
            guard !state.isAnswered else { return (false, nil) }
            state.isAnswered = true
            if state.task == nil { state.answer = answer }
            return (true, state.task.take())
        }
        task?.resume(returning: answer)
        return isFirst
    }

    /// Waits for the answer: `cancelled` as soon as the task is cancelled. If that comes first, `abandon` is called on the thread that
    /// noticed it. Call it once. For a deadline, set an ``Alarm`` that gives an answer.
    package func wait(cancelled: Answer, abandon: @escaping @Sendable () -> Void = {}) async -> Answer {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                let early = state.withLock { state in
                    if !state.isAnswered { state.task = task }
                    return state.answer.take()
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

extension DispatchQueue {
    /// Runs `work` on this queue and waits for its answer, at most until `deadline` has passed, including the time in the
    /// queue, or the task is cancelled. Then `abandon` is called, on any thread, which it must not block.
    ///
    /// Work that has been abandoned is not begun, and may check `isWanted` to stop early.
    package func perform<Answer: Sendable, Failure: WaitError>(
        deadline: Duration, abandon: @escaping @Sendable () -> Void = {},
        _ work: @escaping @Sendable (_ isWanted: () -> Bool) throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        if Task.isCancelled { throw .cancelled }
        let shot = OneShot<Result<Answer, Failure>>()
        let alarm: Alarm
        do throws(SystemErrorCode) {
            alarm = try Alarm.set(after: deadline) { if shot.answer(.failure(.timedOut(after: deadline))) { abandon() } }
        } catch { throw .withoutThread(error) }
        defer { alarm.cancel() }  // otherwise it would keep the answer until the deadline
        async {
            guard !shot.isAnswered else { return }
            shot.answer(Result { () throws(Failure) in try work { !shot.isAnswered } })
        }
        return try await shot.wait(cancelled: .failure(.cancelled), abandon: abandon).get()
    }
}

/// An error that can represent a timeout, a cancellation, and the lack of a thread that could wait.
package protocol WaitError: Error {
    static func timedOut(after limit: Duration) -> Self
    static var cancelled: Self { get }
    static func other(domain: String, code: Int, message: String) -> Self
}

extension WaitError {
    /// Nothing was begun, because no thread could be started.
    package static func withoutThread(_ code: SystemErrorCode) -> Self {
        .other(domain: "system", code: Int(code.rawValue), message: code.withoutThread)
    }
}

extension Duration {
    /// The same time in nanoseconds, at least 0 and at most some 30 years.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(0, min(seconds, 1_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
