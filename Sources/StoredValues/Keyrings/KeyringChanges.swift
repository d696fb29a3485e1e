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

/// A keyring that detects only changes of secrets in use.
protocol SelectiveKeyring: Keyring {
    /// Makes ``changes`` report `id` as long as the returned object exists, if any.
    func interest(in id: SecretIdentifier) -> (any Sendable)?
}

extension Keyring {
    /// ``SelectiveKeyring/interest(in:)``, or nil if the keyring detects all changes.
    func interestIfSelective(in id: SecretIdentifier) -> (any Sendable)? {
        (self as? any SelectiveKeyring)?.interest(in: id)
    }
}
