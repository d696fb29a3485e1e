import Testing

@testable import StoredValues

@Suite("OrderedAccess", .hangLimit)
struct OrderedAccessTests {
    private let access = OrderedAccess()

    /// A task inside `access`, which leaves it, with `error` if there is one, when it is told to.
    private func enter(
        leavingWith error: KeyringError? = nil
    ) async -> (task: Task<Void, any Error>, leave: AsyncStream<Void>.Continuation) {
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let (left, leave) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await access.perform { () async throws(KeyringError) in
                enter.finish()
                for await _ in left {}
                if let error { throw error }
            }
        }
        for await _ in entered {}
        return (task, leave)
    }

    /// A task that waits for its turn and must not get it.
    private func wait() -> Task<Void, any Error> {
        Task {
            try await access.perform { () async throws(KeyringError) -> Void in
                Issue.record("its turn came")
            }
        }
    }

    @Test("A task that is cancelled while it waits ends while the one before it continues")
    func cancelledWhileWaiting() async throws {
        let (first, leave) = await enter()
        let second = wait()
        try await eventually("the second waits") { access.waitingCount == 1 }
        second.cancel()
        await #expect(throws: KeyringError.cancelled) { try await second.value }
        #expect(access.waitingCount == 0)
        leave.finish()
        try await first.value
    }

    @Test("Calls behind one that times out fail with it, and the next one is admitted")
    func turnedAway() async throws {
        let error = KeyringError.timedOut(after: .seconds(1))
        let (first, leave) = await enter(leavingWith: error)
        let others = (0..<9).map { _ in wait() }
        try await eventually("the others wait") { access.waitingCount == 9 }
        leave.finish()
        for task in [first] + others { await #expect(throws: error) { try await task.value } }
        #expect(try await access.perform { () async throws(KeyringError) in 7 } == 7)
    }

    @Test("Cancellation at any moment leaves no endless wait and nothing behind")
    func cancelledAtAnyMoment() async throws {
        for _ in 0..<1000 {
            let tasks = (0..<2).map { _ in
                Task { try await access.perform { () async throws(KeyringError) in await Task.yield() } }
            }
            await Task.yield()
            tasks[1].cancel()
            for task in tasks { _ = await task.result }
        }
        #expect(access.waitingCount == 0)
    }
}
