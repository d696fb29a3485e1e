#if Libsecret
    import CSecret

    extension Bus {
        /// A new connection to the bus. Throws `noSessionBus`, and `cancelled` when `cancellable` is.
        ///
        /// Not GLib's shared session bus: that one is found once per process, and may end the process when it closes.
        func connect(_ cancellable: Cancellable) throws(SecretServiceError) -> Reference<OpaquePointer> {
            SecretServiceError.registerNames()
            let address = try resolve()
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
    }
#endif
