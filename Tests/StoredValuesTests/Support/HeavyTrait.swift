import StoredValuesSupport
import Testing

/// A test that keeps a processor busy for long: two of them run at a time, so that those beside them get their turns.
struct HeavyTrait: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        await HeavyTurns.shared.begin()
        defer { HeavyTurns.shared.end() }
        try await body()
    }
}

extension Trait where Self == HeavyTrait {
    static var heavy: HeavyTrait { HeavyTrait() }
}

/// Whose turn it is among the heavy tests.
private final class HeavyTurns: Sendable {
    static let shared = HeavyTurns()

    private struct State {
        var free = 2
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    func begin() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
