#if Libsecret
    import CSecret

    /// A D-Bus method call.
    struct Message {
        var destination: String
        var path: ObjectPath
        var interface: String
        var method: String
        var arguments: [Variant]
        /// The type of the reply, as D-Bus writes it.
        var reply: String

        /// A call to the bus itself.
        static func bus(_ method: String, _ arguments: [Variant], reply: String) -> Message {
            Message(
                destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
                method: method, arguments: arguments, reply: reply
            )
        }

        /// Sends the call and waits for the reply, as long as `cancellable` lets it; with none, for ever. Throws what says so
        /// where the reply is of another type.
        func send(on bus: OpaquePointer, _ cancellable: Cancellable?) throws(SecretServiceError) -> Variant {
            let parameters = Variant.tuple(arguments)
            let reply = Variant(
                owning: try checkedPointer {
                    g_dbus_connection_call_sync(
                        bus, destination, path.text, interface, method, parameters.pointer, nil,
                        G_DBUS_CALL_FLAGS_NO_AUTO_START, Int32.max, cancellable, $0
                    )
                }
            )
            return try reply.checked(self.reply, as: method)
        }

        /// Sends the call and does not wait for what comes of it.
        func sendAndForget(on bus: OpaquePointer) {
            let parameters = Variant.tuple(arguments)
            g_dbus_connection_call(
                bus, destination, path.text, interface, method, parameters.pointer, nil,
                G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, nil, nil, nil
            )
        }
    }
#endif
