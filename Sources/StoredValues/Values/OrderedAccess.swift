import Locking

/// Lets tasks through one after another, in the order in which they came.
final class OrderedAccess: Sendable {
    private struct State {
        var isTaken = false
        /// Those who wait; the oldest first.
        var waiting: [(number: UInt64, task: CheckedContinuation<Bool, Never>)] = []
        var nextNumber: UInt64 = 0
        /// Cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state = Guarded(State())

    /// Runs `body` when those who came before are done. Throws ``KeyringError/cancelled`` when the task is cancelled while
    /// it waits.
    func perform<Result: Sendable>(
        _ body: () async throws(KeyringError) -> Result
    ) async throws(KeyringError) -> Result {
        guard await enter() else { throw .cancelled }
        defer { leave() }
        return try await body()
    }

    private func enter() async -> Bool {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let mayEnter = await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                let mayEnter = state.withLock { state -> Bool? in
                    if state.cancelled.remove(number) != nil { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.waiting.append((number, task))
                    return nil
                }
                if let mayEnter { task.resume(returning: mayEnter) }
            }
        } onCancel: {
            let task = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let position = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiting.remove(at: position).task
            }
            task?.resume(returning: false)
        }
        // Cancelled when its turn had come: nobody looks for it there any more.
        _ = state.withLock { $0.cancelled.remove(number) }
        return mayEnter
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst().task
        }
        next?.resume(returning: true)
    }
}
