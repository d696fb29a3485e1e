#if Libsecret
    /// Signals in close succession, which are handled together: dozens come for one change, some of them before it has
    /// happened.
    ///
    /// A burst ends when no signal has come for a while, or after a maximum duration: a program that changes things all the
    /// time must not prevent reports. All times are microseconds of one clock.
    struct SignalBurst {
        /// What a signal may be about.
        enum Matter {
            case items
            /// A lock, or the list of collections.
            case locks
        }

        /// How long it must be quiet.
        static let quiet: Int64 = 50_000
        /// The maximum duration.
        static let longest: Int64 = 250_000

        private var beginning: Int64?
        /// When the burst ends unless another signal comes; nil between bursts.
        private(set) var end: Int64?
        private(set) var concernsLocks = false

        /// Notes a signal at the time `now`.
        mutating func note(_ matter: Matter, at now: Int64) {
            let beginning = beginning ?? now
            self.beginning = beginning
            end = min(now + Self.quiet, beginning + Self.longest)
            if matter == .locks { concernsLocks = true }
        }

        /// The burst, if it is over at `now`; then the next signal begins a new one.
        mutating func take(at now: Int64) -> SignalBurst? {
            guard let end, end <= now else { return nil }
            defer { self = SignalBurst() }
            return self
        }
    }
#endif
