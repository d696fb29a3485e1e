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
        func unlockQuietly(_ paths: [String], _ cancellable: Cancellable) throws(SecretServiceError) {
            guard try daemon.isOpenWallet(collectionOf: paths, cancellable) else { throw .locked }
            do {
                try daemon.beginUnlocking(paths, cancellable)?.perform(cancellable)
            } catch .dismissed {
                throw .locked
            }
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
