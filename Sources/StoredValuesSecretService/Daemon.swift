#if Libsecret
    import CSecret

    /// A daemon that provides the Secret Service, by the unique name that it had on its bus when it was found.
    ///
    /// When it goes, messages to it fail with `isUndelivered` or `isBroken`; another one has another name.
    ///
    /// gnome-keyring may serve the first message of a caller before it has noted that there is a new one. To `ReadAlias` it then
    /// answers that there is no such collection, to `SearchItems` that it has no such method, and a `Get` or `OpenSession` ends
    /// it (seen with 42.1, of 2,000 callers one; Debian's bug 1147303 is of 50.0). So the first message is one of the first
    /// two, and both are repeated.
    struct Daemon: Sendable {
        let bus: Reference<OpaquePointer>
        /// The unique name.
        let name: String

        /// The name that every Secret Service owns.
        static let wellKnownName = "org.freedesktop.secrets"

        /// The daemon on `bus`, which is started if it is not there and the bus can. Throws `noSecretService`.
        static func find(
            on bus: Reference<OpaquePointer>, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Daemon {
            if let running = try running(on: bus, cancellable) { return running }
            let activatable = try Message.bus("ListActivatableNames", [], reply: "(as)").send(on: bus.pointer, cancellable)
            guard activatable.child(0).strings.contains(wellKnownName) else { throw .noSecretService }
            do {
                _ = try Message.bus("StartServiceByName", [.string(wellKnownName), .uint32(0)], reply: "(u)")
                    .send(on: bus.pointer, cancellable)
            } catch .other {
                throw .noSecretService  // it can be started by name only: whatever failed, it is not there
            }
            guard let started = try running(on: bus, cancellable) else { throw .noSecretService }
            return started
        }

        /// The daemon on `bus`, if one is there. Starts none.
        static func running(
            on bus: Reference<OpaquePointer>, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Daemon? {
            do throws(SecretServiceError) {
                let reply = try Message.bus("GetNameOwner", [.string(wellKnownName)], reply: "(s)")
                    .send(on: bus.pointer, cancellable)
                let name = reply.child(0).string
                guard g_dbus_is_unique_name(name) != 0 else {
                    throw .wrongAnswer(to: "GetNameOwner", type: "no unique name", expected: "one")
                }
                return Daemon(bus: bus, name: name)
            } catch where error.isUndelivered {
                return nil
            }
        }

        /// Whether it owns `name` too, which tells which program it is.
        func owns(_ name: String, _ cancellable: Cancellable?) throws(SecretServiceError) -> Bool {
            do {
                let owner = try Message.bus("GetNameOwner", [.string(name)], reply: "(s)").send(on: bus.pointer, cancellable)
                return owner.child(0).string == self.name
            } catch where error.isUndelivered {
                return false
            }
        }

        /// Sends `method` of the service's main object and returns the reply, which is of the type `reply`.
        func callService(
            _ method: String, _ arguments: [Variant], reply: String, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Variant {
            try send(
                method, of: "org.freedesktop.Secret.Service", at: "/org/freedesktop/secrets", arguments, reply: reply,
                cancellable)
        }

        /// Sends `method` of the service's `interface` at `path` and returns the reply, which is of the type `reply`.
        func send(
            _ method: String, of interface: String, at path: ObjectPath, _ arguments: [Variant], reply: String,
            _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Variant {
            try Message(
                destination: name, path: path, interface: interface, method: method, arguments: arguments, reply: reply
            ).send(on: bus.pointer, cancellable)
        }

        /// The property `name` of the object at `path`, which is of `type`.
        func property(
            _ name: String, of interface: String, at path: ObjectPath, _ type: String, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Variant {
            let arguments = [Variant.string(interface), .string(name)]
            return try send("Get", of: "org.freedesktop.DBus.Properties", at: path, arguments, reply: "(v)", cancellable)
                .child(0).checked(type, as: name)
        }
    }
#endif
