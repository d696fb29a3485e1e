#if Libsecret
    import CSecret

    /// A connection to one Secret Service daemon: the bus, the daemon and libsecret's session with it.
    ///
    /// It is bound to the daemon that was there when it was opened. When that one goes, calls fail with
    /// `isUndelivered` or `isBroken`, and `Session` opens another. Used on the service thread only.
    final class Connection {
        let bus: Reference<OpaquePointer>
        let daemon: Daemon
        let service: Reference<UnsafeMutablePointer<CSecret.SecretService>>
        /// Items that calls found locked; ``ItemStore/unlock(asking:)`` asks for them.
        var lockedItems: Set<String> = []

        /// Connects to `bus` and to the Secret Service on it, starting one if the bus can.
        ///
        /// Throws `noSessionBus` and `noSecretService`.
        init(to bus: Bus, _ cancellable: Cancellable) throws(SecretServiceError) {
            SecretServiceError.registerNames()
            self.bus = try bus.connect(cancellable)
            daemon = try Daemon.find(on: self.bus, cancellable)
            let (connection, name) = (self.bus.pointer, daemon.name)
            service = Reference(
                owning: try checkedPointer { stored_values_service_new(quietService, connection, name, cancellable, $0) }
            )
        }
    }
#endif
