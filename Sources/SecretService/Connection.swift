#if Libsecret
    import CSecret

    /// A connection to one Secret Service daemon: the bus, the daemon's unique name and libsecret's session with it.
    ///
    /// It is bound to the daemon that was there when it was opened. When that one goes, calls fail with
    /// `isUndelivered` or `isBroken`, and `Session` opens another. Used on the service thread only.
    final class Connection {
        let bus: Reference<OpaquePointer>
        /// The daemon's unique name.
        let daemon: String
        let service: Reference<UnsafeMutablePointer<CSecret.SecretService>>

        static let wellKnownName = "org.freedesktop.secrets"

        /// Connects to `bus` and to the Secret Service on it, starting one if the bus can.
        ///
        /// Throws `noSessionBus` and `noSecretService`.
        init(to bus: Bus, _ cancellable: Cancellable) throws(SecretServiceError) {
            self.bus = try Connection.connect(to: try bus.resolve(), cancellable)
            daemon = try Connection.findDaemon(on: self.bus.pointer, cancellable)
            let (connection, daemon) = (self.bus.pointer, daemon)
            service = Reference(
                owning: try checkedPointer { stored_values_service_new(quietService, connection, daemon, cancellable, $0) }
            )
        }

        /// Not GLib's shared session bus: that one is found once per process, and may end the process when it closes.
        private static func connect(
            to address: String, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Reference<OpaquePointer> {
            let flags = GDBusConnectionFlags(
                rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                    | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
            )
            let bus: OpaquePointer
            do {
                bus = try checkedPointer { g_dbus_connection_new_for_address_sync(address, flags, nil, cancellable, $0) }
            } catch {
                throw g_cancellable_is_cancelled(cancellable) != 0 ? .cancelled : .noSessionBus
            }
            g_dbus_connection_set_exit_on_close(bus, 0)
            return Reference(owning: bus)
        }

        private static func findDaemon(
            on bus: OpaquePointer, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> String {
            if let owner = try owner(on: bus, cancellable) { return owner }
            let activatable = try Message.bus("ListActivatableNames", []).send(on: bus, cancellable)
            guard activatable.child(0).strings.contains(wellKnownName) else { throw .noSecretService }
            do {
                _ = try Message.bus("StartServiceByName", [.string(wellKnownName), .uint32(0)]).send(on: bus, cancellable)
            } catch .other {
                throw .noSecretService  // it can be started by name only: whatever failed, it is not there
            }
            guard let owner = try owner(on: bus, cancellable) else { throw .noSecretService }
            return owner
        }

        private static func owner(
            on bus: OpaquePointer, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> String? {
            do {
                return try Message.bus("GetNameOwner", [.string(wellKnownName)]).send(on: bus, cancellable).child(0).string
            } catch where error.isUndelivered {
                return nil
            }
        }

        /// Sends `method` of the service's `interface` at `path` and returns the reply.
        func send(
            _ method: String, of interface: String, at path: String, _ arguments: [Variant], _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Variant {
            try Message(destination: daemon, path: path, interface: interface, method: method, arguments: arguments)
                .send(on: bus.pointer, cancellable)
        }
    }
#endif
