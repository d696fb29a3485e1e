/// A value as an async sequence: the current one, then every change. ``StoredValue/values`` says which changes come.
///
/// Each iteration subscribes separately; dropping its iterator unsubscribes.
public struct LiveValues<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let iterator: @Sendable () -> Iterator

    /// For each iteration, `subscribe` gives the contents, the current one first, and `makeTransform` the transform of them to elements:
    /// nil for a content that is no change.
    package init<Content>(
        subscribe: @escaping @Sendable () -> ActiveSubscription<Content>, makeTransform: @escaping @Sendable () -> (Content) -> Element?
    ) {
        iterator = {
            let transform = makeTransform(), active = subscribe()
            return Iterator(active: active, subscription: active.subscription) { box in
                transform(unsafeDowncast(box, to: Box<Content>.self).value)  // sound: see `ActiveSubscription`
            }
        }
    }

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
