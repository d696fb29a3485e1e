#if Libsecret
    /// The connection to one Secret Service daemon: the bus, the daemon and libsecret's session with it.
    ///
    /// It is bound to the daemon that was there when it was opened. When that one goes, calls fail with
    /// `isUndelivered` or `isBroken`, and ``SharedConnection`` opens another. Used on the service thread only.
    final class DaemonConnection {
        let daemon: Daemon
        let session: CipherSession
        /// Whether a secret came through the session as it was.
        private var isProven = false
        /// Nil until the daemon was asked.
        private var ownsNameOfGnomeKeyring: Bool?
        /// Of items that were replaced, by path.
        private var knownAttributes: [ObjectPath: [String: String]] = [:]
        /// Items that calls found locked; ``ItemStore/unlock(asking:)`` asks for them.
        var lockedItems: Set<ObjectPath> = []

        /// Connects to `bus` and to the Secret Service on it, starting one if the bus can.
        ///
        /// Throws `noSessionBus` and `noSecretService`.
        init(to bus: Bus, _ cancellable: Cancellable) throws(SecretServiceError) {
            daemon = try Daemon.find(on: BusConnection(to: bus, cancellable), cancellable)
            session = try CipherSession(with: daemon, cancellable)
        }

        // MARK: Secrets on their way

        // Of a hundred sessions with KWallet 5.103 about one cannot be used, by any client: it refuses the key that was
        // proposed, or the two end up with different keys (seen: 14 of 1,200; QCA and libsecret treat leading zeros of the
        // agreed number differently). What is encrypted with the wrong key mostly has no valid padding, which is an error, but
        // one time in 256 it has, and would be another secret. So the first secret that goes through a session is fetched
        // twice, or fetched back; as it is encrypted differently each time, two equal ones are right.

        /// Fetches the secret of `item`.
        func load(_ item: Item, _ cancellable: Cancellable) throws(SecretServiceError) -> SecretBytes {
            let secret = try fetch(item, cancellable)
            if !isProven { try prove(item, holds: secret, cancellable) }
            return secret
        }

        /// Stores `secret` in `item`, in place, so that others hear of it.
        func store(
            _ secret: SecretBytes, in item: Item, foundBy sought: [String: String], _ cancellable: Cancellable
        ) throws(SecretServiceError) {
            let encrypted = try session.encrypt(secret, cancellable)
            if try isGnomeKeyring(cancellable) {
                // Its SetSecret sends no signal (seen: 42.1); its CreateItem replaces what has the same attributes, and sends
                // one. It takes the attributes over and, where none is given, leaves the label.
                let attributes = try attributes(of: item, foundBy: sought, cancellable)
                let stored = try daemon.createItem(encrypted, attributes, label: nil, in: item.collection, cancellable)
                // It was another one, so somebody has changed what this one is found by. That one is the newest now.
                if let stored, stored.path != item.path { knownAttributes[item.path] = nil }
            } else {
                try item.set(encrypted, cancellable)
                try requireStillOpen(item, cancellable)
            }
            try proveAfterWriting(item, holds: secret, cancellable)
        }

        /// Deletes `item`; succeeds when somebody else just did.
        func delete(_ item: Item, _ cancellable: Cancellable) throws(SecretServiceError) {
            knownAttributes[item.path] = nil
            try item.delete(cancellable)
            if try !isGnomeKeyring(cancellable) { try requireStillOpen(item, cancellable) }
        }

        /// While KWallet locks, it says of a change that it was done, and does nothing (its sources, 5.103).
        private func requireStillOpen(_ item: Item, _ cancellable: Cancellable) throws(SecretServiceError) {
            try afterChange { () throws(SecretServiceError) in
                guard try daemon.isOpen(item.collection, cancellable) else { throw .locked }
            }
        }

        /// Runs a look at what a change has done. That the program locked or went meanwhile says nothing of the change, and must
        /// not have it repeated.
        private func afterChange(_ look: () throws(SecretServiceError) -> Void) throws(SecretServiceError) {
            do throws(SecretServiceError) {
                try look()
            } catch where error == .locked || error == .noDefaultCollection || error.isUndelivered || error.isBroken {
                throw .unknownOutcome
            }
        }

        /// Asked once, for hardly anybody changes what an item is found by; but a path may become that of an item for something
        /// else.
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

        /// Creates an item in the default collection, or stores `secret` in one that another process made since the search.
        func create(
            _ secret: SecretBytes, _ attributes: [String: String], label: String, _ cancellable: Cancellable,
            _ progress: inout Progress
        ) throws(SecretServiceError) {
            let collection = try daemon.defaultCollection(cancellable)
            let encrypted = try session.encrypt(secret, cancellable)
            progress = .changing
            let item = try daemon.createItem(encrypted, attributes, label: label, in: collection, cancellable)
            if let item { try proveAfterWriting(item, holds: secret, cancellable) }
        }

        /// Fetches the secret of `item` again. Where that is another one, somebody else may have stored it meanwhile; then the
        /// next answer is the same.
        private func prove(_ item: Item, holds secret: SecretBytes, _ cancellable: Cancellable) throws(SecretServiceError) {
            let found = try fetch(item, cancellable)
            if !found.equals(secret) {
                guard try fetch(item, cancellable).equals(found) else { throw .unusableSession }
            }
            isProven = true
        }

        /// The same after a write, which was done even if somebody else has removed the item since.
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
            // KWallet (5.103) gives an empty secret while it locks, and for an item that it has just deleted if the question had
            // come before. Of such an item the next question finds nothing.
            if bytes.isEmpty {
                _ = try item.attributes(cancellable)
                guard try daemon.isOpen(item.collection, cancellable) else { throw .locked }
            }
            return bytes
        }
    }

    // Opening the default collection.
    extension DaemonConnection {
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
#endif
