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
        case withoutThread(SystemErrorCode)
        case other
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
        let task = Task {
            for await _ in began {}
            return await shot.wait(cancelled: 4) { abandoned.withLock { $0 += 1 } }
        }
        if isWaiting { begin.finish() }
        task.cancel()
        begin.finish()
        #expect(await task.value == 4)
        #expect(abandoned.withLock { $0 } == 1)
    }

    @Test("Of answer, deadline and cancellation at one moment exactly one counts")
    func race() async throws {
        for _ in 0..<1000 {
            let shot = OneShot<Int>()
            let wins = Guarded(0)
            let abandoned = Guarded(0)
            let task = Task { await shot.wait(cancelled: 3) { abandoned.withLock { $0 += 1 } } }
            try Alarm.set(after: .microseconds(20)) { if shot.answer(2) { wins.withLock { $0 += 1 } } }
            DispatchQueue.global().async { if shot.answer(1) { wins.withLock { $0 += 1 } } }
            task.cancel()
            let answer = await task.value
            #expect(wins.withLock { $0 } <= 1)
            if answer != 3 { #expect(abandoned.withLock { $0 } == 0) }
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

    private final class Count: Sendable {
        let number = Guarded(0)
    }

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
        let began = Count()
        let end = DispatchSemaphore(value: 0)
        let tasks = (0..<2).map { _ in
            Task {
                try await queue.perform(deadline: limit) { isWanted throws(Refusal) in
                    began.number.withLock { $0 += 1 }
                    end.wait()
                    #expect(!isWanted())
                }
            }
        }
        for task in tasks { await #expect(throws: Refusal.timedOut(after: limit)) { try await task.value } }
        end.signal()
        end.signal()
        queue.sync {}
        #expect(began.number.withLock { $0 } <= 1)
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
