package import Dispatch

extension DispatchQueue {
    /// The queue of all deadline timers. A separate serial queue gets a thread even if all those of the shared pools are
    /// blocked.
    static let deadlines = DispatchQueue(label: "StoredValues.deadlines")

    /// Runs `work` on this queue and waits for its answer, at most until `deadline` has passed, including the time in the
    /// queue, or the task is cancelled. Then `abandon` is called, on any thread.
    ///
    /// Work that has been abandoned is not begun, and may check `isWanted` to stop early.
    package func perform<Answer: Sendable, Failure: WaitError>(
        deadline: Duration, abandon: @escaping @Sendable () -> Void = {},
        _ work: @escaping @Sendable (_ isWanted: () -> Bool) throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        if Task.isCancelled { throw .cancelled }
        let shot = OneShot<Result<Answer, Failure>>()
        async {
            guard !shot.isAnswered else { return }
            shot.answer(Result { () throws(Failure) in try work { !shot.isAnswered } })
        }
        return try await shot.wait(
            deadline: (deadline, .failure(.timedOut(after: deadline))), cancelled: .failure(.cancelled), abandon: abandon
        ).get()
    }
}

/// An error that can represent a timeout and a cancellation.
package protocol WaitError: Error {
    static func timedOut(after limit: Duration) -> Self
    static var cancelled: Self { get }
}

extension Duration {
    /// The same time for Dispatch; a time beyond its range (some centuries) becomes 30 years.
    package var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .nanoseconds(max(0, Int(min(seconds, 1_000_000_000)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
    }
}
