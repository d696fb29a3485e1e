#if Libsecret
    import CSecret

    /// A D-Bus method call.
    struct Message {
        var destination: String
        var path: String
        var interface: String
        var method: String
        var arguments: [Variant]

        /// A call to the bus itself.
        static func bus(_ method: String, _ arguments: [Variant]) -> Message {
            Message(
                destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
                method: method, arguments: arguments
            )
        }

        /// Sends the call and waits for the reply, as long as `cancellable` lets it; with none, for ever.
        func send(on bus: OpaquePointer, _ cancellable: Cancellable?) throws(SecretServiceError) -> Variant {
            let parameters = Variant.tuple(arguments)
            return Variant(
                owning: try checkedPointer {
                    g_dbus_connection_call_sync(
                        bus, destination, path, interface, method, parameters.pointer, nil,
                        G_DBUS_CALL_FLAGS_NO_AUTO_START, Int32.max, cancellable, $0
                    )
                }
            )
        }

        /// Sends the call and does not wait for what comes of it.
        func sendAndForget(on bus: OpaquePointer) {
            let parameters = Variant.tuple(arguments)
            g_dbus_connection_call(
                bus, destination, path, interface, method, parameters.pointer, nil,
                G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, nil, nil, nil
            )
        }
    }
#endif
