#if Libsecret
    import CSecret

    /// An item of the Secret Service, as a search found it.
    struct Item {
        let daemon: Daemon
        let path: String

        private static let interface = "org.freedesktop.Secret.Item"

        /// The path of the collection it lies in.
        var collection: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path }

        /// The names and values that it can be found by, and what it is called.
        func description(
            _ cancellable: Cancellable
        ) throws(SecretServiceError) -> (attributes: [String: String], label: String) {
            let properties = try properties(cancellable)
            return (properties.value(of: "Attributes").dictionary, properties.value(of: "Label").string)
        }

        /// Of several items for one secret, which one counts. The service's times have whole seconds, so the time of
        /// creation and then the path break a tie: the same way for reading and for updating.
        static func newest(of items: [Item], _ cancellable: Cancellable) throws(SecretServiceError) -> Item? {
            guard items.count > 1 else { return items.first }
            var newest: (item: Item, rank: Rank)?
            for item in items {
                let rank = try item.rank(cancellable)
                if newest.map({ $0.rank < rank }) ?? true { newest = (item, rank) }
            }
            return newest?.item
        }

        private typealias Rank = (modified: UInt64, created: UInt64, length: Int, path: String)

        private func rank(_ cancellable: Cancellable) throws(SecretServiceError) -> Rank {
            let properties = try properties(cancellable)
            return (properties.value(of: "Modified").count, properties.value(of: "Created").count, path.utf8.count, path)
        }

        private func properties(_ cancellable: Cancellable) throws(SecretServiceError) -> Variant {
            try daemon.send(
                "GetAll", of: "org.freedesktop.DBus.Properties", at: path, [.string(Self.interface)], cancellable
            ).child(0)
        }

        /// The secret, encrypted for the session at the path `session`.
        func secret(in session: String, _ cancellable: Cancellable) throws(SecretServiceError) -> Variant {
            try daemon.send("GetSecret", of: Self.interface, at: path, [.path(session)], cancellable).child(0)
        }

        /// Replaces the secret in place. KeePassXC asks the person when another process *creates* over an item, not for this.
        func set(_ secret: Variant, _ cancellable: Cancellable) throws(SecretServiceError) {
            _ = try daemon.send("SetSecret", of: Self.interface, at: path, [secret], cancellable)
        }

        /// Deletes the item; succeeds when somebody else just did.
        func delete(_ cancellable: Cancellable) throws(SecretServiceError) {
            do {
                let reply = try daemon.send("Delete", of: Self.interface, at: path, [], cancellable)
                guard let prompt = Prompt(daemon: daemon, path: reply.child(0).string) else { return }
                try daemon.performHarmless(prompt, cancellable)
            } catch where error.isMissingObject {}
        }
    }
#endif
