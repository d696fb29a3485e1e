#if Libsecret
    import CSecret
    import Dispatch
    import StoredValuesSupport

    /// Reports changes in the Secret Service on one bus, as long as it exists, from a thread and a connection of its own. The only
    /// request it sends, after some signals, is whether the default collection is locked. It starts no daemon. When the daemon or the
    /// bus is replaced, it continues with the new one, and reports that anything may have changed.
    package final class ServiceListener: Sendable {
        private let listening: Listening
        private let retries = RetryThread()

        /// Without a free thread or file descriptor, this reports that and tries again later.
        package init(on bus: Bus, _ report: @escaping @Sendable (ServiceNews) -> Void) {
            listening = Listening(bus: bus, report: report)
            begin()
        }

        deinit { listening.stop() }

        private func begin() {
            do throws(SystemErrorCode) {
                // Not GLib's g_thread_new, which ends the process where there is no thread.
                try startThread(named: "StoredValues") { [weak self, listening] in
                    // Signals that are subscribed to inside arrive in this context.
                    do throws(SecretServiceError) { try withNewContext { listening.run() } } catch { self?.failed(error) }
                }
            } catch {
                failed(.withoutThread(error))
            }
        }

        private func failed(_ error: SecretServiceError) {
            listening.report(.gone(error))
            retries.request { [weak self] in self?.begin() }
        }
    }

    /// What a ``ServiceListener`` reports. It has no details, because signals do not name the secret, and many come too early or repeatedly.
    package enum ServiceNews: Hashable, Sendable {
        /// Any item may have been created, changed or deleted; also reported when listening begins or resumes.
        case anythingMayHaveChanged
        case locked
        case unlocked
        /// The service or the bus has ended; calls now fail with this error.
        case gone(SecretServiceError)
    }

    private struct Listening: Sendable {
        let bus: Bus
        let report: @Sendable (ServiceNews) -> Void
        let ending = Cancellation()
        let cancellation = Cancellation()

        func stop() {
            ServiceThread.cancellations.async { [ending] in ending.cancel() }
            // A call under way usually ends soon. Cancelling it at the moment when it ends makes GLib 2.74 leak the call and
            // its connection (seen: 5 of 4,000), so only a hanging call is cancelled.
            ServiceThread.cancellations.async(after: .seconds(5)) { [weak cancellation] in cancellation?.cancel() }
        }

        /// Waits for the next event, until `time` at the latest.
        private func wait(until time: Int64?, or isDone: () -> Bool = { false }) {
            let pause = time.map { UInt32(clamping: ($0 - monotonicMicroseconds()) / 1000 + 1) } ?? .max
            ending.during { waitForSignals(every: pause) { isDone() || time.map { $0 <= monotonicMicroseconds() } == true } }
        }

        /// Listens on one connection after another until it is stopped. Not on the connection of the calls, which a too large message closes.
        func run() {
            let shortestPause: Int64 = 100_000
            var pause = shortestPause
            while !ending.isCancelled {
                let hasListened = cancellation.during { (try? listen(on: BusConnection(to: bus))) != nil }
                guard !ending.isCancelled else { return }
                if hasListened {
                    report(.gone(.noSessionBus))
                    pause = shortestPause
                }
                // There is no signal when a bus appears, so connecting is retried, less and less often.
                wait(until: monotonicMicroseconds() + pause)
                pause = min(pause * 2, 30_000_000)
            }
        }

        /// Listens until the bus closes. Throws if it cannot begin.
        private func listen(on bus: BusConnection) throws(SecretServiceError) {
            var owner: String?, burst = SignalBurst(), lock = LockState()
            func subscribe(
                to interface: String, _ matter: @escaping (_ member: String, _ parameters: Variant) -> SignalBurst.Matter?
            ) -> SignalSubscription {
                SignalSubscription(on: bus, to: interface, of: Daemon.wellKnownName) { member, parameters in
                    if let matter = matter(member, parameters) { burst.note(matter, at: monotonicMicroseconds()) }
                }
            }
            let subscriptions = [
                subscribe(to: "org.freedesktop.Secret.Collection") { _, _ in .items },
                subscribe(to: "org.freedesktop.Secret.Service") { _, _ in .locks },
                subscribe(to: "org.freedesktop.DBus.Properties") { _, parameters in
                    guard parameters.has(type: "(sa{sv}as)"), parameters.child(0).string == "org.freedesktop.Secret.Collection"
                    else { return nil }
                    return parameters.child(1).keys.contains("Locked") ? .locks : .items
                },
                // KWallet has no other signal for an opened wallet.
                subscribe(to: "org.kde.KWallet") { member, _ in member.hasPrefix("wallet") ? .locks : nil },
                .owner(of: Daemon.wellKnownName, on: bus) { new in
                    owner = new
                    burst.note(.locks, at: monotonicMicroseconds())
                },
            ]
            defer { withExtendedLifetime(subscriptions) {} }
            // The bus answers in order: after this answer the subscriptions are active.
            owner = try Daemon.running(on: bus)?.name

            if owner != nil {
                report(lock.note(isOpen: isOpen(owner, on: bus), at: monotonicMicroseconds()) ?? .anythingMayHaveChanged)
            }
            while !ending.isCancelled, !bus.isClosed {
                let end = burst.end
                wait(until: end ?? lock.nextCheck) { bus.isClosed || burst.end != end }
                let ended = burst.take(at: monotonicMicroseconds())
                if let ended, !ended.concernsLocks {
                    report(.anythingMayHaveChanged)
                } else if ended != nil || lock.nextCheck.map({ $0 <= monotonicMicroseconds() }) == true {
                    if owner == nil {
                        lock = LockState()  // the next daemon has its own
                        report(.gone(.noSecretService))
                    } else if let news = lock.note(isOpen: isOpen(owner, on: bus), at: monotonicMicroseconds())
                        ?? (ended == nil ? nil : .anythingMayHaveChanged)
                    {
                        report(news)
                    }
                }
            }
        }

        /// Nil if unknown. Blocks while the daemon hangs; no signal could come from it meanwhile.
        private func isOpen(_ owner: String?, on bus: BusConnection) -> Bool? {
            guard let owner, (try? requireRoom()) != nil else { return nil }
            let daemon = Daemon(bus: bus, name: owner)
            do throws(SecretServiceError) { return try daemon.isOpen(daemon.defaultCollection()) } catch {
                return error == .noDefaultCollection ? true : nil  // a signal says when there is one
            }
        }
    }

    /// The clock of GLib's main contexts.
    private func monotonicMicroseconds() -> Int64 { Int64(g_get_monotonic_time()) }

    /// Signals in close succession, handled together: dozens come for one change, some before it has happened. It ends when none has
    /// come for a while, or after a maximum duration, for programs that change things all the time. Times are microseconds of one
    /// clock.
    struct SignalBurst {
        enum Matter {
            case items
            /// A lock, or the list of collections.
            case locks
        }

        private static let quiet: Int64 = 50_000
        private static let longest: Int64 = 250_000

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
            return exchange(&self, with: SignalBurst())
        }
    }

    /// What is known about the lock. gnome-keyring sends no signal when the login unlocks it (seen with version 42), so while it is
    /// locked, or that is not known, it is checked from time to time, less and less often. Times are microseconds of one clock.
    struct LockState {
        /// The shortest and the longest time between checks.
        private static let pauses: ClosedRange<Int64> = 500_000...8_000_000

        private var isOpen: Bool?
        private var pause = pauses.lowerBound
        /// When to check again without a signal; nil if there is no reason to.
        private(set) var nextCheck: Int64?

        /// Notes the result of a check at `time`: open, locked, or nil if unknown, which changes nothing. Returns the change, if any.
        mutating func note(isOpen now: Bool?, at time: Int64) -> ServiceNews? {
            let before = isOpen, wasChecking = nextCheck != nil
            isOpen = now ?? before
            if now != true {
                pause = wasChecking && before == isOpen ? min(pause * 2, Self.pauses.upperBound) : Self.pauses.lowerBound
                nextCheck = time + pause
            } else {
                nextCheck = nil
            }
            return switch (before, isOpen) {
            case (true, false), (nil, false): .locked
            case (false, true): .unlocked
            case (nil, true) where wasChecking: .unlocked  // it may have been locked
            default: nil
            }
        }
    }
#endif
