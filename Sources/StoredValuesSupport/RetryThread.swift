/// Tries again what has failed, on a thread that exists only meanwhile: after a second, then after twice as long each time, up to
/// a minute.
///
/// Not a timer of Dispatch, which needs descriptors, and ends the program when it is the first one and none are left.
package final class RetryThread: Sendable {
    private static let longestPause = Duration.seconds(60)

    private struct State {
        var isRunning = false
        /// How often somebody asked for another attempt.
        var requests = 0
    }

    private let firstPause: Duration
    private let state = Guarded(State())

    package init(firstPause: Duration = .seconds(1)) {
        self.firstPause = firstPause
    }

    /// Asks for one more attempt. There is one thread, which runs the `attempt` that it was begun with; an attempt that fails asks
    /// again, and after one that does not the thread ends.
    package func request(_ attempt: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.requests += 1
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        do {
            try startThread(named: "try-again") { self.run(attempt) }
        } catch {
            state.withLock { $0.isRunning = false }  // the next trouble asks again
        }
    }

    private func run(_ attempt: () -> Void) {
        var pause = firstPause
        var isOver = false
        while !isOver {
            sleepThread(nanoseconds: Int(pause / .nanoseconds(1)))
            pause = min(pause * 2, max(Self.longestPause, firstPause))
            let requests = state.withLock { $0.requests }
            attempt()
            isOver = state.withLock { state in
                state.isRunning = state.requests != requests
                return !state.isRunning
            }
        }
    }
}
