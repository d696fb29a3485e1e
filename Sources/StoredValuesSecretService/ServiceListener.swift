#if Libsecret
    import CSecret
    import Dispatch
    import StoredValuesSupport
    import Synchronization

    /// Reports changes in the Secret Service on one bus, whoever makes them, as long as it exists.
    ///
    /// It has its own thread and connection, where it waits for signals. The only request it sends, after some of them, is
    /// whether the default collection is locked. It starts no daemon. When the daemon or the bus is replaced, it continues with
    /// the new one, and reports that anything may have changed.
    package final class ServiceListener: Sendable {
        private let thread = Guarded<ListeningThread?>(nil)
        private let retries = RetryThread()

        /// Begins to listen on `bus`; `report` is called on the listener's thread. If there is no thread or file descriptor for it,
        /// that is reported at once, and beginning is retried.
        package init(on bus: Bus, _ report: @escaping @Sendable (ServiceNews) -> Void) { begin(on: bus, report) }

        deinit { thread.withLock { $0 }?.stop() }

        private func begin(on bus: Bus, _ report: @escaping @Sendable (ServiceNews) -> Void) {
            do throws(SecretServiceError) {
                let new = try ListeningThread(on: bus, report)
                try new.start()
                thread.withLock { $0 = new }
            } catch {
                report(.gone(error))
                retries.request { [weak self] in self?.begin(on: bus, report) }
            }
        }
    }

    /// What a ``ServiceListener`` reports. Signals name no secret, come in dozens and some too early, so this says little.
    package enum ServiceNews: Hashable, Sendable {
        /// Any item may have been created, changed or deleted; also reported when listening begins or resumes.
        case anythingMayHaveChanged
        /// The default collection was locked.
        case locked
        /// The default collection was unlocked.
        case unlocked
        /// The service or the bus has ended; calls now fail with this error.
        case gone(SecretServiceError)
    }

    /// A thread that waits for signals in a main context of its own, and that any thread can stop.
    ///
    /// `@unchecked Sendable`: the context and its timer are used only by that thread, except in `stop`, which GLib allows from
    /// any thread.
    private final class ListeningThread: @unchecked Sendable {
        private let bus: Bus
        private let report: @Sendable (ServiceNews) -> Void
        private let context: OpaquePointer
        private let alarm: UnsafeMutablePointer<GSource>
        private let isStopped = Atomic(false)
        /// Ends blocking calls.
        private let cancellation = Reference(owning: g_cancellable_new()!)  // GObject aborts rather than return nil

        init(on bus: Bus, _ report: @escaping @Sendable (ServiceNews) -> Void) throws(SecretServiceError) {
            (self.bus, self.report) = (bus, report)
            context = try makeContext()
            alarm = g_timeout_source_new(.max)
            g_source_set_callback(alarm, { _ in 1 }, nil, nil)  // it only needs to end a wait
            g_source_attach(alarm, context)
        }

        deinit {
            g_source_destroy(alarm)
            g_source_unref(alarm)
            g_main_context_unref(context)
        }

        func start() throws(SecretServiceError) {
            // Not GLib's g_thread_new, which ends the process where there is no thread.
            do throws(SystemErrorCode) {
                // Signals that are subscribed to inside arrive in this context.
                try startThread(named: "StoredValues") { withContext(self.context, self.listen) }
            } catch {
                throw .withoutThread(error)
            }
        }

        /// Ends listening for good. Can be called on any thread: cancelling, which runs GLib's handlers, happens on another one.
        func stop() {
            isStopped.store(true, ordering: .releasing)
            g_main_context_wakeup(context)
            // A call under way usually ends soon. Cancelling it at the moment when it ends makes GLib 2.74 leak the call and
            // its connection (seen: 5 of 4,000), so only a hanging call is cancelled.
            ServiceThread.cancellations.async(after: .seconds(5)) { [weak self] in
                if let self { g_cancellable_cancel(cancellation.pointer) }
            }
        }

        private var isWanted: Bool { !isStopped.load(ordering: .acquiring) }

        /// Waits for the next event, until `time` at the latest.
        private func wait(until time: Int64?) {
            guard isWanted else { return }
            g_source_set_ready_time(alarm, time.map { gint64($0) } ?? -1)
            g_main_context_iteration(context, 1)
        }

        /// Listens on one connection after another until it is stopped.
        private func listen() {
            let shortestPause: Int64 = 100_000
            var pause = shortestPause
            while isWanted {
                if let signals = try? ServiceSignals(on: bus, cancellation.pointer) {
                    listen(to: signals)
                    guard isWanted else { return }
                    report(.gone(.noSessionBus))
                    pause = shortestPause
                }
                // There is no signal when a bus appears, so connecting is retried, less and less often.
                let end = monotonicMicroseconds() + pause
                while isWanted, monotonicMicroseconds() < end { wait(until: end) }
                pause = min(pause * 2, 30_000_000)
            }
        }

        private func listen(to signals: ServiceSignals) {
            var lock = LockState()
            if signals.daemon != nil {
                report(lock.note(isOpen: isOpen(signals.daemon), at: monotonicMicroseconds()) ?? .anythingMayHaveChanged)
            }
            while isWanted, !signals.isClosed {
                wait(until: signals.endOfBurst ?? lock.nextCheck)
                let burst = signals.takeBurst()
                if let burst, !burst.concernsLocks {
                    report(.anythingMayHaveChanged)
                } else if burst != nil || lock.nextCheck.map({ $0 <= monotonicMicroseconds() }) == true {
                    let news = lock.note(isOpen: isOpen(signals.daemon), at: monotonicMicroseconds())
                    if signals.daemon == nil {
                        report(.gone(.noSecretService))
                    } else if let news = news ?? (burst == nil ? nil : .anythingMayHaveChanged) {
                        report(news)
                    }
                }
            }
        }

        /// Whether the default collection is open; nil if unknown. It waits for a daemon that hangs, from which no signal could
        /// arrive meanwhile.
        private func isOpen(_ daemon: Daemon?) -> Bool? {
            guard let daemon, (try? requireRoom()) != nil else { return nil }
            return try? daemon.isOpen(daemon.defaultCollection(cancellation.pointer), cancellation.pointer)
        }
    }

    /// The clock of main contexts.
    func monotonicMicroseconds() -> Int64 { Int64(g_get_monotonic_time()) }
#endif
