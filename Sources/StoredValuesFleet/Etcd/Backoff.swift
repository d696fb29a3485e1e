#if Fleet
    /// How long to wait before the next attempt: longer each time, and never the same on two machines, so that a thousand of them
    /// do not come back in the same moment.
    struct Backoff: Sendable {
        private let first: Duration
        private let longest: Duration
        private var limit: Duration

        init(first: Duration, longest: Duration) { (self.first, self.longest, limit) = (first, longest, first) }

        /// The next wait: between half of the current limit and all of it, which doubles each time.
        mutating func next() -> Duration { next(by: .random(in: 0.5...1)) }

        /// The same with this share of the limit.
        mutating func next(by share: Double) -> Duration {
            defer { limit = min(limit * 2, longest) }
            return limit * share
        }

        /// Begins anew.
        mutating func reset() { limit = first }
    }
#endif
