#if Libsecret
    import CSecret

    /// The question whether to unlock, put to the person.
    struct UnlockQuestion: Sendable {
        let bus: Bus
        /// What is to be unlocked.
        let paths: [String]

        /// Asks, and waits for the answer. Throws `dismissed`, `cancelled` when `cancellable` is, and what connecting throws.
        ///
        /// On a connection of its own, which is closed at the end: that takes a question away which nobody waits for any
        /// more, where the service can do that. Of gnome-keyring it stays until the person answers; see ``Prompt``.
        func ask(_ cancellable: Cancellable) throws(SecretServiceError) {
            let connection = try bus.connect(cancellable)
            defer { g_dbus_connection_close_sync(connection.pointer, nil, nil) }
            let daemon = try Daemon.find(on: connection, cancellable)
            try daemon.beginUnlocking(paths, cancellable)?.perform(cancellable)
        }
    }
#endif
