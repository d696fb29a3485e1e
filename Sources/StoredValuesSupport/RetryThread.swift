/// Retries failed work on a thread that exists only while it is needed: after a second, then after twice as long each time, up to a
/// minute.
///
/// All retries of the process share a few threads: a thousand files on a full disk do not need a thread each, and a slow attempt does not
/// delay the others.
package final class RetryThread: Sendable {
    private static let longestPause = Duration.seconds(60)
    private static let threadLimit = 4

    private struct State {
        /// The work to retry; nil while there is none.
        var attempt: (@Sendable () -> Void)?
        /// The last pause.
        var pause = Duration.zero
        /// The number of requests for another attempt.
        var requests = 0
    }

    /// The retries of the whole process whose pause is over, the next one last.
    private struct Due {
        var retries: [RetryThread] = []
        var threadCount = 0
    }

    private static let due = Guarded(Due())

    private let firstPause: Duration
    private let state = Guarded(State())

    package init(firstPause: Duration = .seconds(1)) { self.firstPause = firstPause }

    /// Requests one more attempt. Until an attempt ends without a new request, the first `attempt` is used.
    package func request(_ attempt: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.requests += 1
            guard state.attempt == nil else { return false }
            (state.attempt, state.pause) = (attempt, firstPause)
            return true
        }
        if isFirst { wait(firstPause) }
    }

    private func tryOnce() {
        let (attempt, requests) = state.withLock { ($0.attempt, $0.requests) }
        attempt?()
        let (pause, ended) = state.withLock { state -> (Duration?, (@Sendable () -> Void)?) in
            guard state.requests != requests else { return (nil, state.attempt.take()) }
            state.pause = min(state.pause * 2, max(Self.longestPause, firstPause))
            return (state.pause, nil)
        }
        withExtendedLifetime(ended) {}  // what it captures is released after unlocking
        if let pause { wait(pause) }
    }

    private func wait(_ pause: Duration) {
        do throws(SystemErrorCode) {
            try Alarm.set(after: pause) { if !self.enterQueue() { self.wait(.seconds(1)) } }
        } catch {
            // No thread can wait. The next request begins again.
            let attempt = state.withLock { $0.attempt.take() }
            withExtendedLifetime(attempt) {}
        }
    }

    /// Queues this, and starts one more thread below the limit. Returns false if there is no thread at all.
    private func enterQueue() -> Bool {
        Self.due.withLock { due in
            if due.threadCount < Self.threadLimit, (try? startThread(named: "try-again", Self.run)) != nil { due.threadCount += 1 }
            if due.threadCount > 0 { due.retries.insert(self, at: 0) }
            return due.threadCount > 0
        }
    }

    @Sendable private static func run() {
        while let retries = due.withLock({ due in
            if due.retries.isEmpty { due.threadCount -= 1 }
            return due.retries.popLast()
        }) {
            retries.tryOnce()
        }
    }
}
