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

        /// The same for a method that takes a descriptor as its first argument, `descriptor`, and then `arguments`. The
        /// descriptor is closed here, whatever happens.
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

        /// The unique name of who owns `name`, or nil where nobody does. Starts nobody.
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

        /// Has the bus start the program that is to own `name`. Throws what the bus answers.
        func start(_ name: String, _ cancellable: Cancellable) throws(SecretServiceError) {
            _ = try call("StartServiceByName", [.string(name), .uint32(0)], reply: "(u)", cancellable)
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
