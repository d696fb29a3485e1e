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
        let bus: BusConnection
        /// The unique name.
        let name: String

        /// The name that every Secret Service owns.
        static let wellKnownName = "org.freedesktop.secrets"

        /// The daemon on `bus`, which is started if it is not there and the bus can. Throws `noSecretService`.
        static func find(on bus: BusConnection, _ cancellable: Cancellable) throws(SecretServiceError) -> Daemon {
            if let running = try running(on: bus, cancellable) { return running }
            guard try canBeStarted(on: bus, cancellable) else { throw .noSecretService }
            do {
                try bus.start(wellKnownName, cancellable)
            } catch .other {
                throw .noSecretService  // it can be started by name only: whatever failed, it is not there
            }
            guard let started = try running(on: bus, cancellable) else { throw .noSecretService }
            return started
        }

        /// The daemon on `bus`, if one is there. Starts none.
        static func running(on bus: BusConnection, _ cancellable: Cancellable) throws(SecretServiceError) -> Daemon? {
            try bus.owner(of: wellKnownName, cancellable).map { Daemon(bus: bus, name: $0) }
        }

        /// Whether `bus` can start one.
        static func canBeStarted(on bus: BusConnection, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            try bus.call("ListActivatableNames", [], reply: "(as)", cancellable).child(0).strings.contains(wellKnownName)
        }

        /// Whether it owns `name` too, which tells which program it is.
        func owns(_ name: String, _ cancellable: Cancellable?) throws(SecretServiceError) -> Bool {
            try bus.owner(of: name, cancellable) == self.name
        }

        /// Calls `method` of the service's `interface` at `path`, by default of its main object, and returns the reply,
        /// which is of the type `reply`.
        func call(
            _ method: String, of interface: String = "org.freedesktop.Secret.Service",
            at path: ObjectPath = "/org/freedesktop/secrets", _ arguments: [Variant], reply: String, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Variant {
            try bus.call(method, of: interface, at: path, by: name, arguments, reply: reply, cancellable)
        }

        /// The property `name` of the object at `path`, which is of `type`.
        func property(
            _ name: String, of interface: String, at path: ObjectPath, _ type: String, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Variant {
            let arguments = [Variant.string(interface), .string(name)]
            return try call("Get", of: "org.freedesktop.DBus.Properties", at: path, arguments, reply: "(v)", cancellable)
                .child(0).checked(type, as: name)
        }
    }

    // The default collection and its lock.
    extension Daemon {
        /// The path of the default collection. Throws `noDefaultCollection` where there is none.
        func defaultCollection(_ cancellable: Cancellable) throws(SecretServiceError) -> ObjectPath {
            for _ in 1...2 {  // `Daemon` tells why
                do {
                    let path = try call("ReadAlias", [.string("default")], reply: "(o)", cancellable).child(0).path
                    if path != .nowhere { return path }
                } catch where error.isMissingObject {}  // it has its name already, and no objects yet
            }
            throw .noDefaultCollection
        }

        /// Whether the collection says that it is locked. KWallet says so until it is first used, though it is open.
        func isLocked(_ collection: ObjectPath, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            do {
                return try property("Locked", of: "org.freedesktop.Secret.Collection", at: collection, "b", cancellable).boolean
            } catch where error.isMissingObject {
                throw .noDefaultCollection
            }
        }

        /// Whether the item says that it is locked; an item that is gone is not.
        func isLocked(item: ObjectPath, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            do {
                return try property("Locked", of: "org.freedesktop.Secret.Item", at: item, "b", cancellable).boolean
            } catch where error.isMissingObject {
                return false
            }
        }

        /// What people call the collection.
        func label(of collection: ObjectPath, _ cancellable: Cancellable) throws(SecretServiceError) -> String {
            try property("Label", of: "org.freedesktop.Secret.Collection", at: collection, "s", cancellable).string
        }

        /// Whether the collection is open, whatever KWallet says.
        func isOpen(_ collection: ObjectPath, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            guard try isLocked(collection, cancellable) else { return true }
            return try isOpenWallet(collectionOf: [collection], cancellable)
        }

        /// Asks the service to unlock; returns the prompt that it wants performed first, or nil when all is open.
        func beginUnlocking(_ paths: [ObjectPath], _ cancellable: Cancellable) throws(SecretServiceError) -> Prompt? {
            let reply = try call("Unlock", [.paths(paths)], reply: "(aoo)", cancellable)
            return Prompt(daemon: self, path: reply.child(1).path)
        }
    }

    // Creating items.
    extension Daemon {
        /// Creates an item in `collection`, or replaces the secret of the one with the same attributes. Nil where the service
        /// does not say which item that is.
        func createItem(
            _ secret: Variant, _ attributes: [String: String], label: String?, in collection: ObjectPath, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Item? {
            var properties: [String: Variant] = ["org.freedesktop.Secret.Item.Attributes": .strings(attributes)]
            if let label { properties["org.freedesktop.Secret.Item.Label"] = .string(label) }
            let reply: Variant
            do {
                reply = try call(
                    "CreateItem", of: "org.freedesktop.Secret.Collection", at: collection,
                    [.properties(properties), secret, .boolean(true)], reply: "(oo)", cancellable
                )
            } catch where error.isMissingObject {
                throw .noDefaultCollection
            }
            var path = reply.child(0).path
            if let prompt = Prompt(daemon: self, path: reply.child(1).path) {
                path = try performHarmless(prompt, cancellable).checked("o", as: "CreateItem").path
            }
            return path == .nowhere ? nil : Item(daemon: self, path: path)
        }
    }
#endif
