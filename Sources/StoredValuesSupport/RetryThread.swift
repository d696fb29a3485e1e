import Dispatch

/// Tries again what has failed, on a thread that exists only meanwhile: after a second, then after twice as long each time, up to
/// a minute.
///
/// All of the process share these threads, so that a thousand files on a full disk take one, and a few where an attempt takes
/// long, for it must not hold up the others'. Not a timer of Dispatch, which needs descriptors, and ends the program when it is
/// the first one and none are left.
package final class RetryThread: Sendable {
    private static let longestPause = Duration.seconds(60)
    private static let threadLimit = 4

    private struct State {
        /// What is tried; nil while nobody asks.
        var attempt: (@Sendable () -> Void)?
        /// How long it waited last.
        var pause = Duration.zero
        /// How often somebody asked for another attempt.
        var requests = 0
    }

    /// What is to be tried in the whole process.
    private struct Schedule {
        /// The soonest last.
        var waiting: [(time: Int64, retries: RetryThread)] = []
        var threadCount = 0
        /// When the thread that has nothing to do looks again; there is one of these at most.
        var sleepsUntil: Int64?
    }

    private static let schedule = Guarded(Schedule())
    private static let wakeUp = DispatchSemaphore(value: 0)

    private let firstPause: Duration
    private let state = Guarded(State())

    package init(firstPause: Duration = .seconds(1)) { self.firstPause = firstPause }

    /// Asks for one more attempt. Until one has not asked for another it is the `attempt` that was asked for first.
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
        withExtendedLifetime(ended) {}  // what it captures goes after unlocking
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

    /// Begins a thread where none sleeps until the soonest, unless there are as many as there may be.
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

    /// Waits for the soonest; nil when none is left, or another thread waits for it.
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
