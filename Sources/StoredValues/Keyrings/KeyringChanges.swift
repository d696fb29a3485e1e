/// A hint that something in a keyring may have changed; whoever cares reads again.
public enum KeyringChange: Hashable, Sendable {
    /// This secret may have been set, replaced or removed.
    case secret(SecretIdentifier)
    /// Any secret may have changed; the keyring does not say which.
    case anySecret
    /// The keyring was locked: copies of its secrets in memory are to be dropped.
    case locked
    /// The keyring was unlocked, or came back.
    case unlocked
    /// The keyring cannot be reached any more, and why: what it holds is not known.
    case unavailable(KeyringError)
}

/// The hints of a keyring, as an async sequence. Iterating subscribes; dropping the iterator unsubscribes.
public struct KeyringChanges: AsyncSequence, Sendable {
    /// One hint.
    public typealias Element = KeyringChange
    /// It ends, but never with an error.
    public typealias Failure = Never

    /// Subscribes. What is announced from then on is in the stream.
    let subscribe: @Sendable () -> AsyncStream<KeyringChange>

    /// A sequence that calls `subscribe` for each iteration.
    public init(_ subscribe: @escaping @Sendable () -> AsyncStream<KeyringChange>) { self.subscribe = subscribe }

    /// For a keyring that hears nothing: a sequence that ends at once.
    public static var none: KeyringChanges { KeyringChanges { AsyncStream { $0.finish() } } }

    /// Subscribes: what is announced from now on comes.
    public func makeAsyncIterator() -> AsyncStream<KeyringChange>.Iterator { subscribe().makeAsyncIterator() }
}

extension KeyringChanges {
    /// What any of `sequences` tells, as `transform` puts it, those of each one in its order. Ends when all have ended.
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

/// A keyring that hears only of secrets that somebody cares for.
protocol SelectiveKeyring: Keyring {
    /// Lets ``changes`` tell of `id` for as long as somebody has what is returned, if anything.
    func interest(in id: SecretIdentifier) -> (any Sendable)?
}

extension Keyring {
    /// ``SelectiveKeyring/interest(in:)``, or nil where the keyring hears of all.
    func interestIfSelective(in id: SecretIdentifier) -> (any Sendable)? {
        (self as? any SelectiveKeyring)?.interest(in: id)
    }
}
