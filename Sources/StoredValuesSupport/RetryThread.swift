import Dispatch

/// Retries failed work on a thread that exists only meanwhile: after a second, then after twice as long each time, up to a
/// minute.
///
/// The process shares these threads, so that a thousand files on a full disk take one thread, and a few if an attempt takes
/// long, so that it does not delay the others. Not a timer of Dispatch, which needs file descriptors: creating the first one
/// traps if none are left.
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

    /// The retries of the whole process.
    private struct Schedule {
        /// Sorted, the soonest last.
        var waiting: [(time: Int64, retries: RetryThread)] = []
        var threadCount = 0
        /// When the idle thread checks again; there is at most one.
        var sleepsUntil: Int64?
    }

    private static let schedule = Guarded(Schedule())
    private static let wakeUp = DispatchSemaphore(value: 0)

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
        if isFirst { wait(firstPause) } else { Self.provideThread() }
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
        let time = monotonicNanoseconds() + Int64(pause / .nanoseconds(1))
        let isSooner = Self.schedule.withLock { schedule in
            let place = schedule.waiting.firstIndex { $0.time <= time } ?? schedule.waiting.endIndex
            schedule.waiting.insert((time, self), at: place)
            return schedule.sleepsUntil.map { time < $0 } ?? false
        }
        if isSooner { Self.wakeUp.signal() }
        Self.provideThread()
    }

    /// Starts a thread if none sleeps until the soonest retry, up to the limit.
    private static func provideThread() {
        let isMissing = schedule.withLock { schedule in
            guard schedule.sleepsUntil == nil, !schedule.waiting.isEmpty, schedule.threadCount < threadLimit else { return false }
            schedule.threadCount += 1
            return true
        }
        if isMissing, (try? startThread(named: "try-again", run)) == nil {
            schedule.withLock { $0.threadCount -= 1 }  // the next request provides one
        }
    }

    @Sendable private static func run() {
        while let retries = next() {
            provideThread()  // for the others
            retries.tryOnce()
        }
    }

    /// Waits for the soonest retry; nil if none is left, or another thread waits for it.
    private static func next() -> RetryThread? {
        while true {
            let now = monotonicNanoseconds()
            let (retries, pause) = schedule.withLock { schedule -> (RetryThread?, pause: Int64) in
                guard let time = schedule.waiting.last?.time, schedule.sleepsUntil == nil || time <= now else {
                    schedule.threadCount -= 1
                    return (nil, 0)
                }
                if time <= now { return (schedule.waiting.removeLast().retries, 0) }
                schedule.sleepsUntil = time
                return (nil, time - now)
            }
            if pause == 0 { return retries }
            _ = wakeUp.wait(timeout: .now() + .nanoseconds(Int(pause)))
            schedule.withLock { $0.sleepsUntil = nil }
        }
    }
}
