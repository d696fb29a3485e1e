/// The values of a wrapper, as an async sequence: the current one, then every change.
///
/// It is a value: iterating subscribes, each iteration on its own, and dropping the iterator unsubscribes.
struct ValueSequence<Content: Sendable, Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = Never

    /// Adds a subscription to the live value, with what it holds now as the first element.
    let subscribe: @Sendable () -> ActiveSubscription<Content>
    /// Makes what turns contents into elements for one iteration, nil for those that are no news.
    let makeTransform: @Sendable () -> (Content) -> Element?

    func makeAsyncIterator() -> Iterator {
        Iterator(active: subscribe(), transform: makeTransform())
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let active: ActiveSubscription<Content>
        fileprivate let transform: (Content) -> Element?

        mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let content = await active.next(isolation: actor) {
                if let element = transform(content) { return element }
            }
            return nil
        }
    }
}

/// Ends a subscription when its iterator goes.
final class ActiveSubscription<Content: Sendable>: Sendable {
    private let subscription: Subscription
    private let end: @Sendable () -> Void

    /// - Parameter subscription: One whose boxes are all `ContentBox<Content>`.
    init(_ subscription: Subscription, end: @escaping @Sendable () -> Void) {
        self.subscription = subscription
        self.end = end
    }

    /// The next content, waiting for it; nil once the task is cancelled.
    func next(isolation: isolated (any Actor)?) async -> Content? {
        guard let box = await subscription.next(isolation: isolation) else { return nil }
        return unsafeDowncast(box, to: ContentBox<Content>.self).content  // sound: see init
    }

    deinit { end() }
}
