#if Libsecret
    /// What is known of the default collection's lock, and when to look at it again unasked.
    ///
    /// gnome-keyring says nothing when the login unlocks it (seen with version 42), so while it is locked it is looked at now
    /// and then, less and less often. All times are microseconds of one clock.
    struct LockState {
        /// The shortest and the longest time between looks.
        static let pauses: ClosedRange<Int64> = 500_000...8_000_000

        private var isOpen: Bool?
        private var pause = pauses.lowerBound
        /// When to look again though nothing was heard; nil where there is no reason to.
        private(set) var nextLook: Int64?

        /// Notes what a look at `time` found: open, locked, or nil where that could not be found out. Returns the news in it.
        mutating func note(isOpen now: Bool?, at time: Int64) -> ServiceNews? {
            let before = isOpen
            isOpen = now
            if now == false {
                pause = before == false ? min(pause * 2, Self.pauses.upperBound) : Self.pauses.lowerBound
                nextLook = time + pause
            } else {
                nextLook = nil
            }
            return switch (before, now) {
            case (true, false), (nil, false): .locked
            case (false, true): .unlocked
            default: nil
            }
        }
    }
#endif
