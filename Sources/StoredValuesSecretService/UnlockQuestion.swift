#if Libsecret
    import CSecret

    /// The question whether to unlock, put to the person.
    struct UnlockQuestion: Sendable {
        /// On the connection that calls use: KeePassXC lets only the connection have an item that asked for it.
        let daemon: Daemon
        /// What is to be unlocked: collections, items.
        let paths: [ObjectPath]

        /// Asks, and waits for the answer. Throws `dismissed`, `noSecretService` when the daemon or its bus goes meanwhile, and
        /// `cancelled` when `cancellable` is; then the question is taken away where that can be done.
        func ask(_ cancellable: Cancellable) throws(SecretServiceError) {
            guard let prompt = try daemon.beginUnlocking(paths, cancellable) else { return }
            do {
                try prompt.perform(cancellable)
            } catch .cancelled {
                prompt.dismissIfSafe()
                throw .cancelled
            }
        }
    }
#endif
