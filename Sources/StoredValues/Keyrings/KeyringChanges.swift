import DequeModule
import StoredValuesSupport

/// A hint that something in a keyring may have changed; read again to find out.
public enum KeyringChange: Hashable, Sendable {
    /// This secret may have been set, replaced or removed.
    case secret(SecretIdentifier)
    /// Any secret may have changed; the keyring does not know which.
    case anySecret
    /// The keyring was locked: drop copies of its secrets in memory.
    case locked
    /// The keyring was unlocked, or came back.
    case unlocked
    /// The keyring has become unreachable, for this reason: what it holds is unknown.
    case unavailable(KeyringError)
}

/// The changes of a keyring as an async sequence. Iterating subscribes; dropping the iterator unsubscribes.
public struct KeyringChanges: AsyncSequence, Sendable {
    /// One change.
    public typealias Element = KeyringChange
    /// It may end, but never with an error.
    public typealias Failure = Never

    /// Subscribes. All changes announced from then on are in the stream.
    let subscribe: @Sendable () -> AsyncStream<KeyringChange>

    /// A sequence that calls `subscribe` for each iteration.
    public init(_ subscribe: @escaping @Sendable () -> AsyncStream<KeyringChange>) { self.subscribe = subscribe }

    /// For a keyring that detects no changes: a sequence that ends at once.
    public static var none: KeyringChanges { KeyringChanges { AsyncStream { $0.finish() } } }

    /// Subscribes: all changes from now on are delivered.
    public func makeAsyncIterator() -> AsyncStream<KeyringChange>.Iterator { subscribe().makeAsyncIterator() }
}

extension KeyringChanges {
    /// The changes of all `sequences`, mapped by `transform`, those of each one in order. Ends when all have ended.
    init(merging sequences: [KeyringChanges], _ transform: @escaping @Sendable (KeyringChange) -> KeyringChange) {
        self.init {
            // Subscribed before this returns, so that nothing is missed until the task below runs.
            let streams = sequences.map { $0.subscribe() }
            let (merged, continuation) = AsyncStream.makeStream(of: KeyringChange.self)
            let merging = Task.detached {
                await withTaskGroup { group in
                    for stream in streams {
                        group.addTask {
                            for await change in stream { continuation.yield(transform(change)) }
                        }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in merging.cancel() }
            return merged
        }
    }
}

/// Passes changes to everyone who iterates, each with an unbounded buffer: a dropped change may be the last one.
final class ChangeBroadcaster: Sendable {
    /// Announces changes that others make, as long as it exists.
    typealias Source = any AnyObject & Sendable

    private typealias Listener = AsyncStream<KeyringChange>.Continuation

    private struct State {
        var listeners: [Int: Listener] = [:]
        /// Announced changes that are not delivered yet, with the listeners at that time.
        var pending: Deque<(change: KeyringChange, listeners: [Listener])> = []
        var isHandingOut = false
        var next = 0
        var source: Source?
        var isMakingSource = false
    }

    private let state = Guarded(State())

    var changes: KeyringChanges { changes { nil } }

    /// With a source, made when the first iteration begins and released when the last one ends. It must not retain the broadcaster.
    func changes(from makeSource: @escaping @Sendable () -> Source?) -> KeyringChanges {
        KeyringChanges { self.subscribe(makeSource) }
    }

    /// Delivers `change` to every listener, in the same order to each. Another thread may still be delivering when this returns.
    func announce(_ change: KeyringChange) {
        let isOurs = state.withLock { state in
            state.pending.append((change, Array(state.listeners.values)))
            return !exchange(&state.isHandingOut, with: true)
        }
        guard isOurs else { return }
        // Without the lock: yielding wakes a task and waits for its cancellation, which waits to unsubscribe here.
        while let (change, listeners) = state.withLock({ state in
            state.isHandingOut = !state.pending.isEmpty
            return state.pending.popFirst()
        }) {
            for listener in listeners { listener.yield(change) }
        }
    }

    var listenerCount: Int { state.withLock { $0.listeners.count } }

    private func subscribe(_ makeSource: @escaping @Sendable () -> Source?) -> AsyncStream<KeyringChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: KeyringChange.self)
        let (number, isFirst) = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = continuation
            let isFirst = state.source == nil && !state.isMakingSource
            if isFirst { state.isMakingSource = true }
            return (state.next, isFirst)
        }
        // If the iterator was dropped before this line, it is called at once. Until the stream ends, it retains the broadcaster and
        // what the source is made from, which nothing else may retain.
        continuation.onTermination = { _ in withExtendedLifetime(makeSource) { self.unsubscribe(number) } }
        guard isFirst else { return stream }
        let source = makeSource()  // without the lock: it may have to wait for a disk
        let isTooLate = state.withLock { state in
            state.isMakingSource = false
            if !state.listeners.isEmpty { state.source = source }
            return source != nil && state.next != number
        }
        // Others subscribed meanwhile, and the source has missed the changes until now.
        if isTooLate { announce(.anySecret) }
        return stream
    }

    private func unsubscribe(_ number: Int) {
        let ended = state.withLock { state -> (Listener?, Source?) in
            let listener = state.listeners.removeValue(forKey: number)
            guard state.listeners.isEmpty else { return (listener, nil) }
            return (listener, state.source.take())
        }
        withExtendedLifetime(ended) {}  // released without the lock
    }
}
