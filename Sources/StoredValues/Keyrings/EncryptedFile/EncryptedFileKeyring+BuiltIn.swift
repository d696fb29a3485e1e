#if EncryptedFile
    import Dispatch
    import StoredValuesFiles
    import StoredValuesSupport

    extension EncryptedFileKeyring {
        static var isBuiltIn: Bool { true }

        /// Changes of the file by any process. For a change through a keyring of this process it names the secret. With
        /// ``EncryptedFileKey/portal`` also the portal's answer: ``KeyringChange/unlocked``.
        public var changes: KeyringChanges {
            let ofFile = vault.changes.changes
            guard let key = vault.key.portalKey else { return ofFile }
            return KeyringChanges(merging: [ofFile, key.changes]) { $0 }
        }

        /// Decrypts the file and returns the secret, or nil if it has none. Does not wait for writers. Throws
        /// ``KeyringError/wrongKey`` and ``KeyringError/damaged(path:)``.
        public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
            try await perform(on: readers) { [vault] isWanted throws(KeyringError) in try vault.entries(isWanted)[id]?.secret }
        }

        /// Throws ``KeyringError/tooLarge`` for a secret over 1 MiB, a name or label over 64 KiB, or a file over 64 MiB.
        public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
            let entry = try EncryptedFileEntry(new: secret, for: id, label: label)
            try await change(id, makingFile: true) { entries in
                entries[id] = entry
                return true
            }
        }

        /// Removes the secret, durably when this returns; does not create a missing file.
        public func remove(_ id: SecretIdentifier) async throws(KeyringError) {
            try await change(id, makingFile: false) { entries in entries.removeValue(forKey: id) != nil }
        }

        /// With the lock of the whole file. A wrong key is reported before anything is created.
        public func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
            let lock = try await perform(on: writers) { [vault] isWanted throws(KeyringError) in try vault.lock(isWanted: isWanted) }
            return EncryptedFileKeyring(self, under: lock)
        }

        /// The secrets of `service`, sorted by account.
        public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
            try await perform(on: readers) { [vault] isWanted throws(KeyringError) in try vault.entries(isWanted).keys.ofService(service) }
        }

        /// Tries the key on the file, and returns if it opens it or there is no file yet. Does not prompt the user, except
        /// through the closure of a passphrase, and through the portal (``EncryptedFileKey/portal``): that is asked for its key
        /// first, also if there is no file. Then it waits at most 2 minutes for the user, and throws
        /// ``KeyringError/dismissed``, or ``KeyringError/locked`` if the portal gives no reason.
        public func unlock() async throws(KeyringError) {
            try await vault.key.portalKey?.unlock()
            vault.forgetLateFailure()
            try await perform(on: readers) { [vault] isWanted throws(KeyringError) in _ = try vault.entries(isWanted) }
        }

        /// Seals the file with `key` and a new salt, atomically: afterwards it is the old file or the new one. From then on,
        /// this keyring uses the new key. Every other keyring with the old one, in any process, throws
        /// ``KeyringError/wrongKey``, and must be opened with the new one.
        ///
        /// If the old key is wrong, nothing is changed. After ``KeyringError/timedOut(after:)``, ``KeyringError/cancelled`` or
        /// ``KeyringError/other(domain:code:message:)`` either key may be the right one. A missing file stays missing, and will
        /// be created with the new key.
        ///
        /// An old copy of the file can still be read with the old key: change the secrets too if the key was leaked. A
        /// generated key file must be a new one, because two files cannot be replaced atomically.
        public func rekey(to key: EncryptedFileKey) async throws(KeyringError) {
            try await perform(on: writers, with: key) { [vault] isWanted throws(KeyringError) in
                try vault.rekey(to: key, isWanted: isWanted)
            }
        }

        /// Runs `work` on `queue`, within the deadline. If it needs the portal's key (the file's, or `newKey`), and that is not there
        /// yet, runs it again when it has arrived; the key is needed before anything is changed.
        private func perform<Answer: Sendable>(
            on queue: DispatchQueue, with newKey: EncryptedFileKey? = nil,
            _ work: @escaping @Sendable (_ isWanted: () -> Bool) throws(KeyringError) -> Answer
        ) async throws(KeyringError) -> Answer {
            let end = ContinuousClock.now + deadline
            do {
                return try await queue.perform(deadline: deadline, work)
            } catch .locked {
                let keys = [vault.key, newKey].compactMap { $0?.portalKey }
                guard !keys.isEmpty else { throw .locked }
                do {
                    for key in keys { try await key.ask(deadline: end - .now) }
                    return try await queue.perform(deadline: end - .now, work)
                } catch .timedOut {
                    throw .timedOut(after: deadline)
                }
            }
        }

        private func change(
            _ id: SecretIdentifier, makingFile: Bool,
            _ change: @escaping @Sendable (inout SealedSecrets.Entries) -> Bool
        ) async throws(KeyringError) {
            try await perform(on: writers) { [vault, heldLock] isWanted throws(KeyringError) in
                try vault.change(under: heldLock, makingFile: makingFile, announcing: .secret(id), isWanted: isWanted, change)
            }
        }
    }
#endif
