#if Libsecret
    import CSecret

    // The default collection and its lock.
    extension Daemon {
        /// The path of the default collection. Throws `noDefaultCollection` where there is none.
        func defaultCollection(_ cancellable: Cancellable) throws(SecretServiceError) -> String {
            for _ in 1...2 {  // `Daemon` tells why
                do {
                    let path = try callService("ReadAlias", [.string("default")], cancellable).child(0).string
                    if path != "/", !path.isEmpty { return path }
                } catch where error.isMissingObject {}  // it has its name already, and no objects yet
            }
            throw .noDefaultCollection
        }

        /// Whether the collection says that it is locked. KWallet says so until it is first used, though it is open.
        func isLocked(_ collection: String, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            do {
                return try isLocked(collection, "org.freedesktop.Secret.Collection", cancellable)
            } catch where error.isMissingObject {
                throw .noDefaultCollection
            }
        }

        /// Whether the item says that it is locked; an item that is gone is not.
        func isLocked(item: String, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            do {
                return try isLocked(item, "org.freedesktop.Secret.Item", cancellable)
            } catch where error.isMissingObject {
                return false
            }
        }

        private func isLocked(
            _ path: String, _ interface: String, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Bool {
            let reply = try send(
                "Get", of: "org.freedesktop.DBus.Properties", at: path, [.string(interface), .string("Locked")], cancellable
            )
            return reply.child(0).boolean ?? true
        }

        /// What people call the collection.
        func label(of collection: String, _ cancellable: Cancellable) throws(SecretServiceError) -> String {
            let reply = try send(
                "Get", of: "org.freedesktop.DBus.Properties", at: collection,
                [.string("org.freedesktop.Secret.Collection"), .string("Label")], cancellable
            )
            return reply.child(0).string
        }

        /// Whether the collection is open, whatever KWallet says.
        func isOpen(_ collection: String, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            guard try isLocked(collection, cancellable) else { return true }
            return try isOpenWallet(collectionOf: [collection], cancellable)
        }

        /// Asks the service to unlock; returns the prompt that it wants performed first, or nil when all is open.
        func beginUnlocking(_ paths: [String], _ cancellable: Cancellable) throws(SecretServiceError) -> Prompt? {
            Prompt(daemon: self, path: try callService("Unlock", [.paths(paths)], cancellable).child(1).string)
        }
    }
#endif
