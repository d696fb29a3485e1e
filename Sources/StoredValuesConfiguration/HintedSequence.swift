#if Configuration
    /// What a look shows now, and after each hint if it is news. Iterating subscribes to the hints, dropping the iterator
    /// unsubscribes, and each iteration is on its own.
    struct HintedSequence<Element: Sendable>: AsyncSequence, Sendable {
        typealias Failure = Never

        /// Subscribes, and makes what looks; that returns nil where there is no news.
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
