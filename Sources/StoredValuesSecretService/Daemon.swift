#if Libsecret
    /// A daemon that provides the Secret Service, identified by its unique name on its bus.
    ///
    /// When it ends, messages to it fail with `isUndelivered` or `isBroken`; another daemon has another name.
    ///
    /// gnome-keyring may handle the first message of a caller before it knows that caller. It then answers `ReadAlias` with "no
    /// such collection", `SearchItems` with "no such method", and crashes at a `Get` or `OpenSession` (seen with 42.1, for one
    /// of 2,000 callers; Debian's bug 1147303 is about 50.0). So the first message is one of the first two, and both are
    /// repeated.
    struct Daemon: Sendable {
        let bus: BusConnection
        /// The unique name.
        let name: String

        /// The name that every Secret Service owns.
        static let wellKnownName = "org.freedesktop.secrets"

        /// The daemon on `bus`, which is started if necessary and possible. Throws `noSecretService`.
        static func find(on bus: BusConnection) throws(SecretServiceError) -> Daemon {
            if let running = try running(on: bus) { return running }
            // Only the bus can start one: whatever fails, there is none.
            guard try canBeStarted(on: bus), let started = try bus.startedOwner(of: wellKnownName) else { throw .noSecretService }
            return Daemon(bus: bus, name: started)
        }

        /// The daemon on `bus`, if there is one. Starts none.
        static func running(on bus: BusConnection) throws(SecretServiceError) -> Daemon? {
            try bus.owner(of: wellKnownName).map { Daemon(bus: bus, name: $0) }
        }

        /// Whether `bus` can start one.
        static func canBeStarted(on bus: BusConnection) throws(SecretServiceError) -> Bool {
            try bus.call("ListActivatableNames", [], reply: "(as)").child(0).strings.contains(wellKnownName)
        }

        /// Calls `method` of the object at `path`, by default the service itself, and returns the reply, which is of the type `reply`.
        func call(
            _ method: String, of interface: String = "org.freedesktop.Secret.Service",
            at path: ObjectPath = "/org/freedesktop/secrets", _ arguments: [Variant], reply: String
        ) throws(SecretServiceError) -> Variant {
            try bus.call(method, of: interface, at: path, by: name, arguments, reply: reply)
        }

        /// The property `name` of the object at `path`, which must be of `type`.
        private func property(
            _ name: String, of interface: String, at path: ObjectPath, _ type: String
        ) throws(SecretServiceError) -> Variant {
            let arguments = [Variant.string(interface), .string(name)]
            return try call("Get", of: "org.freedesktop.DBus.Properties", at: path, arguments, reply: "(v)")
                .child(0).checked(type, as: name)
        }
    }

    // The default collection and its lock.
    extension Daemon {
        private static let collectionInterface = "org.freedesktop.Secret.Collection"

        /// The path of the default collection. Throws `noDefaultCollection` if there is none.
        func defaultCollection() throws(SecretServiceError) -> ObjectPath {
            for _ in 1...2 {  // see `Daemon`
                // The object is missing if the program already has its name, but no objects yet.
                let reply = try ifExists(call("ReadAlias", [.string("default")], reply: "(o)"))
                if let path = reply?.child(0).path, path != .nowhere { return path }
            }
            throw .noDefaultCollection
        }

        /// Whether the collection is reported as locked. KWallet does so until its first use, even if it is open.
        func isLocked(_ collection: ObjectPath) throws(SecretServiceError) -> Bool {
            guard let locked = try ifExists(property("Locked", of: Self.collectionInterface, at: collection, "b")) else {
                throw .noDefaultCollection
            }
            return locked.boolean
        }

        /// Whether any collection is reported as open.
        func hasOpenCollection() throws(SecretServiceError) -> Bool {
            let collections = try property("Collections", of: "org.freedesktop.Secret.Service", at: "/org/freedesktop/secrets", "ao")
            for collection in collections.paths {
                do { if try !isLocked(collection) { return true } } catch .noDefaultCollection {}  // closed since
            }
            return false
        }

        /// Whether the item is reported as locked; one that no longer exists is not.
        func isLocked(item: ObjectPath) throws(SecretServiceError) -> Bool {
            try ifExists(property("Locked", of: Item.interface, at: item, "b"))?.boolean ?? false
        }

        func label(of collection: ObjectPath) throws(SecretServiceError) -> String {
            try property("Label", of: Self.collectionInterface, at: collection, "s").string
        }

        /// Whether the collection is really open, also for KWallet.
        func isOpen(_ collection: ObjectPath) throws(SecretServiceError) -> Bool {
            guard try isLocked(collection) else { return true }
            return try isOpenWallet(collectionOf: [collection])
        }

        /// Returns the prompt that the service requires first, or nil if all is open.
        func beginUnlocking(_ paths: [ObjectPath]) throws(SecretServiceError) -> Prompt? {
            Prompt(daemon: self, path: try call("Unlock", [.paths(paths)], reply: "(aoo)").child(1).path)
        }

        /// Creates an item in `collection`, or replaces the secret of the one with the same attributes.
        func createItem(
            _ secret: Variant, _ attributes: [String: String], label: String?, in collection: ObjectPath
        ) throws(SecretServiceError) -> Item {
            var properties: [String: Variant] = ["\(Item.interface).Attributes": .strings(attributes)]
            if let label { properties["\(Item.interface).Label"] = .string(label) }
            let arguments: [Variant] = [.properties(properties), secret, .boolean(true)]
            let created = try ifExists(call("CreateItem", of: Self.collectionInterface, at: collection, arguments, reply: "(oo)"))
            guard let reply = created else { throw .noDefaultCollection }
            var path = reply.child(0).path
            if let prompt = Prompt(daemon: self, path: reply.child(1).path) {
                path = try performHarmless(prompt).checked("o", as: "CreateItem").path
            }
            guard path != .nowhere else { throw .wrongAnswer(to: "CreateItem", type: "no item", expected: "one") }
            return Item(daemon: self, path: path)
        }
    }

    // Where programs deviate from the Secret Service's specification.
    extension Daemon {
        /// Whether this is KWallet and the collection of these paths is an open wallet. Until an open wallet is first used through the
        /// Secret Service, KWallet reports it as locked, finds nothing in it, and offers a prompt that unlocks it without asking the
        /// user. Only KWallet's own interface reports whether it is open.
        func isOpenWallet(collectionOf paths: [ObjectPath]) throws(SecretServiceError) -> Bool {
            guard let collection = paths.first?.collection, paths.allSatisfy({ $0.isInside(collection) }) else { return false }
            guard let name = try ifExists(label(of: collection)) else { return false }
            let wallet = Variant.string(name)
            for module: ObjectPath in ["/modules/kwalletd5", "/modules/kwalletd6"] {
                do throws(SecretServiceError) {
                    if try call("isOpen", of: "org.kde.KWallet", at: module, [wallet], reply: "(b)").child(0).boolean { return true }
                } catch let error where error.isRefusal {}  // this is not KWallet, or another version
            }
            return false
        }

        /// Whether the daemon is `program`. The bus of a Flatpak (xdg-dbus-proxy) hides the program's name, as if nobody owned it. Then this
        /// looks for the object that only that program has, on the daemon's connection, which a Flatpak may call.
        func isProgram(_ program: KnownProgram) throws(SecretServiceError) -> Bool {
            if let owner = try bus.owner(of: program.name) { return owner == name }
            // Not as the first message: see `Daemon`.
            do throws(SecretServiceError) { _ = try defaultCollection() } catch .noDefaultCollection {}
            do throws(SecretServiceError) {
                let description = try call("Introspect", of: "org.freedesktop.DBus.Introspectable", at: program.path, [], reply: "(s)")
                return description.child(0).string.contains("\"\(program.interface)\"")
            } catch let error where error.isRefusal {
                return false
            }
        }

        /// Performs a prompt that KeePassXC requires for every item that is created or deleted. Unless its user has turned that off, it
        /// shows a dialog before it deletes an entry for good, and before it moves one to the recycle bin if the user wants to be asked
        /// about that, too; and it asks to be unlocked if it locks just as an item is created. At the deadline of the call this throws
        /// `cancelled`, and the dialog stays. Throws `accessDenied` for the prompt of another program, which might always ask the user.
        @discardableResult
        func performHarmless(_ prompt: Prompt) throws(SecretServiceError) -> Variant {
            guard try isProgram(.keePassXC) else { throw .accessDenied }
            do { return try prompt.perform() } catch .noSecretService { throw .unknownOutcome }
        }
    }

    /// A program that deviates from the specification, and how it is recognized.
    struct KnownProgram: Hashable, Sendable {
        /// The name that only this program owns on the bus.
        let name: String
        /// The object that only this program has.
        let path: ObjectPath
        /// The interface of that object.
        let interface: String

        static let gnomeKeyring = KnownProgram(
            name: "org.gnome.keyring", path: "/org/gnome/keyring/daemon", interface: "org.gnome.keyring.Daemon")
        static let keePassXC = KnownProgram(
            name: "org.keepassxc.KeePassXC.MainWindow", path: "/keepassxc", interface: "org.keepassxc.KeePassXC.MainWindow")
    }

    extension SecretServiceError {
        /// The program lacks the object or method, or denies access to it. Other errors say nothing about the program.
        fileprivate var isRefusal: Bool {
            if case .other("system", _, _) = self { return false }
            return !isBroken && !isUndelivered && !isWrongAnswer && !isLimitOfGDBus && self != .cancelled
        }
    }
#endif
