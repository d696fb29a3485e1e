#if Libsecret
    import CSecret
    import Glibc
    import StoredValuesSupport

    /// The bus of the Secret Service.
    package enum Bus: Hashable, Sendable {
        /// The session bus of the environment.
        case session
        /// The bus at this D-Bus address, whatever the environment says.
        case address(String)

        /// The bus at `address`, or the session's.
        package init(_ address: String?) { self = address.map { .address($0) } ?? .session }

        /// The address to connect to, found without libsecret, which would try to launch a bus.
        ///
        /// Throws ``SecretServiceError/noSessionBus`` if the environment names none.
        package func resolve() throws(SecretServiceError) -> String {
            if case .address(let address) = self { return address }
            if let address = try environment("DBUS_SESSION_BUS_ADDRESS") { return address }
            guard let folder = try environment("XDG_RUNTIME_DIR"), isSocket("\(folder)/bus"),
                let escaped = g_dbus_address_escape_value("\(folder)/bus")
            else { throw .noSessionBus }
            defer { g_free(escaped) }
            return "unix:path=\(String(cString: escaped))"
        }
    }

    /// The value of an environment variable; nil if it is empty or not set. Throws if it is not UTF-8.
    private func environment(_ name: String) throws(SecretServiceError) -> String? {
        do { return try environmentVariable(name).flatMap { $0.isEmpty ? nil : $0 } } catch { throw .noSessionBus }
    }

    private func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

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
        ///
        /// A `descriptor` is passed on as the first argument, and always closed here.
        func call(
            _ method: String, of interface: String = "org.freedesktop.DBus", at path: ObjectPath = "/org/freedesktop/DBus",
            by destination: String = "org.freedesktop.DBus", handingOver descriptor: Int32? = nil, _ arguments: [Variant],
            reply type: String, _ cancellable: Cancellable?
        ) throws(SecretServiceError) -> Variant {
            let descriptors = descriptor.map { Reference(owning: g_unix_fd_list_new_from_array([$0], 1)!) }  // GObject aborts rather than return nil
            let parameters = Variant.tuple((descriptor == nil ? [] : [.descriptor(0)]) + arguments)
            let reply = Variant(
                owning: try checkedPointer {
                    g_dbus_connection_call_with_unix_fd_list_sync(
                        pointer, destination, path.text, interface, method, parameters.pointer, nil,
                        G_DBUS_CALL_FLAGS_NO_AUTO_START, Int32.max, descriptors?.pointer, nil, cancellable, $0
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

        /// The unique name of the owner of `name`, which the bus starts if there is none; nil if it cannot.
        func startedOwner(of name: String, _ cancellable: Cancellable) throws(SecretServiceError) -> String? {
            if let running = try owner(of: name, cancellable) { return running }
            do {
                _ = try call("StartServiceByName", [.string(name), .uint32(0)], reply: "(u)", cancellable)
            } catch .other {
                return nil
            }
            return try owner(of: name, cancellable)
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
