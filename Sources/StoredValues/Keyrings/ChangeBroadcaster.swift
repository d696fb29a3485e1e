import Locking

/// Tells whoever iterates a keyring's changes what the keyring announces.
///
/// Each iteration has its own buffer without a bound: a hint that is lost may be the last one.
final class ChangeBroadcaster: Sendable {
    /// What hears of changes that others make; it does so for as long as it lives.
    typealias Source = any AnyObject & Sendable

    private struct State {
        var listeners: [Int: AsyncStream<KeyringChange>.Continuation] = [:]
        var next = 0
        var source: Source?
    }

    private let state = Guarded(State())
    private let makeSource: @Sendable (ChangeBroadcaster) -> Source?

    /// A broadcaster of what is announced, and of what the source announces to it. The source is made when the first
    /// iteration begins and let go when the last one ends; it must not announce while it is being made, nor hold the
    /// broadcaster.
    init(source makeSource: @escaping @Sendable (ChangeBroadcaster) -> Source? = { _ in nil }) {
        self.makeSource = makeSource
    }

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
            if state.source == nil { state.source = makeSource(self) }
            return state.next
        }
        // Also removes it when the iterator was dropped before this line: then it is called at once.
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(number) }
        return stream
    }

    private func unsubscribe(_ number: Int) {
        let ended = state.withLock { state -> (AsyncStream<KeyringChange>.Continuation?, Source?) in
            let listener = state.listeners.removeValue(forKey: number)
            guard state.listeners.isEmpty else { return (listener, nil) }
            return (listener, state.source.take())
        }
        withExtendedLifetime(ended) {}  // they go when the lock is free
    }
}
