#if Libsecret
    /// An item of the Secret Service, as found by a search.
    struct Item {
        let daemon: Daemon
        let path: ObjectPath

        private static let interface = "org.freedesktop.Secret.Item"

        /// The path of its collection.
        var collection: ObjectPath { path.parent }

        /// Its attributes. Throws an error with `isMissingObject` if it no longer exists.
        func attributes(_ cancellable: Cancellable) throws(SecretServiceError) -> [String: String] {
            guard let attributes = try properties(cancellable).value(of: "Attributes", "a{ss}") else {
                throw .wrongAnswer(to: "GetAll", type: "no Attributes", expected: "some")
            }
            return attributes.dictionary
        }

        /// Several items for one secret, the valid one last. The service's times have whole seconds, so the time of creation
        /// and then the path break ties, for reading and updating alike.
        static func oldestFirst(_ items: [Item], _ cancellable: Cancellable) throws(SecretServiceError) -> [Item] {
            guard items.count > 1 else { return items }
            var ranked: [(item: Item, rank: Rank)] = []
            for item in items { ranked.append((item, try item.rank(cancellable))) }
            return ranked.sorted { $0.rank < $1.rank }.map(\.item)
        }

        private typealias Rank = (modified: UInt64, created: UInt64, length: Int, path: String)

        private func rank(_ cancellable: Cancellable) throws(SecretServiceError) -> Rank {
            let properties = try properties(cancellable)
            let modified = try properties.value(of: "Modified", "t")?.seconds ?? 0
            let created = try properties.value(of: "Created", "t")?.seconds ?? 0
            return (modified, created, path.text.utf8.count, path.text)
        }

        private func properties(_ cancellable: Cancellable) throws(SecretServiceError) -> Variant {
            try daemon.call(
                "GetAll", of: "org.freedesktop.DBus.Properties", at: path, [.string(Self.interface)], reply: "(a{sv})",
                cancellable
            ).child(0)
        }

        /// The secret, encrypted for the session at the path `session`.
        func secret(in session: ObjectPath, _ cancellable: Cancellable) throws(SecretServiceError) -> Variant {
            try daemon.call("GetSecret", of: Self.interface, at: path, [.path(session)], reply: "((oayays))", cancellable)
                .child(0)
        }

        /// Replaces the secret in place. KeePassXC prompts the user when another process *creates* over an item, but not for
        /// this.
        func set(_ secret: Variant, _ cancellable: Cancellable) throws(SecretServiceError) {
            _ = try daemon.call("SetSecret", of: Self.interface, at: path, [secret], reply: "()", cancellable)
        }

        /// Deletes the item; succeeds if another program has just deleted it.
        func delete(_ cancellable: Cancellable) throws(SecretServiceError) {
            let reply: Variant
            do {
                reply = try daemon.call("Delete", of: Self.interface, at: path, [], reply: "(o)", cancellable)
            } catch where error.isMissingObject {
                return
            }
            guard let prompt = Prompt(daemon: daemon, path: reply.child(0).path) else { return }
            try daemon.performHarmless(prompt, cancellable)
        }
    }
#endif
