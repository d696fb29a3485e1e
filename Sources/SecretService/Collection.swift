#if Libsecret
    import CSecret

    // The default collection and its lock.
    extension Connection {
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

        /// Makes sure that the default collection is open, without asking anybody. Throws `locked` or `noDefaultCollection`.
        /// Returns whether it had to be opened: then what was found before does not count.
        @discardableResult
        func requireOpenDefaultCollection(_ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            let collection = try defaultCollection(cancellable)
            guard try isLocked(collection, cancellable) else { return false }
            try unlockQuietly([collection], cancellable)
            return true
        }

        /// Unlocks what needs no question, and throws `locked` for what does.
        /// A prompt is performed only where it is known to ask nothing: for an open KWallet.
        func unlockQuietly(_ paths: [String], _ cancellable: Cancellable) throws(SecretServiceError) {
            guard let prompt = try beginUnlocking(paths, cancellable) else { return }
            guard try isOpenWallet(collectionOf: paths, cancellable) else {
                dismiss(prompt)
                throw .locked
            }
            do {
                try UnlockQuestion(bus: bus, daemon: daemon, prompt: prompt).ask(cancellable)
            } catch .dismissed {
                throw .locked
            }
        }

        /// Asks the service to unlock; returns the path of the prompt it wants to show, or nil when all is open.
        func beginUnlocking(_ paths: [String], _ cancellable: Cancellable) throws(SecretServiceError) -> String? {
            let reply = try send(
                "Unlock", of: "org.freedesktop.Secret.Service", at: "/org/freedesktop/secrets", [.paths(paths)], cancellable
            )
            let prompt = reply.child(1).string
            return prompt == "/" || prompt.isEmpty ? nil : prompt
        }

        /// Drops a prompt that will not be shown; the service keeps it otherwise until this connection closes.
        func dismiss(_ prompt: String) {
            UnlockQuestion.dismissal(of: prompt, at: daemon).sendAndForget(on: bus.pointer)
        }

        /// Creates an item in the default collection, replacing one that another process made since the search.
        func create(
            _ value: SecretBytes, _ attributes: [String: String], label: String, _ cancellable: Cancellable,
            _ progress: inout Progress
        ) throws(SecretServiceError) {
            let service = service.pointer
            var found: UnsafeMutablePointer<SecretCollection>?
            do {
                found = try checked {
                    secret_collection_for_alias_sync(service, "default", SECRET_COLLECTION_NONE, cancellable, $0)
                }
            } catch where error.isMissingObject {
                throw .noDefaultCollection
            }
            guard let found else { throw .noDefaultCollection }
            let collection = Reference(owning: found)
            progress = .changing
            do {
                try withTable(of: attributes) { table throws(SecretServiceError) in
                    let item = try checkedPointer {
                        secret_item_create_sync(
                            collection.pointer, nil, table, label, value.pointer, SECRET_ITEM_CREATE_REPLACE, cancellable, $0
                        )
                    }
                    g_object_unref(item)
                }
            } catch where error.isMissingItem {
                // Created, and removed by somebody else before libsecret could look at it.
            } catch where error.isMissingObject {
                throw .noDefaultCollection
            }
        }
    }
#endif
