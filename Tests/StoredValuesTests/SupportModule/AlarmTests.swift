import Foundation
import Testing

@testable import StoredValuesSupport

@Suite("Alarm", .hangLimit)
struct AlarmTests {}

extension AlarmTests {
    @Test("Alarms ring in the order of their times, whatever the order in which they are set, and none too early")
    func order() async throws {
        // They ring in the order of the numbers only if all are set within 10 ms, before the first can ring.
        while true {
            let rung = Guarded<[(number: Int, time: Duration)]>([])
            let begin = ContinuousClock.now
            for number in [30, 10, 40, 20, 0] {
                try Alarm.set(after: .milliseconds(number)) {
                    let time = ContinuousClock.now - begin
                    rung.withLock { $0.append((number, time)) }
                }
            }
            let isInTime = ContinuousClock.now - begin < .milliseconds(10)
            try await eventually("all have rung") { rung.withLock { $0.count } == 5 }
            for (number, time) in rung.withLock({ $0 }) { #expect(time >= .milliseconds(number)) }
            guard isInTime else { continue }
            #expect(rung.withLock { $0.map(\.number) } == [0, 10, 20, 30, 40])
            return
        }
    }

    @Test("One that is cancelled does not ring, and lets go of its work at once")
    func cancelled() async throws {
        final class Captured: Sendable {}
        var captured: Captured? = Captured()
        weak let weakly = captured
        do {
            let alarm = try Alarm.set(after: .seconds(3600)) { [captured] in
                withExtendedLifetime(captured) {}
                Issue.record("it rang")
            }
            captured = nil
            #expect(weakly != nil)
            alarm.cancel()
            alarm.cancel()
            withExtendedLifetime(alarm) {}
        }
        #expect(weakly == nil, "only the alarm itself held it")
    }

    private final class Rung: Sendable {
        let count = Guarded(0)
        let threads = Guarded<Set<pthread_t>>([])

        /// Sets 500 alarms within 20 ms, and cancels half of them.
        func setAlarms(_ task: Int) throws {
            for number in 0..<500 {
                let alarm = try Alarm.set(after: .microseconds((number * 7919 + task) % 20_000)) {
                    self.count.withLock { $0 += 1 }
                    self.threads.withLock { _ = $0.insert(pthread_self()) }
                }
                if number % 2 == 0 { alarm.cancel() }
            }
        }
    }

    @Test("However many are set, sooner ones too while the thread sleeps, they take one thread")
    func many() async throws {
        let rung = Rung()
        let late = try Alarm.set(after: .seconds(3600)) {}
        defer { late.cancel() }
        try await withThrowingTaskGroup { group in
            for task in 0..<8 { group.addTask { try rung.setAlarms(task) } }
            try await group.waitForAll()
        }
        try await eventually("those that were not cancelled have rung") { rung.count.withLock { $0 } >= 2000 }
        #expect(rung.threads.withLock { $0.count } == 1)
    }

    @Test("A queue's work is late by its delay, and at once without one")
    func queue() async throws {
        let queue = DispatchQueue(label: "AlarmTests")
        // They run in this order only if both are given to the queue within the delay.
        while true {
            let rung = Guarded<[String]>([])
            let begin = ContinuousClock.now
            queue.async(after: .milliseconds(20)) { rung.withLock { $0.append("late") } }
            queue.async(after: .zero) { rung.withLock { $0.append("now") } }
            let isInTime = ContinuousClock.now - begin < .milliseconds(20)
            try await eventually("both have run") { rung.withLock { $0.count } == 2 }
            guard isInTime else { continue }
            #expect(rung.withLock { $0 } == ["now", "late"])
            return
        }
    }
}
