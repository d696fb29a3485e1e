#if Configuration
    /// An element now, and after each hint if something changed. Iterating subscribes to the hints, dropping the iterator
    /// unsubscribes, and iterations are independent.
    struct HintedSequence<Element: Sendable>: AsyncSequence, Sendable {
        typealias Failure = Never

        /// Subscribes, and makes the closure that looks; that returns nil if nothing changed.
        let begin: @Sendable () -> (hints: AsyncStream<Void>, look: () -> Element?)

        func makeAsyncIterator() -> Iterator {
            let (hints, look) = begin()
            return Iterator(hints: hints.makeAsyncIterator(), look: look)
        }

        struct Iterator: AsyncIteratorProtocol {
            fileprivate var hints: AsyncStream<Void>.Iterator
            fileprivate let look: () -> Element?
            private var hasLooked = false

            fileprivate init(hints: AsyncStream<Void>.Iterator, look: @escaping () -> Element?) {
                self.hints = hints
                self.look = look
            }

            mutating func next() async -> Element? { await next(isolation: nil) }

            mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
                if !hasLooked {
                    hasLooked = true
                    if let element = look() { return element }
                }
                while await hints.next(isolation: actor) != nil {
                    if let element = look() { return element }
                }
                return nil
            }
        }
    }
#endif
