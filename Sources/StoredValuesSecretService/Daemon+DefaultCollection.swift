#if Libsecret
    import CSecret

    // The default collection and its lock.
    extension Daemon {
        /// The path of the default collection. Throws `noDefaultCollection` where there is none.
        func defaultCollection(_ cancellable: Cancellable) throws(SecretServiceError) -> ObjectPath {
            for _ in 1...2 {  // `Daemon` tells why
                do {
                    let path = try callService("ReadAlias", [.string("default")], reply: "(o)", cancellable).child(0).path
                    if path != .nowhere { return path }
                } catch where error.isMissingObject {}  // it has its name already, and no objects yet
            }
            throw .noDefaultCollection
        }

        /// Whether the collection says that it is locked. KWallet says so until it is first used, though it is open.
        func isLocked(_ collection: ObjectPath, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            do {
                return try isLocked(collection, "org.freedesktop.Secret.Collection", cancellable)
            } catch where error.isMissingObject {
                throw .noDefaultCollection
            }
        }

        /// Whether the item says that it is locked; an item that is gone is not.
        func isLocked(item: ObjectPath, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            do {
                return try isLocked(item, "org.freedesktop.Secret.Item", cancellable)
            } catch where error.isMissingObject {
                return false
            }
        }

        private func isLocked(
            _ path: ObjectPath, _ interface: String, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Bool {
            try property("Locked", of: interface, at: path, "b", cancellable).boolean
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
            let reply = try callService("Unlock", [.paths(paths)], reply: "(aoo)", cancellable)
            return Prompt(daemon: self, path: reply.child(1).path)
        }
    }
#endif
