#if Libsecret
    import CSecret

    /// A connection to a bus, and how messages go over it. Safe to use from any thread.
    struct BusConnection: Sendable {
        private let connection: Reference<OpaquePointer>

        /// The connection, as GDBus takes it.
        var pointer: OpaquePointer { connection.pointer }

        /// Whether the bus has gone.
        var isClosed: Bool { g_dbus_connection_is_closed(pointer) != 0 }

        /// Connects to `bus`. Throws `noSessionBus`, and `cancelled` when `cancellable` is.
        ///
        /// Not GLib's shared session bus: that one is found once per process, and may end the process when it closes.
        init(to bus: Bus, _ cancellable: Cancellable) throws(SecretServiceError) {
            SecretServiceError.registerNames()
            let address = try bus.resolve()
            let flags = GDBusConnectionFlags(
                rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                    | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
            )
            do {
                connection = Reference(
                    owning: try checkedPointer { g_dbus_connection_new_for_address_sync(address, flags, nil, cancellable, $0) })
            } catch {
                throw g_cancellable_is_cancelled(cancellable) != 0 ? .cancelled : .noSessionBus
            }
            g_dbus_connection_set_exit_on_close(pointer, 0)
        }

        /// Sends `method` to `destination`, by default the bus itself, and waits for the reply, as long as `cancellable` lets it;
        /// with none, for ever. Throws what says so where the reply is not of the type `reply`, as D-Bus writes it.
        func call(
            _ method: String, of interface: String = "org.freedesktop.DBus", at path: ObjectPath = "/org/freedesktop/DBus",
            by destination: String = "org.freedesktop.DBus", _ arguments: [Variant], reply type: String,
            _ cancellable: Cancellable?
        ) throws(SecretServiceError) -> Variant {
            let parameters = Variant.tuple(arguments)
            let reply = Variant(
                owning: try checkedPointer {
                    g_dbus_connection_call_sync(
                        pointer, destination, path.text, interface, method, parameters.pointer, nil,
                        G_DBUS_CALL_FLAGS_NO_AUTO_START, Int32.max, cancellable, $0
                    )
                }
            )
            return try reply.checked(type, as: method)
        }

        /// Sends `method` to `destination` and does not wait for what comes of it.
        func send(_ method: String, of interface: String, at path: ObjectPath, to destination: String) {
            let parameters = Variant.tuple([])
            g_dbus_connection_call(
                pointer, destination, path.text, interface, method, parameters.pointer, nil,
                G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, nil, nil, nil
            )
        }
    }
#endif
