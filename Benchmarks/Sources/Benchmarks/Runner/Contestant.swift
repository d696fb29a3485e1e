/// One way to do a task.
struct Contestant: Sendable {
    let name: String
    /// Does the task so many times, and returns what it measured altogether: seconds, or bytes.
    let run: @Sendable (_ count: Int) async throws -> Double
    /// Whether it leaves work to other threads, which is not to fall into the next one's turn.
    private(set) var leavesWork = false

    init(_ name: String, run: @escaping @Sendable (_ count: Int) async throws -> Double) {
        self.name = name
        self.run = run
    }

    /// One whose `body` is timed as a whole; it does the task so many times.
    static func timed(_ name: String, _ body: @escaping @Sendable (_ count: Int) throws -> Void) -> Contestant {
        Contestant(name) { count in try ContinuousClock().measure { try body(count) }.seconds }
    }

    /// ``timed(_:_:)`` for what waits without blocking. Another name, or the compiler would take it for both.
    static func awaited(_ name: String, _ body: @escaping @Sendable (_ count: Int) async throws -> Void) -> Contestant {
        Contestant(name) { count in try await seconds { try await body(count) } }
    }

    /// The same, of which is known that it leaves work to other threads.
    var leavingWork: Contestant {
        var contestant = self
        contestant.leavesWork = true
        return contestant
    }
}

/// How long `body` takes.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start).seconds
}

/// What `body` measures, added up over so many times.
func sum(_ count: Int, _ body: () async throws -> Double) async rethrows -> Double {
    var sum = 0.0
    for _ in 0..<count { sum += try await body() }
    return sum
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// Takes a value as if it were used, so that the compiler does not leave out its making.
@inline(never) @_optimize(none)
func use<Value>(_ value: borrowing Value) {}
