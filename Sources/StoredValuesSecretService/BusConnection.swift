#if Libsecret
    import CSecret

    /// A connection to a bus. Thread-safe.
    struct BusConnection: Sendable {
        private let connection: Reference<OpaquePointer>

        /// The connection for GDBus.
        var pointer: OpaquePointer { connection.pointer }

        /// Whether the bus is closed.
        var isClosed: Bool { g_dbus_connection_is_closed(pointer) != 0 }

        /// Connects to `bus`. Throws `noSessionBus`, and `cancelled` when `cancellable` is.
        ///
        /// Not GLib's shared session bus: that is looked up once per process, and may exit the process when it closes.
        init(to bus: Bus, _ cancellable: Cancellable) throws(SecretServiceError) {
            try requireRoom(isConnecting: true)
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

        /// Sends `method` to `destination`, by default the bus itself, and waits for the reply until `cancellable` is
        /// cancelled; without one, for ever. Throws if the reply does not have the D-Bus type `reply`.
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

        /// The same for a method whose first argument is a file descriptor, `descriptor`, followed by `arguments`. The
        /// descriptor is always closed here.
        func call(
            _ method: String, of interface: String, at path: ObjectPath, by destination: String, handingOver descriptor: Int32,
            _ arguments: [Variant], reply type: String, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Variant {
            let descriptors = Reference(owning: g_unix_fd_list_new_from_array([descriptor], 1)!)  // GObject aborts rather than return nil
            let parameters = Variant.tuple([.descriptor(0)] + arguments)
            let reply = Variant(
                owning: try checkedPointer {
                    g_dbus_connection_call_with_unix_fd_list_sync(
                        pointer, destination, path.text, interface, method, parameters.pointer, nil,
                        G_DBUS_CALL_FLAGS_NO_AUTO_START, Int32.max, descriptors.pointer, nil, cancellable, $0
                    )
                }
            )
            return try reply.checked(type, as: method)
        }

        /// The unique name of this connection.
        var name: String? { g_dbus_connection_get_unique_name(pointer).map { String(cString: $0) } }

        /// The unique name of the owner of `name`, or nil if there is none. Starts no program.
        func owner(of name: String, _ cancellable: Cancellable?) throws(SecretServiceError) -> String? {
            do throws(SecretServiceError) {
                let owner = try call("GetNameOwner", [.string(name)], reply: "(s)", cancellable).child(0).string
                guard g_dbus_is_unique_name(owner) != 0 else {
                    throw .wrongAnswer(to: "GetNameOwner", type: "no unique name", expected: "one")
                }
                return owner
            } catch where error.isUndelivered {
                return nil
            }
        }

        /// Makes the bus start the program that owns `name`. Throws errors of the bus.
        func start(_ name: String, _ cancellable: Cancellable) throws(SecretServiceError) {
            _ = try call("StartServiceByName", [.string(name), .uint32(0)], reply: "(u)", cancellable)
        }

        /// Sends `method` to `destination` without waiting for a reply.
        func send(_ method: String, of interface: String, at path: ObjectPath, to destination: String) {
            let parameters = Variant.tuple([])
            g_dbus_connection_call(
                pointer, destination, path.text, interface, method, parameters.pointer, nil,
                G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, nil, nil, nil
            )
        }
    }
#endif
