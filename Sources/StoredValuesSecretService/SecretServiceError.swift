#if Libsecret
    /// Why the Secret Service gave no answer. Every failure of this layer is one of these; none carries a secret.
    package enum SecretServiceError: Error, Hashable, Sendable {
        /// No session bus: none is named, or the one that is named does not answer.
        case noSessionBus
        /// Nobody on the bus owns `org.freedesktop.secrets`, and nobody can be started to.
        case noSecretService
        /// There is no default collection, or it is gone.
        case noDefaultCollection
        /// The collection or an item that matches is locked.
        case locked
        /// The person closed the question whether to unlock.
        case dismissed
        /// The service refused, or would ask the person before it does what was asked.
        case accessDenied
        /// This time passed, in the queue or on the bus.
        case timedOut(after: Duration)
        /// The calling task was cancelled.
        case cancelled
        /// Anything else, as GLib put it.
        case other(domain: String, code: Int, message: String)
    }
#endif
