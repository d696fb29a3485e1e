#if Libsecret
    import CSecret

    /// A daemon that provides the Secret Service, by the unique name that it had on its bus when it was found.
    ///
    /// When it goes, messages to it fail with `isUndelivered` or `isBroken`; another one has another name.
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
            let activatable = try Message.bus("ListActivatableNames", []).send(on: bus.pointer, cancellable)
            guard activatable.child(0).strings.contains(wellKnownName) else { throw .noSecretService }
            do {
                _ = try Message.bus("StartServiceByName", [.string(wellKnownName), .uint32(0)])
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
            do {
                let reply = try Message.bus("GetNameOwner", [.string(wellKnownName)]).send(on: bus.pointer, cancellable)
                return Daemon(bus: bus, name: reply.child(0).string)
            } catch where error.isUndelivered {
                return nil
            }
        }

        /// Whether it owns `name` too, which tells which program it is.
        func owns(_ name: String, _ cancellable: Cancellable?) throws(SecretServiceError) -> Bool {
            do {
                let owner = try Message.bus("GetNameOwner", [.string(name)]).send(on: bus.pointer, cancellable)
                return owner.child(0).string == self.name
            } catch where error.isUndelivered {
                return false
            }
        }

        /// Asks the service itself.
        ///
        /// gnome-keyring now and then serves the first call of a connection before it has noted that there is a new caller. It
        /// then finds no collection, says of a search that it has no such method, and ends itself when it is asked for a
        /// property (seen: 42.1, of 2,000 connections one; Debian's bug 1147303). So a connection begins with a search or
        /// with the question for the default collection, and these two are asked again where nothing came of it.
        func ask(
            _ method: String, _ arguments: [Variant], _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Variant {
            try send(method, of: "org.freedesktop.Secret.Service", at: "/org/freedesktop/secrets", arguments, cancellable)
        }

        /// Sends `method` of the service's `interface` at `path` and returns the reply.
        func send(
            _ method: String, of interface: String, at path: String, _ arguments: [Variant], _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Variant {
            try Message(destination: name, path: path, interface: interface, method: method, arguments: arguments)
                .send(on: bus.pointer, cancellable)
        }
    }
#endif
