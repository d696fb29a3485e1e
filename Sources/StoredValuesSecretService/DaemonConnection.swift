#if Libsecret
    /// The connection to one Secret Service daemon: the bus, the daemon and libsecret's session with it.
    ///
    /// It belongs to the daemon that was running when it was opened. When that ends, calls fail with `isUndelivered` or
    /// `isBroken`, and ``SharedConnection`` opens another. Used only on the service thread.
    final class DaemonConnection {
        let daemon: Daemon
        let session: CipherSession
        /// Whether a secret is known to have come through the session unchanged.
        private var isProven = false
        /// Nil until the daemon was asked.
        private var ownsNameOfGnomeKeyring: Bool?
        /// The attributes of replaced items, by path.
        private var knownAttributes: [ObjectPath: [String: String]] = [:]
        /// Items that calls found locked; ``ItemStore/unlock(evenWithoutDisplay:)`` unlocks them too.
        var lockedItems: Set<ObjectPath> = []

        /// Connects to `bus` and to the Secret Service on it, starting a daemon if the bus can.
        ///
        /// Throws `noSessionBus` and `noSecretService`.
        init(to bus: Bus, _ cancellable: Cancellable) throws(SecretServiceError) {
            daemon = try Daemon.find(on: BusConnection(to: bus, cancellable), cancellable)
            session = try CipherSession(with: daemon, cancellable)
        }

        // MARK: Secrets in transit

        // About one in a hundred sessions with KWallet 5.103 is unusable, for any client: it refuses the proposed key, or the
        // two end up with different keys (seen: 14 of 1,200; QCA and libsecret treat leading zeros of the agreed number
        // differently). A secret encrypted with the wrong key usually has no valid padding, which is an error, but one time in
        // 256 it has, and would be another secret. So the first secret of a session is fetched twice, or fetched back; because
        // it is encrypted differently each time, two equal ones are right.

        /// Fetches the secret of `item`.
        func load(_ item: Item, _ cancellable: Cancellable) throws(SecretServiceError) -> SecretBytes {
            let secret = try fetch(item, cancellable)
            if !isProven { try prove(item, holds: secret, cancellable) }
            return secret
        }

        /// Stores `secret` in `item`, in place, so that others are notified.
        func store(
            _ secret: SecretBytes, in item: Item, foundBy sought: [String: String], _ cancellable: Cancellable
        ) throws(SecretServiceError) {
            let encrypted = try session.encrypt(secret, cancellable)
            if try isGnomeKeyring(cancellable) {
                // Its SetSecret sends no signal (seen: 42.1). Its CreateItem replaces the item with the same attributes, and
                // sends one. It takes over the attributes and keeps the label if none is given.
                let attributes = try attributes(of: item, foundBy: sought, cancellable)
                let stored = try daemon.createItem(encrypted, attributes, label: nil, in: item.collection, cancellable)
                // It was another item, so this one's attributes were changed by another program. That item is now the newest.
                if let stored, stored.path != item.path { knownAttributes[item.path] = nil }
            } else {
                try item.set(encrypted, cancellable)
                try requireStillOpen(item, cancellable)
            }
            try proveAfterWriting(item, holds: secret, cancellable)
        }

        /// Deletes `item`; succeeds if another program has just deleted it.
        func delete(_ item: Item, _ cancellable: Cancellable) throws(SecretServiceError) {
            knownAttributes[item.path] = nil
            try item.delete(cancellable)
            if try !isGnomeKeyring(cancellable) { try requireStillOpen(item, cancellable) }
        }

        /// While KWallet locks, it confirms a change without making it (its sources, 5.103).
        private func requireStillOpen(_ item: Item, _ cancellable: Cancellable) throws(SecretServiceError) {
            try afterChange { () throws(SecretServiceError) in
                guard try daemon.isOpen(item.collection, cancellable) else { throw .locked }
            }
        }

        /// Runs a check after a change. If the program locked or ended meanwhile, the change's outcome is unknown, and it must
        /// not be repeated.
        private func afterChange(_ check: () throws(SecretServiceError) -> Void) throws(SecretServiceError) {
            do throws(SecretServiceError) {
                try check()
            } catch where error == .locked || error == .noDefaultCollection || error.isUndelivered || error.isBroken {
                throw .unknownOutcome
            }
        }

        /// Read once, because an item's attributes hardly ever change; but a path may be reused for another item.
        private func attributes(
            of item: Item, foundBy sought: [String: String], _ cancellable: Cancellable
        ) throws(SecretServiceError) -> [String: String] {
            if let known = knownAttributes[item.path], sought.allSatisfy({ known[$0.key] == $0.value }) { return known }
            let attributes = try item.attributes(cancellable)
            knownAttributes[item.path] = attributes
            return attributes
        }

        private func isGnomeKeyring(_ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            if let known = ownsNameOfGnomeKeyring { return known }
            let owns = try daemon.owns("org.gnome.keyring", cancellable)
            ownsNameOfGnomeKeyring = owns
            return owns
        }

        /// Creates an item in the default collection, or stores `secret` in one that another process created since the search.
        func create(
            _ secret: SecretBytes, _ attributes: [String: String], label: String, _ cancellable: Cancellable,
            _ isChanging: inout Bool
        ) throws(SecretServiceError) {
            let collection = try daemon.defaultCollection(cancellable)
            let encrypted = try session.encrypt(secret, cancellable)
            isChanging = true
            let item = try daemon.createItem(encrypted, attributes, label: label, in: collection, cancellable)
            if let item { try proveAfterWriting(item, holds: secret, cancellable) }
        }

        /// Fetches the secret of `item` again. If it differs, another program may have stored it meanwhile; then the next
        /// answer is the same.
        private func prove(_ item: Item, holds secret: SecretBytes, _ cancellable: Cancellable) throws(SecretServiceError) {
            let found = try fetch(item, cancellable)
            if !found.equals(secret) {
                guard try fetch(item, cancellable).equals(found) else { throw .unusableSession }
            }
            isProven = true
        }

        /// The same after a write, which succeeded even if another program has removed the item since.
        private func proveAfterWriting(
            _ item: Item, holds secret: SecretBytes, _ cancellable: Cancellable
        ) throws(SecretServiceError) {
            guard !isProven else { return }
            try afterChange { () throws(SecretServiceError) in
                do throws(SecretServiceError) {
                    try prove(item, holds: secret, cancellable)
                } catch where error.isMissingObject {}
            }
        }

        private func fetch(_ item: Item, _ cancellable: Cancellable) throws(SecretServiceError) -> SecretBytes {
            let bytes = try session.secret(of: item, cancellable)
            // KWallet (5.103) returns an empty secret while it locks, and for an item deleted since the request. For such an
            // item the next request finds nothing.
            if bytes.isEmpty {
                _ = try item.attributes(cancellable)
                guard try daemon.isOpen(item.collection, cancellable) else { throw .locked }
            }
            return bytes
        }
    }

    // Opening the default collection.
    extension DaemonConnection {
        /// Ensures that the default collection is open, without a prompt. Throws `locked` or `noDefaultCollection`. Returns
        /// whether it had to be opened: then earlier results are invalid.
        @discardableResult
        func requireOpenDefaultCollection(_ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            let collection = try daemon.defaultCollection(cancellable)
            guard try daemon.isLocked(collection, cancellable) else { return false }
            try unlockQuietly([collection], cancellable)
            return true
        }

        /// Unlocks what needs no prompt, which is an open KWallet, and throws `locked` for everything else.
        func unlockQuietly(_ paths: [ObjectPath], _ cancellable: Cancellable) throws(SecretServiceError) {
            guard try daemon.isOpenWallet(collectionOf: paths, cancellable) else { throw .locked }
            do {
                try daemon.beginUnlocking(paths, cancellable)?.perform(cancellable)
            } catch .dismissed {
                throw .locked
            }
        }
    }
#endif
