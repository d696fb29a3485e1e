#if Libsecret
    /// What is known about the default collection's lock, and when to check it again without a signal.
    ///
    /// gnome-keyring sends no signal when the login unlocks it (seen with version 42), so while it is locked it is checked from
    /// time to time, less and less often. All times are microseconds of one clock.
    struct LockState {
        /// The shortest and the longest time between checks.
        static let pauses: ClosedRange<Int64> = 500_000...8_000_000

        private var isOpen: Bool?
        private var pause = pauses.lowerBound
        /// When to check again without a signal; nil if there is no reason to.
        private(set) var nextLook: Int64?

        /// Notes the result of a check at `time`: open, locked, or nil if unknown. Returns the change, if any.
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
