import Dispatch
import Testing

@testable import StoredValuesSupport

@Suite("OneShot", .hangLimit)
struct OneShotTests {
    private let queue = DispatchQueue(label: "OneShotTests")
}

extension OneShotTests {
    private enum Refusal: WaitError, Equatable {
        case timedOut(after: Duration)
        case cancelled
        case other(domain: String, code: Int, message: String)
        static let other = Refusal.other(domain: "", code: 0, message: "")
    }

    @Test("An answer that comes before the wait is kept, and later ones are dropped")
    func early() async {
        let shot = OneShot<Int>()
        #expect(!shot.isAnswered)
        #expect(shot.answer(1) && !shot.answer(2))
        #expect(shot.isAnswered)
        #expect(await shot.wait(cancelled: 4) == 1)
    }

    @Test("A cancellation answers at once, whether it comes before the wait or in it", arguments: [false, true])
    func cancellation(isWaiting: Bool) async throws {
        let shot = OneShot<Int>()
        let abandoned = Guarded(0)
        let (began, begin) = AsyncStream<Void>.makeStream()
        let executor = QueueExecutor()
        let task = Task(executorPreference: executor) {
            if !isWaiting { for await _ in began {} }
            return await shot.wait(cancelled: 4) { abandoned.withLock { $0 += 1 } }
        }
        if isWaiting { await executor.allWaiting() }
        task.cancel()
        begin.finish()
        #expect(await task.value == 4)
        #expect(abandoned.withLock { $0 } == 1)
    }

    private final class Race: Sendable {
        let shot = OneShot<Int>()
        /// Those who were told that their answer counts.
        let winners = Guarded<[Int]>([])
        let answers = Guarded(0)

        func answer(_ number: Int) {
            if shot.answer(number) { winners.withLock { $0.append(number) } }
            answers.withLock { $0 += 1 }
        }
    }

    @Test("Of answer, deadline and cancellation at one moment exactly one counts")
    func race() async throws {
        var races: [(race: Race, answer: Int)] = []
        for _ in 0..<1000 {
            let race = Race()
            let task = Task { await race.shot.wait(cancelled: 3) { race.winners.withLock { $0.append(3) } } }
            try Alarm.set(after: .microseconds(20)) { race.answer(2) }
            DispatchQueue.global().async { race.answer(1) }
            task.cancel()
            races.append((race, await task.value))
        }
        for (race, answer) in races {
            try await eventually("the others have answered, too") { race.answers.withLock { $0 } == 2 }
            #expect(race.winners.withLock { $0 } == [answer])
        }
    }

    @Test("Work that has answered, and its answer, do not stay until the deadline")
    func memory() async throws {
        final class Secret: Sendable {}
        weak var secret: Secret?
        func use() async throws {
            secret = try await queue.perform(deadline: .seconds(3600)) { _ throws(Refusal) in Secret() }
        }
        try await use()
        try await eventually("it is gone") { secret == nil }
    }

    @Test("A pause lasts its time, unless its task is cancelled")
    func pauses() async {
        #expect(await pause(for: .milliseconds(1)))
        let task = Task { await pause(for: .seconds(3600)) }
        task.cancel()
        #expect(await task.value == false)
    }

    // MARK: Work on a queue

    @Test("Work gives its answer or its error")
    func work() async throws {
        #expect(try await queue.perform(deadline: .seconds(3600)) { _ throws(Refusal) in 7 } == 7)
        await #expect(throws: Refusal.other) {
            try await queue.perform(deadline: .seconds(3600)) { _ throws(Refusal) in throw Refusal.other }
        }
    }

    @Test("Work that runs past the deadline learns that it was abandoned; abandoned work behind it does not begin")
    func deadlineOfWork() async {
        let (queue, limit) = (queue, Duration.milliseconds(20))
        let began = Counter()
        repeat {  // on a busy machine the time may be over before the first begins
            let end = DispatchSemaphore(value: 0)
            let tasks = (0..<2).map { _ in
                Task {
                    try await queue.perform(deadline: limit) { isWanted throws(Refusal) in
                        began.next()
                        end.wait()
                        #expect(!isWanted())
                    }
                }
            }
            for task in tasks { await #expect(throws: Refusal.timedOut(after: limit)) { try await task.value } }
            end.signal()
            end.signal()
            queue.sync {}
        } while began.value == 0
        #expect(began.value == 1)
    }

    @Test("A cancelled task ends at once; work that has not begun never does")
    func cancellationOfWork() async throws {
        let queue = queue
        let end = DispatchSemaphore(value: 0)
        queue.async { end.wait() }
        let task = Task {
            try await queue.perform(deadline: .seconds(3600)) { _ throws(Refusal) in Issue.record("it began") }
        }
        task.cancel()
        await #expect(throws: Refusal.cancelled) { try await task.value }
        end.signal()
        queue.sync {}
    }
}
