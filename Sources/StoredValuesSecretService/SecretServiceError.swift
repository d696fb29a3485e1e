#if Libsecret
    /// Why the Secret Service gave no answer. Every failure of this layer is one of these; none contains a secret.
    package enum SecretServiceError: Error, Hashable, Sendable {
        /// No session bus: none is named, or the named one does not answer.
        case noSessionBus
        /// No program on the bus owns `org.freedesktop.secrets`, and none can be started.
        case noSecretService
        /// There is no default collection, or it no longer exists.
        case noDefaultCollection
        /// The collection or a matching item is locked.
        case locked
        /// The user dismissed the prompt to unlock.
        case dismissed
        /// The service refused, or would prompt the user first.
        case accessDenied
        /// This time passed, in the queue or on the bus.
        case timedOut(after: Duration)
        /// The calling task was cancelled.
        case cancelled
        /// Another error, in GLib's words.
        case other(domain: String, code: Int, message: String)
    }
#endif
