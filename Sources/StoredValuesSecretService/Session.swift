#if Libsecret
    import CSecret
    import Dispatch
    import StoredValuesSupport
    import Synchronization

    /// What all keyrings on one bus share in this process: the connection, opened when it is first needed and again when
    /// the daemon or the bus was replaced.
    ///
    /// `@unchecked Sendable`: `connection` is touched on the service thread only, which `perform` checks.
    final class Session: @unchecked Sendable {
        private let bus: Bus
        private var connection: Connection?
        /// What the person is being asked.
        let question = OpenQuestion()
        /// Whether a daemon on this bus refused to encrypt secrets on their way.
        var hasBeenPlain: Bool { plain.load(ordering: .relaxed) }
        private let plain = Atomic(false)

        private init(_ bus: Bus) {
            self.bus = bus
        }

        private static let sessions = Guarded<[Bus: Session]>([:])

        /// The one session on `bus`.
        static func on(_ bus: Bus) -> Session {
            sessions.withLock { sessions in
                if let session = sessions[bus] { return session }
                let session = Session(bus)
                sessions[bus] = session
                return session
            }
        }

        /// Runs `body` with a connection, and again with a new one if the old one proved dead. That is done only where
        /// `body` has changed nothing: either the message was not heeded, or `body` had not begun to change. A reading
        /// that GDBus itself gave up goes on until the caller's own deadline.
        func perform<Result>(
            _ cancellable: Cancellable,
            _ body: (Connection, inout Progress) throws(SecretServiceError) -> Result
        ) throws(SecretServiceError) -> Result {
            dispatchPrecondition(condition: .onQueue(ServiceThread.calls))
            return try withContext { () throws(SecretServiceError) -> Result in
                var repairs = 0
                while true {
                    var progress = Progress.reading
                    do throws(SecretServiceError) {
                        let connection = try connected(cancellable)
                        defer { if connection.session.isPlain { plain.store(true, ordering: .relaxed) } }
                        return try body(connection, &progress)
                    } catch {
                        let isDead = error.isUndelivered || error.isBroken || error.isWithoutSession
                        if isDead { connection = nil }
                        let isUnchanged = error.isUndelivered || error.isWithoutSession || progress == .reading
                        if isUnchanged, error.isLimitOfGDBus, g_cancellable_is_cancelled(cancellable) == 0 { continue }
                        // Of KWallet's sessions one in a hundred is of no use, so there may be a second one.
                        if isUnchanged, isDead, repairs < (error.isWithoutSession ? 4 : 1) {
                            repairs += 1
                            continue
                        }
                        throw error.isUndelivered ? .noSecretService : error
                    }
                }
            }
        }

        private func connected(_ cancellable: Cancellable) throws(SecretServiceError) -> Connection {
            if let connection, !connection.isClosed { return connection }
            connection = nil
            let opened = try Connection(to: bus, cancellable)
            connection = opened
            return opened
        }
    }

    /// Whether a call may have changed something yet.
    enum Progress {
        case reading
        case changing
    }

    /// Runs `body` with a main context of this layer as the thread's default, and then empties it.
    ///
    /// GLib sends signals, and even the freeing of a subscription, to the context that was the default when it was made.
    /// In the process's main context they would pile up wherever no main loop runs.
    func withContext<Result>(
        _ body: () throws(SecretServiceError) -> Result
    ) throws(SecretServiceError) -> Result {
        g_main_context_push_thread_default(serviceContext)
        defer {
            while g_main_context_iteration(serviceContext, 0) != 0 {}
            g_main_context_pop_thread_default(serviceContext)
        }
        return try body()
    }

    // A pointer that is set once; the context itself is entered by the service thread only.
    private nonisolated(unsafe) let serviceContext = g_main_context_new()
#endif
