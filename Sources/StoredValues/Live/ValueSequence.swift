/// The values of a wrapper, as an async sequence: the current one, then every change.
///
/// It is a value: iterating subscribes, each iteration on its own, and dropping the iterator unsubscribes.
struct ValueSequence<Content: Sendable, Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = Never

    /// Adds a subscription to the live value, with what it holds now as the first element.
    let subscribe: @Sendable () -> ActiveSubscription<Content>
    /// Makes what turns contents into elements for one iteration, nil for those that are no news.
    let makeTransform: @Sendable () -> (Content) -> Element?

    func makeAsyncIterator() -> Iterator { Iterator(active: subscribe(), transform: makeTransform()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let active: ActiveSubscription<Content>
        fileprivate let transform: (Content) -> Element?

        mutating func next() async -> Element? { await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let content = await active.next(isolation: actor) {
                if let element = transform(content) { return element }
            }
            return nil
        }
    }
}
