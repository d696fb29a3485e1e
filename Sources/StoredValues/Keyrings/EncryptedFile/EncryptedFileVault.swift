#if EncryptedFile
    import StoredValuesFiles
    import StoredValuesSupport

    /// The encrypted file as a set of entries: the synchronous work of ``EncryptedFileKeyring`` on its threads.
    ///
    /// Entries are decrypted for each call and not kept; of the key, only the derived one is.
    final class EncryptedFileVault: Sendable {
        private struct Keys {
            var source: EncryptedFileKey
            /// Only keys that opened a file, or are for a file about to be created: a mistyped passphrase is requested again.
            /// At most two, so that while the file is re-keyed a reader opens both the old file and the new one.
            var derived: [DerivedKey] = []
            /// How often the file was re-keyed through this vault.
            var changes = 0

            mutating func add(_ key: DerivedKey) {
                derived.removeAll { $0.derivation == key.derivation }
                derived = derived.suffix(1) + [key]
            }
        }

        let file: DurableFile
        let changes: EncryptedFileChanges
        private let keys: Guarded<Keys>

        /// The vault in `file`, whose real path is `place`.
        init(file: DurableFile, at place: String, key: EncryptedFileKey) {
            self.file = file
            changes = .shared(for: file, at: place)
            keys = Guarded(Keys(source: key))
        }

        var key: EncryptedFileKey { keys.withLock { $0.source } }

        /// The entries, none if there is no file. Creates nothing, and needs no lock.
        func entries() throws(KeyringError) -> SealedSecrets.Entries {
            while true {
                let changes = keys.withLock { $0.changes }
                guard let contents = try contents() else { return [:] }
                do throws(KeyringError) {
                    return try open(contents.bytes).entries
                } catch {
                    // The file may have been read before it was re-keyed, with the key from after that.
                    guard error == .wrongKey, keys.withLock({ $0.changes }) != changes else { throw error }
                }
            }
        }

        /// Reads the entries, runs `change` on them, and if that returns true, replaces the file durably and announces `news`.
        ///
        /// All of it under the lock, so that no other process's change is lost: `heldLock`, or its own; `isWanted` ends waiting
        /// for it. A file that is damaged or was created with another key is left unchanged. Without `makingFile` a missing one
        /// stays missing.
        func change(
            under heldLock: HeldLock?, makingFile: Bool, announcing news: KeyringChange, isWanted: () -> Bool,
            _ change: (inout SealedSecrets.Entries) -> Bool
        ) throws(KeyringError) {
            // Locking creates the lock file and perhaps its folder, which would be unexpected if there is nothing to change.
            if !makingFile, try isMissing() {
                guard try withFile({ () throws(FileError) in try file.hasLeftover() }) else { return }
            } else if heldLock == nil {
                try prepareKey()
            }
            let lock = if let heldLock { heldLock } else { try file.hold(while: isWanted) }
            defer { withExtendedLifetime(lock) {} }
            let contents = try withFile { () throws(FileError) in try lock.file.read() }
            var secrets: SealedSecrets?
            if let contents { secrets = try open(contents.bytes) } else if makingFile { secrets = SealedSecrets(key: try keyForNewFile()) }
            guard var secrets, change(&secrets.entries) else {
                // A process that was killed may have left a temporary file.
                return try withFile { () throws(FileError) in try lock.file.removeLeftover() }
            }
            try replace(lock, of: contents?.identity, with: secrets, announcing: news, isWanted: isWanted)
        }

        /// Takes the lock for several changes. A wrong key is reported before anything is created.
        func lock(isWanted: () -> Bool) throws(KeyringError) -> HeldLock {
            try prepareKey()
            return try file.hold(while: isWanted)
        }

        /// Seals the same entries with `newKey` and a new salt, replacing the file atomically; the old key no longer opens it.
        /// This vault then uses the new key.
        func rekey(to newKey: EncryptedFileKey, isWanted: () -> Bool) throws(KeyringError) {
            if try isMissing() { return use(newKey) }  // an empty keyring
            try prepareKey()  // otherwise the old key is wrong, and nothing is created
            let derived = try newKey.derivedKeyForNewFile(operations: file.operations)
            let lock = try file.hold(while: isWanted)
            defer { withExtendedLifetime(lock) {} }
            if let contents = try withFile({ () throws(FileError) in try lock.file.read() }) {
                var secrets = try open(contents.bytes)
                // Both are kept even if replacing fails: after some failures it is unknown which file is there.
                keys.withLock { $0.add(derived) }
                secrets.key = derived
                // Any secret: other keyrings must find out that their key is now wrong.
                try replace(lock, of: contents.identity, with: secrets, announcing: .anySecret, isWanted: isWanted)
            }
            use(newKey, derived: [derived])
        }

        private func use(_ key: EncryptedFileKey, derived: [DerivedKey] = []) {
            keys.withLock { $0 = Keys(source: key, derived: derived, changes: $0.changes + 1) }
        }

        private func replace(
            _ lock: HeldLock, of old: FileIdentity?, with secrets: SealedSecrets, announcing news: KeyringChange, isWanted: () -> Bool
        ) throws(KeyringError) {
            let bytes = secrets.sealed()
            guard bytes.count <= DurableFile.sizeLimit else { throw .tooLarge }
            guard isWanted() else { throw .cancelled }
            try withFile { () throws(FileError) in
                try changes.make(news, in: old) { () throws(FileError) in try lock.file.replace(with: bytes, durably: true) }
            }
        }

        private func isMissing() throws(KeyringError) -> Bool {
            try withFile { () throws(FileError) in try file.currentIdentity() } == nil
        }

        // MARK: Keys

        /// Derives the key before taking the lock, so that others do not wait for scrypt, and nothing is created for a wrong
        /// key.
        private func prepareKey() throws(KeyringError) {
            if let contents = try contents() {
                _ = try derivedKey(for: try EncryptedFileHeader(ofFile: contents.bytes, at: file.path))
            } else if case .file(_, _, isGenerated: true) = key.source {
                // Only under the lock is it certain that there is no file, and that a key may be created.
            } else {
                _ = try keyForNewFile()
            }
        }

        private func keyForNewFile() throws(KeyringError) -> DerivedKey {
            let (source, known) = keys.withLock { ($0.source, $0.derived.first) }
            // A key file is read again even if its key is known: a file created with a deleted key could never be opened. A
            // passphrase cannot be deleted, and scrypt is slow.
            if source.isPassphrase, let known { return known }
            let derived = try source.derivedKeyForNewFile(operations: file.operations)
            keys.withLock { $0.add(derived) }
            return derived
        }

        private func derivedKey(for header: EncryptedFileHeader) throws(KeyringError) -> DerivedKey {
            let (source, known) = keys.withLock { ($0.source, $0.derived.first { $0.derivation == header.derivation }) }
            if let known {
                guard known.opens(header) else { throw .wrongKey }
                return known
            }
            let derived = try source.derivedKey(for: header, operations: file.operations)
            keys.withLock { $0.add(derived) }
            return derived
        }

        // MARK: The file

        private func contents() throws(KeyringError) -> FileContents? { try withFile { () throws(FileError) in try file.read() } }

        private func open(_ bytes: [UInt8]) throws(KeyringError) -> SealedSecrets {
            try SealedSecrets(bytes, at: file.path, key: derivedKey)
        }

        private func withFile<Result>(_ call: () throws(FileError) -> Result) throws(KeyringError) -> Result {
            do { return try call() } catch { throw KeyringError(error) }
        }
    }
#endif
