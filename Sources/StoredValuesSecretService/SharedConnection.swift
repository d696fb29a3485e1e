#if Libsecret
    import CSecret
    import Dispatch
    import StoredValuesSupport
    import Synchronization

    /// What all keyrings on one bus share in this process: the connection, opened when it is first needed and again when
    /// the daemon or the bus was replaced.
    ///
    /// `@unchecked Sendable`: `connection` is touched on the service thread only, which `perform` checks.
    final class SharedConnection: @unchecked Sendable {
        private let bus: Bus
        private var connection: DaemonConnection?
        /// What the user is being asked.
        let question = OpenQuestion()
        /// Whether a daemon on this bus refused to encrypt secrets on their way.
        var hasBeenPlain: Bool { plain.load(ordering: .relaxed) }
        private let plain = Atomic(false)

        private init(_ bus: Bus) { self.bus = bus }

        private static let byBus = Guarded<[Bus: SharedConnection]>([:])

        /// The one to `bus`.
        static func to(_ bus: Bus) -> SharedConnection {
            byBus.withLock { byBus in
                if let shared = byBus[bus] { return shared }
                let shared = SharedConnection(bus)
                byBus[bus] = shared
                return shared
            }
        }

        /// Runs `body` with the connection, and again where ``Repetition`` says so and nothing was changed: either the message
        /// was not heeded, or `body` had not begun to change.
        func perform<Result>(
            _ cancellable: Cancellable,
            _ body: (DaemonConnection, inout Progress) throws(SecretServiceError) -> Result
        ) throws(SecretServiceError) -> Result {
            dispatchPrecondition(condition: .onQueue(ServiceThread.calls))
            return try withContext { () throws(SecretServiceError) -> Result in
                var repetition = Repetition()
                while true {
                    var progress = Progress.reading
                    do throws(SecretServiceError) {
                        let connection = try connected(cancellable)
                        defer { if connection.session.isPlain { plain.store(true, ordering: .relaxed) } }
                        return try body(connection, &progress)
                    } catch {
                        if error.isOfDeadConnection { connection = nil }
                        let isUnchanged = error.isUnheeded || progress == .reading
                        guard isUnchanged, g_cancellable_is_cancelled(cancellable) == 0, repetition.mayHelp(after: error) else {
                            throw error.isUndelivered ? .noSecretService : error
                        }
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

    /// Whether a call may have changed something yet.
    enum Progress {
        case reading
        case changing
    }

    /// How often a call begins anew. All of it is one call, which ends at its deadline.
    private struct Repetition {
        private var connections = 0
        private var searches = 0

        mutating func mayHelp(after error: SecretServiceError) -> Bool {
            // What GDBus itself gave up goes on until the caller's own deadline.
            if error.isLimitOfGDBus { return true }
            if error.isMissingObject {  // an item went between finding it and using it, or the service did not know us yet
                searches += 1
                return searches <= 2
            }
            guard error.isOfDeadConnection else { return false }
            connections += 1
            // Of KWallet's sessions one in a hundred is of no use, so there may be a second one.
            return connections <= (error.isWithoutSession ? 4 : 1)
        }
    }

    extension SecretServiceError {
        /// Only a new connection can help.
        fileprivate var isOfDeadConnection: Bool { isUndelivered || isBroken || isWithoutSession }

        /// The message it answers has changed nothing.
        fileprivate var isUnheeded: Bool { isUndelivered || isWithoutSession || isMissingObject }
    }
#endif
