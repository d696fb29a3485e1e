import StoredValuesSupport

/// Admits tasks one after another, in the order in which they came.
final class OrderedAccess: Sendable {
    /// Answered with nil when it is the caller's turn, else with the reason why it never will be.
    private typealias Turn = OneShot<KeyringError?>

    private struct State {
        var isTaken = false
        /// Oldest first.
        var waiting: [Turn] = []
    }

    private let state = Guarded(State())

    /// Runs `body` when all earlier ones are done. Throws ``KeyringError/cancelled`` when the task is cancelled while it waits,
    /// and ``KeyringError/timedOut(after:)`` together with the one before it: otherwise each waiting call would wait for its
    /// own deadline at a keyring that does not answer.
    func perform<Result: Sendable>(_ body: () async throws(KeyringError) -> Result) async throws(KeyringError) -> Result {
        try await enter()
        defer { leave() }
        do throws(KeyringError) {
            return try await body()
        } catch {
            if case .timedOut = error { turnAway(error) }
            throw error
        }
    }

    /// How many calls wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func enter() async throws(KeyringError) {
        if Task.isCancelled { throw .cancelled }
        let turn = Turn()
        let isFree = state.withLock { state in
            if state.isTaken { state.waiting.append(turn) }
            defer { state.isTaken = true }
            return !state.isTaken
        }
        guard !isFree, let refusal = await turn.wait(cancelled: .cancelled) else { return }
        state.withLock { $0.waiting.removeAll { $0 === turn } }
        throw refusal
    }

    private func turnAway(_ error: KeyringError) {
        let turnedAway = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for turn in turnedAway { turn.answer(error) }
    }

    private func leave() {
        var next: Turn?
        repeat {
            next = state.withLock { state in
                state.isTaken = !state.waiting.isEmpty
                return state.isTaken ? state.waiting.removeFirst() : nil
            }
        } while next?.answer(nil) == false  // cancelled before its turn came
    }
}
