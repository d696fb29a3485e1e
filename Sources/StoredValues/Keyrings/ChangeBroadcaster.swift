import Locking

/// Tells whoever iterates a keyring's changes what the keyring announces.
///
/// Each iteration has its own buffer without a bound: a hint that is lost may be the last one.
final class ChangeBroadcaster: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<KeyringChange>.Continuation] = [:]
        var next = 0
    }

    private let state = Guarded(State())

    /// The sequence of what is announced after the iteration begins.
    var changes: KeyringChanges {
        KeyringChanges { self.subscribe() }
    }

    /// Hands `change` to every listener, in the same order to each.
    func announce(_ change: KeyringChange) {
        state.withLock { state in
            // Under the lock, so that two announcements keep their order. Yielding only fills a buffer and wakes a task.
            for listener in state.listeners.values { listener.yield(change) }
        }
    }

    /// How many iterations are going on.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    private func subscribe() -> AsyncStream<KeyringChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: KeyringChange.self)
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        // Also removes it when the iterator was dropped before this line: then it is called at once.
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }
}
