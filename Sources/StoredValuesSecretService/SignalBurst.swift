#if Libsecret
    /// Signals that come shortly after one another and are answered together: dozens come for one change, and some before it
    /// has happened.
    ///
    /// A burst ends when no signal has come for a while, and at last when it has lasted long enough: whoever changes things
    /// all the time must not keep everybody from hearing of it. All times are microseconds of one clock.
    struct SignalBurst {
        /// What a signal may be about.
        enum Matter {
            case items
            /// A lock, or which collections there are.
            case locks
        }

        /// How long it must be quiet.
        static let quiet: Int64 = 50_000
        /// How long a burst may last.
        static let longest: Int64 = 250_000

        private var beginning: Int64?
        /// When the burst ends unless another signal comes; nil between bursts.
        private(set) var end: Int64?
        private(set) var concernsLocks = false

        /// Notes a signal that came at `now`.
        mutating func note(_ matter: Matter, at now: Int64) {
            let beginning = beginning ?? now
            self.beginning = beginning
            end = min(now + Self.quiet, beginning + Self.longest)
            if matter == .locks { concernsLocks = true }
        }

        /// The burst, if it is over by `now`; then the next one begins with the next signal.
        mutating func take(at now: Int64) -> SignalBurst? {
            guard let end, end <= now else { return nil }
            defer { self = SignalBurst() }
            return self
        }
    }
#endif
