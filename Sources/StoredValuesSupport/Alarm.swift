package import Dispatch

/// Work that runs once, after a time, unless it is cancelled before.
///
/// All alarms of the process share one thread, which ends one second after the last alarm, or at the time of a cancelled one if that is
/// later: starting a thread for each would take longer than most of the work. Not a Dispatch timer: creating the first one of a process
/// traps if no file descriptors are left.
package final class Alarm: Sendable {
    private struct Schedule {
        /// The alarms that are set, the soonest last.
        var alarms: [Alarm] = []
        var hasThread = false
        /// When the thread wakes by itself; nil while it is awake, or does not exist.
        var sleepsUntil: Int64?
    }

    private static let schedule = Guarded(Schedule())
    private static let wakeUp = MonotonicSemaphore()

    private let time: Int64  // in nanoseconds of the monotonic clock
    private let work: @Sendable () -> Void

    private init(at time: Int64, _ work: @escaping @Sendable () -> Void) { (self.time, self.work) = (time, work) }

    /// Runs `work` after `delay`, on the alarms' thread, which it must not block. Throws if that thread cannot be started.
    @discardableResult
    package static func set(after delay: Duration, _ work: @escaping @Sendable () -> Void) throws(SystemErrorCode) -> Alarm {
        let alarm = Alarm(at: monotonicNanoseconds() + delay.nanoseconds, work)
        let isSooner = try schedule.withLock { schedule throws(SystemErrorCode) in
            if !schedule.hasThread {
                try startThread(named: "alarms", run)
                schedule.hasThread = true
            }
            // Usually at the front: calls of one kind have the same deadline.
            let place = schedule.alarms.firstIndex { $0.time <= alarm.time } ?? schedule.alarms.count
            schedule.alarms.insert(alarm, at: place)
            return schedule.sleepsUntil.map { alarm.time < $0 } ?? false
        }
        if isSooner { wakeUp.signal() }
        return alarm
    }

    /// Releases the work. It does not run any more, unless it has begun.
    package func cancel() {
        let removed = Self.schedule.withLock { schedule -> Alarm? in
            schedule.alarms.lastIndex { $0 === self }.map { schedule.alarms.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}  // released without the lock
    }

    @Sendable private static func run() {
        var lastRing = monotonicNanoseconds()
        while true {
            let now = monotonicNanoseconds()
            let (due, end) = schedule.withLock { schedule -> (Alarm?, Int64) in
                let end = schedule.alarms.last?.time ?? lastRing + 1_000_000_000
                schedule.sleepsUntil = end > now ? end : nil
                let due = end > now ? nil : schedule.alarms.popLast()
                schedule.hasThread = due != nil || end > now
                return (due, end)
            }
            if let due {
                due.work()
                lastRing = monotonicNanoseconds()
            } else if end > now {
                _ = wakeUp.wait(until: end)
            } else {
                return
            }
        }
    }
}

extension DispatchQueue {
    /// Runs `work` on this queue after `delay`, or at once if no thread for alarms can be started.
    package func async(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        guard delay > .zero, (try? Alarm.set(after: delay) { self.async(execute: work) }) != nil else { return async(execute: work) }
    }
}

/// Waits for `duration`, or until the task is cancelled; true if it waited the whole time.
///
/// Not `Task.sleep`, whose timer fires on Swift's cooperative pool, which may be blocked by what waits here; except where no thread
/// can be started for an alarm.
package func pause(for duration: Duration) async -> Bool {
    let shot = OneShot<Bool>()
    guard let alarm = try? Alarm.set(after: duration, { shot.answer(true) }) else {
        return (try? await Task.sleep(for: duration)) != nil
    }
    defer { alarm.cancel() }
    return await shot.wait(cancelled: false)
}
