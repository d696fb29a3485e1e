import Glibc

/// One way to do a task.
struct Contestant: Sendable {
    let name: String
    /// Does the task so many times, and returns what it measured altogether: seconds, or bytes.
    let run: @Sendable (_ count: Int) async throws -> Double

    init(_ name: String, run: @escaping @Sendable (_ count: Int) async throws -> Double) {
        self.name = name
        self.run = run
    }

    /// One whose `body` is timed as a whole; it does the task so many times.
    static func timed(_ name: String, _ body: @escaping @Sendable (_ count: Int) throws -> Void) -> Contestant {
        Contestant(name) { count in
            let start = ContinuousClock.now
            try body(count)
            return (ContinuousClock.now - start).seconds
        }
    }

    /// ``timed(_:_:)`` for what waits without blocking. Another name, or the compiler would take it for both.
    static func awaited(_ name: String, _ body: @escaping @Sendable (_ count: Int) async throws -> Void) -> Contestant {
        Contestant(name) { count in
            let start = ContinuousClock.now
            try await body(count)
            return (ContinuousClock.now - start).seconds
        }
    }

    /// The same, and then, not measured, a wait until the process's other threads use hardly any processor time: what it left
    /// to them is not to fall into the next one's turn. Not asleep, for a processor that wakes up is slow at first.
    var settling: Contestant {
        Contestant(name) { [run] count in
            let measured = try await run(count)
            for _ in 0..<200 {
                let (process, thread) = (systemTime(CLOCK_PROCESS_CPUTIME_ID), systemTime(CLOCK_THREAD_CPUTIME_ID))
                let end = systemTime(CLOCK_MONOTONIC) + 500_000
                while systemTime(CLOCK_MONOTONIC) < end {}
                let own = systemTime(CLOCK_THREAD_CPUTIME_ID) - thread
                if systemTime(CLOCK_PROCESS_CPUTIME_ID) - process < own + 25_000 { break }
            }
            return measured
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// Takes a value as if it were used, so that the compiler does not leave out its making.
@inline(never) @_optimize(none)
func use<Value>(_ value: borrowing Value) {}
