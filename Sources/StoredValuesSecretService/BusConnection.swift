#if Libsecret
    import CSecret
    import Glibc
    import StoredValuesSupport

    /// The bus of the Secret Service.
    package struct Bus: Hashable, Sendable {
        private let address: String?

        /// The bus at this D-Bus address, whatever the environment says; nil is the session bus of the environment.
        package init(_ address: String?) { self.address = address }

        /// Found without libsecret, which would try to launch a bus. Throws `noSessionBus` if the environment names none.
        package func resolve() throws(SecretServiceError) -> String {
            if let address { return address }
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

    /// A connection to a bus. Thread-safe. Its calls wait without limit, until the thread's ``Cancellation`` ends them.
    struct BusConnection: Sendable {
        private let connection: Reference<OpaquePointer>

        var pointer: OpaquePointer { connection.pointer }
        var isClosed: Bool { g_dbus_connection_is_closed(pointer) != 0 }

        /// The unique name of this connection.
        var name: String? { g_dbus_connection_get_unique_name(pointer).map { String(cString: $0) } }

        /// Throws `noSessionBus` and `cancelled`. Not GLib's shared session bus, which is looked up once per process, and may exit it.
        init(to bus: Bus) throws(SecretServiceError) {
            try requireRoom(isConnecting: true)
            SecretServiceError.registerNames()
            let address = try bus.resolve()
            let (client, onBus) = (G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION)
            let flags = GDBusConnectionFlags(rawValue: client.rawValue | onBus.rawValue)
            do {
                let new = try checkedPointer { g_dbus_connection_new_for_address_sync(address, flags, nil, Cancellation.current, $0) }
                connection = Reference(owning: new)
            } catch {
                throw Cancellation.isCurrentCancelled ? .cancelled : .noSessionBus
            }
            g_dbus_connection_set_exit_on_close(pointer, 0)
        }

        /// Sends `method` to `destination`, by default the bus itself, and waits for the reply, whose D-Bus type must be `reply`. A
        /// `descriptor` is passed on as the first argument, and always closed here.
        func call(
            _ method: String, of interface: String = "org.freedesktop.DBus", at path: ObjectPath = "/org/freedesktop/DBus",
            by destination: String = "org.freedesktop.DBus", handingOver descriptor: Int32? = nil, _ arguments: [Variant],
            reply type: String
        ) throws(SecretServiceError) -> Variant {
            let descriptors = descriptor.map { Reference(owning: g_unix_fd_list_new_from_array([$0], 1)!) }  // GObject aborts rather than return nil
            let parameters = Variant.tuple((descriptor == nil ? [] : [.descriptor(0)]) + arguments)
            let reply = try checkedPointer {
                g_dbus_connection_call_with_unix_fd_list_sync(
                    pointer, destination, path.text, interface, method, parameters.pointer, nil,
                    G_DBUS_CALL_FLAGS_NO_AUTO_START, Int32.max, descriptors?.pointer, nil, Cancellation.current, $0)
            }
            return try Variant(owning: reply).checked(type, as: method)
        }

        /// The unique name of the owner of `name`, or nil if there is none. Starts no program.
        func owner(of name: String) throws(SecretServiceError) -> String? {
            do throws(SecretServiceError) {
                let owner = try call("GetNameOwner", [.string(name)], reply: "(s)").child(0).string
                guard g_dbus_is_unique_name(owner) != 0 else {
                    throw .wrongAnswer(to: "GetNameOwner", type: "no unique name", expected: "one")
                }
                return owner
            } catch let error where error.isUndelivered {
                return nil
            }
        }

        /// The unique name of the owner of `name`, which the bus starts if there is none; nil if it cannot.
        func startedOwner(of name: String) throws(SecretServiceError) -> String? {
            if let running = try owner(of: name) { return running }
            do { _ = try call("StartServiceByName", [.string(name), .uint32(0)], reply: "(u)") } catch .other { return nil }
            return try owner(of: name)
        }

        /// Does not wait for a reply.
        func send(_ method: String, of interface: String, at path: ObjectPath, to destination: String) {
            g_dbus_connection_call(
                pointer, destination, path.text, interface, method, nil, nil, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, nil, nil, nil)
        }
    }

    /// A subscription to signals, as long as this exists.
    final class SignalSubscription {
        private let bus: BusConnection
        private let number: guint

        /// Calls `handle` with the member and the parameters, whose type is up to the sender, of each matching signal, on the thread
        /// that iterates what was the default main context when this was created. `argument` is the signal's first one.
        init(
            on bus: BusConnection, to interface: String, of sender: String, member: String? = nil,
            path: String? = nil, argument: String? = nil, _ handle: @escaping (String, Variant) -> Void
        ) {
            self.bus = bus
            number = g_dbus_connection_signal_subscribe(
                bus.pointer, sender, interface, member, path, argument, G_DBUS_SIGNAL_FLAGS_NONE,
                { _, _, _, _, member, parameters, handler in
                    guard let member, let parameters, let handler else { return }
                    Unmanaged<Handler>.fromOpaque(handler).takeUnretainedValue()
                        .handle(String(cString: member), Variant(owning: g_variant_ref(parameters)))
                },
                // GLib keeps one count until the subscription is freed, so the pointer outlives every signal.
                Unmanaged.passRetained(Handler(handle)).toOpaque(),
                { Unmanaged<Handler>.fromOpaque($0!).release() }
            )
        }

        deinit { g_dbus_connection_signal_unsubscribe(bus.pointer, number) }

        /// Calls `handle` with the new owner of `name`, or with nil if there is none any more.
        static func owner(of name: String, on bus: BusConnection, _ handle: @escaping (String?) -> Void) -> SignalSubscription {
            SignalSubscription(
                on: bus, to: "org.freedesktop.DBus", of: "org.freedesktop.DBus", member: "NameOwnerChanged", argument: name
            ) { _, parameters in
                guard parameters.has(type: "(sss)") else { return }
                let owner = parameters.child(2).string
                handle(g_dbus_is_unique_name(owner) != 0 ? owner : nil)
            }
        }

        private final class Handler {
            let handle: (String, Variant) -> Void
            init(_ handle: @escaping (String, Variant) -> Void) { self.handle = handle }
        }
    }
#endif
