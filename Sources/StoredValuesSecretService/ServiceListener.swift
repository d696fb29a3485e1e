#if Libsecret
    import StoredValuesSupport
    import Synchronization

    /// Reports changes in the Secret Service on one bus, whoever makes them, as long as it exists.
    ///
    /// It has its own thread and connection, where it waits for signals. The only request it sends, after some of them, is
    /// whether the default collection is locked. It starts no daemon. When the daemon or the bus is replaced, it continues with
    /// the new one, and reports that anything may have changed.
    package final class ServiceListener: Sendable {
        private let context = Guarded<ListeningContext?>(nil)
        private let retries = RetryThread()

        /// Begins to listen on `bus`; `hear` is called on the listener's thread. If there is no thread or file descriptor for it,
        /// `hear` is told at once that the service cannot be heard, and beginning is retried.
        package init(on bus: Bus, _ hear: @escaping @Sendable (ServiceNews) -> Void) {
            Self.count.add(1, ordering: .relaxed)
            begin(on: bus, hear)
        }

        deinit {
            context.withLock { $0 }?.callOff()
            Self.count.subtract(1, ordering: .relaxed)
        }

        private func begin(on bus: Bus, _ hear: @escaping @Sendable (ServiceNews) -> Void) {
            do throws(SecretServiceError) {
                let new = try ListeningContext()
                let work = ListeningWork(bus: bus, context: new, hear: hear)
                // Not GLib's g_thread_new, which ends the process where there is no thread.
                do throws(SystemErrorCode) {
                    try startThread(named: "StoredValues") { new.run(work.listen) }
                } catch {
                    throw .withoutThread(error)
                }
                context.withLock { $0 = new }
            } catch {
                hear(.gone(error))
                retries.request { [weak self] in self?.begin(on: bus, hear) }
            }
        }

        /// The number of listeners in this process.
        package static var running: Int { count.load(ordering: .relaxed) }
        private static let count = Atomic(0)
    }

    /// The work of the listener's thread.
    private struct ListeningWork: Sendable {
        let bus: Bus
        let context: ListeningContext
        let hear: @Sendable (ServiceNews) -> Void

        /// Listens on one connection after another until it is stopped.
        func listen() {
            let shortestPause: Int64 = 100_000
            var pause = shortestPause
            while !context.isCalledOff {
                if let signals = try? ServiceSignals(on: bus, context.cancellable) {
                    listen(to: signals)
                    guard !context.isCalledOff else { return }
                    hear(.gone(.noSessionBus))
                    pause = shortestPause
                }
                // There is no signal when a bus appears, so connecting is retried, less and less often.
                let end = ListeningContext.now + pause
                while !context.isCalledOff, ListeningContext.now < end { context.wait(until: end) }
                pause = min(pause * 2, 30_000_000)
            }
        }

        private func listen(to signals: ServiceSignals) {
            var lock = LockState()
            if signals.daemon != nil {
                hear(lock.note(isOpen: look(signals), at: ListeningContext.now) ?? .anythingMayHaveChanged)
            }
            while !context.isCalledOff, !signals.isClosed {
                context.wait(until: signals.endOfBurst ?? lock.nextLook)
                let burst = signals.takeBurst()
                if let burst, !burst.concernsLocks {
                    hear(.anythingMayHaveChanged)
                } else if burst != nil || lock.nextLook.map({ $0 <= ListeningContext.now }) == true {
                    let news = lock.note(isOpen: look(signals), at: ListeningContext.now)
                    if signals.daemon == nil {
                        hear(.gone(.noSecretService))
                    } else if let news = news ?? (burst == nil ? nil : .anythingMayHaveChanged) {
                        hear(news)
                    }
                }
            }
        }

        /// Whether the default collection is open; nil if unknown. It waits for a daemon that hangs, from which no signal could
        /// arrive meanwhile.
        private func look(_ signals: ServiceSignals) -> Bool? {
            guard let daemon = signals.daemon else { return nil }
            do throws(SecretServiceError) {
                try requireRoom()
                let collection = try daemon.defaultCollection(context.cancellable)
                return try daemon.isOpen(collection, context.cancellable)
            } catch {
                return nil
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
#endif
