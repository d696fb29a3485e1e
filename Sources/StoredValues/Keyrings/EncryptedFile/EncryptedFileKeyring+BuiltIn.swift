#if EncryptedFile
    import Dispatch
    import FoundationEssentials
    import StoredValuesSupport

    extension EncryptedFileKeyring {
        /// What any process changes in the file. A change through a keyring of this process says which secret it was. With
        /// ``EncryptedFileKey/portal`` also that the portal has answered: ``KeyringChange/unlocked``.
        public var changes: KeyringChanges {
            let ofFile = vault.changes.changes
            guard let key = vault.key.portalKey else { return ofFile }
            return KeyringChanges(merging: [ofFile, key.changes]) { $0 }
        }

        /// Decrypts the file and returns the secret, or nil when it has none. Waits for no writer. Throws ``KeyringError/wrongKey`` and
        /// ``KeyringError/damaged(path:)``.
        public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
            try await perform(on: readers) { [vault] _ throws(KeyringError) in try vault.entries()[id]?.secret }
        }

        /// Throws ``KeyringError/tooLarge`` for a secret over 1 MiB, a name or label over 64 KiB, or a file over 64 MiB.
        public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            let entry = EncryptedFileEntry(id: id, label: label, modified: now, secret: secret)
            guard entry.fits else { throw .tooLarge }
            try await change(id, makingFile: true) { entries in
                entries[id] = entry
                return true
            }
        }

        /// Removes the secret, durably when this returns; makes no file where there is none.
        public func remove(_ id: SecretIdentifier) async throws(KeyringError) {
            try await change(id, makingFile: false) { entries in entries.removeValue(forKey: id) != nil }
        }

        /// The secrets of `service`, sorted by account.
        public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
            try await perform(on: readers) { [vault] _ throws(KeyringError) in
                try vault.entries().keys.filter { $0.service.isIdentical(to: service) }.sorted { $0.account < $1.account }
            }
        }

        /// Tries the key on the file, and returns when it opens it or there is no file yet. Asks nobody, except through the
        /// closure of a passphrase, and through the portal (``EncryptedFileKey/portal``): then it waits 2 minutes at most for the
        /// user, and throws ``KeyringError/dismissed``.
        public func unlock() async throws(KeyringError) {
            try await vault.key.portalKey?.unlock()
            try await perform(on: readers) { [vault] _ throws(KeyringError) in _ = try vault.entries() }
        }

        /// Seals the file with `key` and a new salt, in one step: it is the old file or the new one, whatever happens. This
        /// keyring uses the new key from then on. Every other keyring with the old one, in any process, gets
        /// ``KeyringError/wrongKey``, and must be opened with the new one.
        ///
        /// Nothing is changed when the old key is wrong. After ``KeyringError/timedOut(after:)``, ``KeyringError/cancelled`` or
        /// ``KeyringError/other(domain:code:message:)`` either key may be the right one. A missing file stays missing, and is made
        /// with the new key.
        ///
        /// Whoever has an old copy of the file and the old key reads that copy still: change the secrets too if the key got out.
        /// A generated key file has to be a new one, for two files cannot be replaced in one step.
        public func rekey(to key: EncryptedFileKey) async throws(KeyringError) {
            try await perform(on: writers, with: key) { [vault, deadline] isWanted throws(KeyringError) in
                try vault.rekey(to: key, deadline: deadline, isWanted: isWanted)
            }
        }

        /// Does `work` on `queue`. Where it needs the portal's key, which is not there, it is done again when that has come; the
        /// key is needed before anything is changed. All of it within the deadline.
        ///
        /// - Parameter newKey: Another key than the file's that `work` needs.
        private func perform<Answer: Sendable>(
            on queue: DispatchQueue, with newKey: EncryptedFileKey? = nil,
            _ work: @escaping @Sendable (_ isWanted: () -> Bool) throws(KeyringError) -> Answer
        ) async throws(KeyringError) -> Answer {
            let start = ContinuousClock.now
            do {
                return try await queue.perform(deadline: deadline, work)
            } catch .locked {
                let keys = [vault.key, newKey].compactMap { $0?.portalKey }
                guard keys.contains(where: { $0.secret == nil }) else { throw .locked }
                do throws(KeyringError) {
                    for key in keys { try await key.ask(deadline: deadline - (ContinuousClock.now - start)) }
                    return try await queue.perform(deadline: max(.zero, deadline - (ContinuousClock.now - start)), work)
                } catch {
                    if case .timedOut = error { throw .timedOut(after: deadline) }
                    throw error
                }
            }
        }

        private func change(
            _ id: SecretIdentifier, makingFile: Bool,
            _ change: @escaping @Sendable (inout EncryptedFileVault.Entries) -> Bool
        ) async throws(KeyringError) {
            try await perform(on: writers) { [vault, heldLock, deadline] isWanted throws(KeyringError) in
                try vault.change(
                    under: heldLock, makingFile: makingFile, telling: .secret(id), deadline: deadline, isWanted: isWanted, change)
            }
        }
    }

    extension EncryptedFileKeyring: LockableKeyring {
        func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
            let lock = try await perform(on: writers) { [vault, deadline] isWanted throws(KeyringError) in
                try vault.lock(deadline: deadline, isWanted: isWanted)
            }
            return EncryptedFileKeyring(self, under: lock)
        }
    }
#endif
