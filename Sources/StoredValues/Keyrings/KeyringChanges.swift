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
    public init(_ subscribe: @escaping @Sendable () -> AsyncStream<KeyringChange>) {
        self.subscribe = subscribe
    }

    /// For a keyring that hears nothing: a sequence that ends at once.
    public static var none: KeyringChanges {
        KeyringChanges { AsyncStream { $0.finish() } }
    }

    /// Subscribes: what is announced from now on comes.
    public func makeAsyncIterator() -> AsyncStream<KeyringChange>.Iterator {
        subscribe().makeAsyncIterator()
    }
}
