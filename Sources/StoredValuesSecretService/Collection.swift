#if Libsecret
    import CSecret

    // Opening the default collection, and creating items there.
    extension Connection {
        /// Makes sure that the default collection is open, without asking anybody. Throws `locked` or `noDefaultCollection`.
        /// Returns whether it had to be opened: then what was found before does not count.
        @discardableResult
        func requireOpenDefaultCollection(_ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            let collection = try daemon.defaultCollection(cancellable)
            guard try daemon.isLocked(collection, cancellable) else { return false }
            try unlockQuietly([collection], cancellable)
            return true
        }

        /// Unlocks what needs no question, which is an open KWallet, and throws `locked` for all else.
        func unlockQuietly(_ paths: [ObjectPath], _ cancellable: Cancellable) throws(SecretServiceError) {
            guard try daemon.isOpenWallet(collectionOf: paths, cancellable) else { throw .locked }
            do {
                try daemon.beginUnlocking(paths, cancellable)?.perform(cancellable)
            } catch .dismissed {
                throw .locked
            }
        }
    }

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
                reply = try send(
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
