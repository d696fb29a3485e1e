import Glibc

/// Lets contestants do a task in turns, and takes the median of each.
///
/// On a noisy machine a whole second may be slow, and then the next one is not. Those who take turns every few
/// milliseconds meet the same noise, so their ratio holds where their times do not.
struct Race: Sendable {
    /// How many turns each has at least, and at most.
    var rounds = 9...201
    /// For how long turns go on after the least.
    var patience = Duration.seconds(2)
    /// How long a turn takes: what is quicker is done many times in it.
    var turn = Duration.milliseconds(3)

    /// What each contestant measured for doing the task once: the median of its turns.
    func run(_ contestants: [Contestant]) async throws -> [Double] {
        var counts: [Int] = []
        for contestant in contestants { counts.append(try await count(of: contestant)) }
        var measured = contestants.map { _ in [Double]() }
        let end = ContinuousClock.now + patience
        for round in 0..<rounds.upperBound {
            if round >= rounds.lowerBound, ContinuousClock.now > end { break }
            // In another order each time: none is always behind the same one, which may leave work to others.
            for index in contestants.indices.shuffled() {
                measured[index].append(try await contestants[index].run(counts[index]) / Double(counts[index]))
                if contestants[index].leavesWork { settle() }
            }
        }
        return measured.map(\.median)
    }

    /// Waits until the process's other threads use hardly any processor time. Not asleep, for a processor that wakes up is slow
    /// at first.
    private func settle() {
        for _ in 0..<200 {
            let (process, thread) = (systemTime(CLOCK_PROCESS_CPUTIME_ID), systemTime(CLOCK_THREAD_CPUTIME_ID))
            let end = systemTime(CLOCK_MONOTONIC) + 500_000
            while systemTime(CLOCK_MONOTONIC) < end {}
            let own = systemTime(CLOCK_THREAD_CPUTIME_ID) - thread
            if systemTime(CLOCK_PROCESS_CPUTIME_ID) - process < own + 25_000 { return }
        }
    }

    /// How often the contestant does the task in one turn. Finding out warms it up.
    private func count(of contestant: Contestant) async throws -> Int {
        var count = 1
        while true {
            let start = ContinuousClock.now
            _ = try await contestant.run(count)
            let time = ContinuousClock.now - start
            if time >= turn || count >= 1 << 24 { return count }
            // Straight to the goal when the time is long enough to tell.
            count *= time > turn / 20 ? max(2, Int((turn / time).rounded(.up))) : 8
        }
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted(), middle = count / 2
        guard !isEmpty else { return .nan }
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
