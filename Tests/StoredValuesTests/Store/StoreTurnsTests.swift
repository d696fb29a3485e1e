#if Store
    import Dispatch
    import StoredValuesSupport
    import Testing

    @testable import StoredValuesStore

    @Suite("The turns of a store's file", .hangLimit)
    struct StoreTurnsTests {}

    extension StoreTurnsTests {
        /// A time that passes when a test says so.
        private final class Clock: Sendable {
            private let state = Guarded((time: Int64(0), calls: 0))

            var calls: Int { state.withLock(\.calls) }

            func now() -> Int64 {
                state.withLock { state in
                    state.calls += 1
                    return state.time
                }
            }

            func advance(by duration: Duration) { state.withLock { $0.time += duration.nanoseconds } }
        }

        @Test(
            "One that has waited for others of this process has its own time for other processes, but none after one that waited for these in vain",
            arguments: [false, true])
        func time(afterLate: Bool) async throws {
            let clock = Clock(), turns = StoredValuesStore.Turns(now: { clock.now() })
            let begun = OneShot<Void>(), isTimeUp = DispatchSemaphore(value: 0)
            let first = Task {
                try await turns.run { _ in
                    #expect(!turns.isLate(attempt: 0))
                    begun.answer(())
                    isTimeUp.wait()
                    return afterLate && turns.isLate(attempt: 1)
                }
            }
            await begun.wait(cancelled: ())
            let calls = clock.calls
            let second = Task { try await turns.run { _ in turns.isLate(attempt: 0) } }
            try await eventually("the second one waits") { clock.calls > calls }
            clock.advance(by: StoredValuesStore.Turns.timeout)
            isTimeUp.signal()
            #expect(try await first.value == afterLate)
            #expect(try await second.value == afterLate)
        }

        @Test("One that runs a user's code for long has all its time for other processes, which is one for all of its waits")
        func usersCode() throws {
            let clock = Clock(), turns = StoredValuesStore.Turns(now: { clock.now() })
            let timeout = StoredValuesStore.Turns.timeout
            try turns.run { _ in
                for isOver in [false, true] {
                    clock.advance(by: timeout * 2)  // decoding, or the closure of an update
                    #expect(!turns.isLate(attempt: 0))
                    clock.advance(by: timeout / 2)
                    #expect(turns.isLate(attempt: 1) == isOver)
                }
            }
        }
    }
#endif
