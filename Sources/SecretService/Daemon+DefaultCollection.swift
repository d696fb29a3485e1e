#if Libsecret
    import CSecret

    // The default collection and its lock.
    extension Daemon {
        /// The path of the default collection. Throws `noDefaultCollection` where there is none.
        func defaultCollection(_ cancellable: Cancellable) throws(SecretServiceError) -> String {
            let reply = try send(
                "ReadAlias", of: "org.freedesktop.Secret.Service", at: "/org/freedesktop/secrets", [.string("default")],
                cancellable
            )
            let path = reply.child(0).string
            guard path != "/", !path.isEmpty else { throw .noDefaultCollection }
            return path
        }

        /// Whether the collection says that it is locked. KWallet says so until it is first used, though it is open.
        func isLocked(_ collection: String, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            do {
                let reply = try send(
                    "Get", of: "org.freedesktop.DBus.Properties", at: collection,
                    [.string("org.freedesktop.Secret.Collection"), .string("Locked")], cancellable
                )
                return reply.child(0).boolean ?? true
            } catch where error.isMissingObject {
                throw .noDefaultCollection
            }
        }

        /// Whether the collection is open, whatever KWallet says.
        func isOpen(_ collection: String, _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            guard try isLocked(collection, cancellable) else { return true }
            return try isOpenWallet(collectionOf: [collection], cancellable)
        }

        /// Asks the service to unlock; returns the prompt that it wants performed first, or nil when all is open.
        func beginUnlocking(_ paths: [String], _ cancellable: Cancellable) throws(SecretServiceError) -> Prompt? {
            let reply = try send(
                "Unlock", of: "org.freedesktop.Secret.Service", at: "/org/freedesktop/secrets", [.paths(paths)], cancellable
            )
            let prompt = reply.child(1).string
            return prompt == "/" || prompt.isEmpty ? nil : Prompt(daemon: self, path: prompt)
        }
    }
#endif
