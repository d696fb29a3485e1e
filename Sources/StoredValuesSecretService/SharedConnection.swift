#if Libsecret
    import CSecret
    import Dispatch
    import StoredValuesSupport
    import Synchronization

    /// The state shared by all keyrings on one bus in this process: the connection, opened when it is first needed and again
    /// after the daemon or the bus was replaced.
    ///
    /// `@unchecked Sendable`: `connection` is used only on the service thread, which `perform` checks.
    final class SharedConnection: @unchecked Sendable {
        private let bus: Bus
        private var connection: DaemonConnection?
        /// The prompt that is currently shown to the user.
        let prompt = OpenPrompt()
        /// Whether a daemon on this bus refused to encrypt secrets in transit.
        fileprivate let hasBeenPlain = Atomic(false)

        private init(_ bus: Bus) { self.bus = bus }

        private static let byBus = Guarded<[Bus: SharedConnection]>([:])

        /// The shared instance for `bus`.
        static func to(_ bus: Bus) -> SharedConnection {
            byBus.withLock { byBus in
                if let shared = byBus[bus] { return shared }
                let shared = SharedConnection(bus)
                byBus[bus] = shared
                return shared
            }
        }

        /// Runs `body` with the connection, and again if ``Repetition`` permits it and nothing was changed: either the message
        /// had no effect, or `body` had not set `isChanging`, as it does before it changes anything.
        func perform<Result>(
            _ cancellable: Cancellable,
            _ body: (DaemonConnection, _ isChanging: inout Bool) throws(SecretServiceError) -> Result
        ) throws(SecretServiceError) -> Result {
            dispatchPrecondition(condition: .onQueue(ServiceThread.calls))
            return try withContext { () throws(SecretServiceError) -> Result in
                var repetition = Repetition()
                while true {
                    var isChanging = false
                    do throws(SecretServiceError) {
                        let connection = try connected(cancellable)
                        defer { if connection.session.isPlain { hasBeenPlain.store(true, ordering: .relaxed) } }
                        return try body(connection, &isChanging)
                    } catch {
                        if error.isOfDeadConnection { connection = nil }
                        guard error.hadNoEffect || !isChanging, g_cancellable_is_cancelled(cancellable) == 0, repetition.mayHelp(after: error) else { throw error }
                    }
                }
            }
        }

        private func connected(_ cancellable: Cancellable) throws(SecretServiceError) -> DaemonConnection {
            if let connection, !connection.daemon.bus.isClosed { return connection }
            connection = nil
            let opened = try DaemonConnection(to: bus, cancellable)
            connection = opened
            return opened
        }
    }

    extension Bus {
        /// Whether a service on this bus has refused to encrypt secrets in transit.
        package var hasPlainSession: Bool { SharedConnection.to(self).hasBeenPlain.load(ordering: .relaxed) }
    }

    /// How often a call is repeated. All repetitions share one deadline.
    private struct Repetition {
        private var connections = 0
        private var searches = 0

        mutating func mayHelp(after error: SecretServiceError) -> Bool {
            // When GDBus gives up, the call is repeated until the caller's own deadline.
            if error.isLimitOfGDBus { return true }
            if error.isMissingObject {  // an item was removed between finding and using it, or the service did not know us yet
                searches += 1
                return searches <= 2
            }
            guard error.isOfDeadConnection else { return false }
            connections += 1
            // One in a hundred KWallet sessions is unusable, so a second attempt may fail too.
            return connections <= (error.isWithoutSession ? 4 : 1)
        }
    }

    extension SecretServiceError {
        /// Only a new connection can help.
        fileprivate var isOfDeadConnection: Bool { isUndelivered || isBroken || isWithoutSession }

        /// The message that it answers had no effect.
        fileprivate var hadNoEffect: Bool { isUndelivered || isWithoutSession || isMissingObject }
    }
#endif
