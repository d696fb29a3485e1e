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
        var pause: Duration
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
    private let state: Guarded<State>

    package init(firstPause: Duration = .seconds(1)) {
        self.firstPause = firstPause
        state = Guarded(State(pause: firstPause))
    }

    /// Asks for one more attempt. Until one has not asked for another it is the `attempt` that was asked for first.
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
        withExtendedLifetime(ended) {}  // what it captures goes after unlocking
        if let pause { wait(pause) }
    }

    /// Lets a thread try after `pause`.
    private func wait(_ pause: Duration) {
        let time = monotonicNanoseconds() + Int64(pause / .nanoseconds(1))
        let sleepsUntil = Self.schedule.withLock { schedule in
            let place = schedule.waiting.firstIndex { $0.time <= time } ?? schedule.waiting.endIndex
            schedule.waiting.insert((time, self), at: place)
            return schedule.sleepsUntil
        }
        if let sleepsUntil {
            if time < sleepsUntil { Self.wakeUp.signal() }
        } else if !Self.startThread() {
            Self.schedule.withLock { $0.waiting.removeAll { $0.retries === self } }
            // The next trouble asks again.
            let ended = state.withLock { $0.attempt.take() }
            withExtendedLifetime(ended) {}
        }
    }

    /// Returns whether what waits is tried: by a new thread, unless there are as many as there may be.
    private static func startThread() -> Bool {
        let isNeeded = schedule.withLock { schedule in
            guard schedule.threadCount < threadLimit else { return false }
            schedule.threadCount += 1
            return true
        }
        guard isNeeded else { return true }
        do {
            try StoredValuesSupport.startThread(named: "try-again", run)
            return true
        } catch {
            return schedule.withLock { schedule in
                schedule.threadCount -= 1
                return schedule.threadCount > 0
            }
        }
    }

    @Sendable private static func run() {
        while let (retries, hasOthers) = next() {
            if hasOthers { _ = startThread() }
            retries.tryOnce()
        }
    }

    /// Waits for the soonest; nil when none is left, or another thread waits for it. Says too whether nobody waits for the others.
    private static func next() -> (RetryThread, hasOthers: Bool)? {
        while true {
            let now = monotonicNanoseconds()
            let step = schedule.withLock { schedule -> (RetryThread?, hasOthers: Bool, pause: Int64) in
                guard let soonest = schedule.waiting.last, schedule.sleepsUntil == nil || soonest.time <= now else {
                    schedule.threadCount -= 1
                    return (nil, false, 0)
                }
                guard soonest.time <= now else {
                    schedule.sleepsUntil = soonest.time
                    return (nil, false, soonest.time - now)
                }
                schedule.waiting.removeLast()
                return (soonest.retries, !schedule.waiting.isEmpty && schedule.sleepsUntil == nil, 0)
            }
            if let retries = step.0 { return (retries, step.hasOthers) }
            guard step.pause > 0 else { return nil }
            _ = wakeUp.wait(timeout: .now() + .nanoseconds(Int(step.pause)))
            schedule.withLock { $0.sleepsUntil = nil }
        }
    }
}
