#if Libsecret
    /// The signals of the Secret Service's program on one connection. They arrive while the thread that created this waits in
    /// its main context.
    final class ServiceSignals {
        /// A separate connection: a message that closes the connection of calls does not affect it.
        private let bus: BusConnection
        private var subscriptions: [SignalSubscription] = []
        private var owner: String?
        private var burst = SignalBurst()

        /// Subscribes. Every later change is seen.
        init(on bus: Bus, _ cancellable: Cancellable) throws(SecretServiceError) {
            self.bus = try BusConnection(to: bus, cancellable)
            subscribe(to: "org.freedesktop.Secret.Collection") { _, _ in .items }
            subscribe(to: "org.freedesktop.Secret.Service") { _, _ in .locks }
            subscribe(to: "org.freedesktop.DBus.Properties") { _, parameters in
                guard parameters.has(type: "(sa{sv}as)"), parameters.child(0).string == "org.freedesktop.Secret.Collection"
                else { return nil }
                return parameters.child(1).keys.contains("Locked") ? .locks : .items
            }
            // KWallet has no other signal for an opened wallet.
            subscribe(to: "org.kde.KWallet") { member, _ in member.hasPrefix("wallet") ? .locks : nil }
            subscriptions.append(
                .owner(of: Daemon.wellKnownName, on: self.bus) { [weak self] owner in
                    self?.owner = owner
                    self?.burst.note(.locks, at: monotonicMicroseconds())
                })
            // The bus answers in order: after this answer the subscriptions are active.
            owner = try Daemon.running(on: self.bus, cancellable)?.name
        }

        /// The current daemon, as far as signals tell.
        var daemon: Daemon? { owner.map { Daemon(bus: bus, name: $0) } }

        /// Whether the bus is closed.
        var isClosed: Bool { bus.isClosed }

        /// When the current burst ends unless another signal follows; nil if there is none.
        var endOfBurst: Int64? { burst.end }

        /// The last burst, if it is over.
        func takeBurst() -> SignalBurst? { burst.take(at: monotonicMicroseconds()) }

        /// Subscribes to the service's signals of `interface`; `matter` returns what a signal is about, from its member and
        /// parameters.
        private func subscribe(to interface: String, _ matter: @escaping (String, Variant) -> SignalBurst.Matter?) {
            subscriptions.append(
                SignalSubscription(on: bus, to: interface, of: Daemon.wellKnownName) { [weak self] member, parameters in
                    guard let matter = matter(member, parameters) else { return }
                    self?.burst.note(matter, at: monotonicMicroseconds())
                })
        }
    }

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
        private(set) var nextCheck: Int64?

        /// Notes the result of a check at `time`: open, locked, or nil if unknown. Returns the change, if any.
        mutating func note(isOpen now: Bool?, at time: Int64) -> ServiceNews? {
            let before = isOpen
            isOpen = now
            if now == false {
                pause = before == false ? min(pause * 2, Self.pauses.upperBound) : Self.pauses.lowerBound
                nextCheck = time + pause
            } else {
                nextCheck = nil
            }
            return switch (before, now) {
            case (true, false), (nil, false): .locked
            case (false, true): .unlocked
            default: nil
            }
        }
    }
#endif
