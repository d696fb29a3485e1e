#if Libsecret
    import CSecret
    import Synchronization

    /// Reports changes in the Secret Service on one bus, whoever makes them, as long as it exists.
    ///
    /// It has its own thread and connection, where it waits for signals. The only request it sends, after some of them, is
    /// whether the default collection is locked. It starts no daemon. When the daemon or the bus is replaced, it continues with
    /// the new one, and reports that anything may have changed.
    package final class ServiceListener: Sendable {
        private let context = ListeningContext()

        /// Begins to listen on `bus`; `hear` is called on the listener's thread.
        package init(on bus: Bus, _ hear: @escaping @Sendable (ServiceNews) -> Void) {
            let work = Unmanaged.passRetained(Work(bus: bus, context: context, hear: hear))
            let thread = g_thread_new(
                "StoredValues",
                {
                    let work = Unmanaged<Work>.fromOpaque($0!).takeRetainedValue()
                    work.context.run(work.listen)
                    return nil
                },
                work.toOpaque())
            g_thread_unref(thread)  // its end is not waited for
            Self.count.add(1, ordering: .relaxed)
        }

        deinit {
            context.callOff()
            Self.count.subtract(1, ordering: .relaxed)
        }

        /// The number of listeners in this process.
        package static var running: Int { count.load(ordering: .relaxed) }
        private static let count = Atomic(0)
    }

    /// The work of the listener's thread.
    private final class Work {
        let bus: Bus
        let context: ListeningContext
        let hear: @Sendable (ServiceNews) -> Void

        init(bus: Bus, context: ListeningContext, hear: @escaping @Sendable (ServiceNews) -> Void) {
            (self.bus, self.context, self.hear) = (bus, context, hear)
        }

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
