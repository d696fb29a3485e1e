/// The values of a wrapper as an async sequence: the current one, then every change.
///
/// Each iteration subscribes separately; dropping its iterator unsubscribes.
package struct ValueSequence<Content: Sendable, Element: Sendable>: AsyncSequence, Sendable {
    package typealias Failure = Never

    /// Subscribes to the live value, with its current content as the first element.
    let subscribe: @Sendable () -> ActiveSubscription<Content>
    /// Makes the transform for one iteration, from contents to elements; it returns nil for a content that is no change.
    let makeTransform: @Sendable () -> (Content) -> Element?

    package init(
        subscribe: @escaping @Sendable () -> ActiveSubscription<Content>, makeTransform: @escaping @Sendable () -> (Content) -> Element?
    ) {
        (self.subscribe, self.makeTransform) = (subscribe, makeTransform)
    }

    package func makeAsyncIterator() -> Iterator { Iterator(active: subscribe(), transform: makeTransform()) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let active: ActiveSubscription<Content>
        fileprivate let transform: (Content) -> Element?

        package mutating func next() async -> Element? { await next(isolation: nil) }

        package mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let content = await active.next(isolation: actor) {
                if let element = transform(content) { return element }
            }
            return nil
        }
    }
}
