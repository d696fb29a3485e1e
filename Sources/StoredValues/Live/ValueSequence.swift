/// ``LiveValues`` with the type of the contents that they are made of.
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

    package func makeAsyncIterator() -> LiveValues<Element>.Iterator {
        let active = subscribe(), transform = makeTransform()
        return LiveValues<Element>.Iterator(active: active, subscription: active.subscription) { box in
            transform(unsafeDowncast(box, to: Box<Content>.self).value)  // sound: see `ActiveSubscription`
        }
    }
}
