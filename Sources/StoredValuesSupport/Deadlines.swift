package import Dispatch

extension DispatchQueue {
    /// Where deadlines ring. A serial queue of its own gets a thread even when all those of the shared pools are blocked.
    static let deadlines = DispatchQueue(label: "StoredValues.deadlines")

    /// Does `work` on this queue and waits for its answer, at most until `deadline` has passed, time spent in the queue included,
    /// or the task is cancelled. Then `abandon` is called, on any thread.
    ///
    /// Work that nobody waits for any more is not begun, and may ask `isWanted` to stop early.
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

/// An error that can say why an answer was not waited for any longer.
package protocol WaitError: Error {
    static func timedOut(after limit: Duration) -> Self
    static var cancelled: Self { get }
}

extension Duration {
    /// The same time as Dispatch counts it; a time beyond its range (some centuries) is cut to 30 years.
    package var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .nanoseconds(max(0, Int(min(seconds, 1_000_000_000)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
    }
}
