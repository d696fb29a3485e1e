import StoredValuesSupport

/// Lets tasks through one after another, in the order in which they came.
final class OrderedAccess: Sendable {
    private struct State {
        var isTaken = false
        /// Those who wait; the oldest first.
        var waiting: [(number: UInt64, task: CheckedContinuation<KeyringError?, Never>)] = []
        var nextNumber: UInt64 = 0
        /// Cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state = Guarded(State())

    /// Runs `body` when those who came before are done. Throws ``KeyringError/cancelled`` when the task is cancelled while
    /// it waits, and ``KeyringError/timedOut(after:)`` with the one before it: a keyring that does not answer would keep
    /// each of those who wait for a deadline of its own.
    func perform<Result: Sendable>(
        _ body: () async throws(KeyringError) -> Result
    ) async throws(KeyringError) -> Result {
        if let refusal = await enter() { throw refusal }
        do throws(KeyringError) {
            let result = try await body()
            leave()
            return result
        } catch {
            if case .timedOut = error { turnAway(error) }
            leave()
            throw error
        }
    }

    /// Returns nil when it is the caller's turn, and else why it will never be.
    private func enter() async -> KeyringError? {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let refusal = await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                // `nil` outside means "wait".
                let answer = state.withLock { state -> KeyringError?? in
                    if state.cancelled.remove(number) != nil { return .some(.cancelled) }
                    guard state.isTaken else {
                        state.isTaken = true
                        return .some(nil)
                    }
                    state.waiting.append((number, task))
                    return nil
                }
                if let answer { task.resume(returning: answer) }
            }
        } onCancel: {
            let task = state.withLock { state -> CheckedContinuation<KeyringError?, Never>? in
                guard let position = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiting.remove(at: position).task
            }
            task?.resume(returning: .cancelled)
        }
        // Cancelled when its turn had come: nobody looks for it there any more.
        _ = state.withLock { $0.cancelled.remove(number) }
        return refusal
    }

    /// How many are noted: those who wait, and those cancelled before they began to.
    var waitingCount: Int { state.withLock { $0.waiting.count + $0.cancelled.count } }

    private func turnAway(_ error: KeyringError) {
        let turnedAway = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for (_, task) in turnedAway { task.resume(returning: error) }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<KeyringError?, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst().task
        }
        next?.resume(returning: nil)
    }
}
