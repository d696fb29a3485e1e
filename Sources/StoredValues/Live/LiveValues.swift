/// A value as an async sequence: the current one, then every change. Returned by ``StoredValue/values`` and ``SecurelyStoredValue/values``.
///
/// Each iteration subscribes separately; dropping its iterator unsubscribes.
public struct LiveValues<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let iterator: @Sendable () -> Iterator

    init<Content>(_ values: ValueSequence<Content, Element>) { iterator = { values.makeAsyncIterator() } }

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator { iterator() }

    /// One iteration; releasing it unsubscribes.
    public struct Iterator: AsyncIteratorProtocol {
        /// An ``ActiveSubscription`` to any content, which ends with this.
        let active: any AnyObject & Sendable
        let subscription: Subscription
        /// From the box of a content to an element; nil for a content that is no change.
        let transform: (Subscription.AnyBox) -> Element?

        /// Waits for the next value; nil once the task is cancelled.
        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// Waits for the next value; nil once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let content = await subscription.next(isolation: actor) {
                if let element = transform(content) { return element }
            }
            return nil
        }
    }
}
