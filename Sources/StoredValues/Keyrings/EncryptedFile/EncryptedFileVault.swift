#if EncryptedFile
    import StoredValuesFiles
    import StoredValuesSupport

    /// The synchronous work of ``EncryptedFileKeyring`` on its threads. Entries are decrypted for each call and not kept; of the key,
    /// only the derived one is.
    final class EncryptedFileVault: Sendable {
        private struct Keys {
            var source: EncryptedFileKey
            /// Only keys that opened a file, or are for a file about to be created: a mistyped passphrase is requested again.
            /// At most two, so that while the file is re-keyed a reader opens both the old file and the new one.
            var derived: [DerivedKey] = []
            /// How often the file was re-keyed through this vault.
            var changes = 0
            /// Why a passphrase opened nothing, if its call had ended by then: for the next call, because the user has answered.
            var lateFailure: KeyringError?

            mutating func add(_ key: DerivedKey) {
                derived.removeAll { $0.derivation == key.derivation }
                derived = derived.suffix(1) + [key]
            }
        }

        let file: DurableFile
        let changes: EncryptedFileChanges
        private let keys: Guarded<Keys>
        /// Taken while a passphrase is asked for and its key is derived, once for all who need it: the one lock held in a user's closure.
        private let asking = Guarded(())

        /// `place` is the file's real path.
        init(file: DurableFile, at place: String, key: EncryptedFileKey) {
            self.file = file
            changes = .shared(for: file, at: place)
            keys = Guarded(Keys(source: key))
        }

        var key: EncryptedFileKey { keys.withLock { $0.source } }

        /// The entries, none if there is no file. Creates nothing, and needs no lock.
        func entries(_ isWanted: () -> Bool) throws(KeyringError) -> SealedSecrets.Entries {
            while true {
                let changes = keys.withLock { $0.changes }
                guard let contents = try contents() else { return [:] }
                do throws(KeyringError) {
                    return try open(contents.bytes, isWanted).entries
                } catch {
                    // The file may have been read before it was re-keyed, with the key from after that.
                    guard error == .wrongKey, keys.withLock({ $0.changes }) != changes else { throw error }
                }
            }
        }

        /// Reads the entries, runs `change` on them, and if that returns true, replaces the file durably and announces `news`. All of
        /// it under `heldLock`, or its own. Without `makingFile` a missing file stays missing.
        func change(
            under heldLock: HeldLock?, makingFile: Bool, announcing news: KeyringChange, isWanted: () -> Bool,
            _ change: (inout SealedSecrets.Entries) -> Bool
        ) throws(KeyringError) {
            // Locking creates the lock file and perhaps its folder, which would be unexpected if there is nothing to change.
            if !makingFile, try isMissing() {
                guard try translatingErrors(file.hasLeftover()) else { return }
                if heldLock == nil, try removeLeftover(isWanted: isWanted) { return }
            }
            let lock = if let heldLock { heldLock } else { try self.lock(isWanted: isWanted) }
            defer { withExtendedLifetime(lock) {} }
            let contents = try translatingErrors(lock.file.read())
            var secrets = try contents.map { contents throws(KeyringError) in try open(contents.bytes, isWanted) }
            if contents == nil, makingFile { secrets = try SealedSecrets(key: derivedKey(for: nil, isWanted)) }
            guard var secrets, change(&secrets.entries) else {
                // A process that was killed may have left a temporary file, or have removed the secret and not synced that.
                try translatingErrors(lock.file.removeLeftover())
                return contents == nil ? () : try translatingErrors(file.sync())
            }
            try replace(lock, of: contents?.identity, with: secrets, announcing: news, isWanted: isWanted)
        }

        /// Removes what a process that was killed has left where there is no file. Returns false if that process was alive, and has made one.
        private func removeLeftover(isWanted: () -> Bool) throws(KeyringError) -> Bool {
            let lock = try file.hold(while: isWanted)
            defer { withExtendedLifetime(lock) {} }
            guard lock.file.identity == nil else { return false }
            try translatingErrors(lock.file.removeLeftover())
            return true
        }

        /// Derives the file's key, then takes the lock: others must not wait for scrypt, or for a user who types a passphrase. A wrong key
        /// is reported before anything is created.
        func lock(isWanted: () -> Bool) throws(KeyringError) -> HeldLock {
            while true {
                let prepared = try prepareKey(isWanted)
                let lock = try file.hold(while: isWanted)
                // Another process may have created or re-keyed the file while this one waited.
                guard lock.file.identity != prepared, let contents = try translatingErrors(lock.file.read()) else { return lock }
                let derivation = try EncryptedFileHeader(ofFile: contents.bytes, at: file.path).derivation
                if keys.withLock({ $0.derived.contains { $0.derivation == derivation } }) { return lock }
                guard isWanted() else { throw .cancelled }
            }
        }

        func rekey(to newKey: EncryptedFileKey, isWanted: () -> Bool) throws(KeyringError) {
            if try isMissing() { return use(newKey) }  // an empty keyring
            _ = try prepareKey(isWanted)  // otherwise the old key is wrong, and nothing is created
            let derived = try newKey.derivedKeyForNewFile(operations: file.operations)
            let lock = try lock(isWanted: isWanted)
            defer { withExtendedLifetime(lock) {} }
            if let contents = try translatingErrors(lock.file.read()) {
                var secrets = try open(contents.bytes, isWanted)
                let old = secrets.key
                // Both are kept even if replacing fails: after some failures it is unknown which file is there. The old one is the
                // last: a new file must not be sealed with a key that was refused.
                keys.withLock { keys in
                    keys.add(derived)
                    keys.add(old)
                }
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
            try translatingErrors(
                changes.make(news, in: old) { () throws(FileError) in
                    let new = try lock.file.replace(with: bytes, durably: true)
                    if old == nil { try file.syncAncestors(of: file.resolvedPath) }  // whoever made the folders
                    return new
                })
        }

        private func isMissing() throws(KeyringError) -> Bool {
            try translatingErrors(file.currentIdentity()) == nil
        }

        // MARK: Keys

        /// Derives the key that a change will need. Returns the file that it is for; nil if there is none.
        private func prepareKey(_ isWanted: () -> Bool) throws(KeyringError) -> FileIdentity? {
            let contents = try contents()
            let header = try contents.map { contents throws(KeyringError) in try EncryptedFileHeader(ofFile: contents.bytes, at: file.path) }
            // Only under the lock is it certain that there is no file, and that a key may be created.
            if header == nil, case .file(_, _, isGenerated: true) = key.source { return nil }
            _ = try derivedKey(for: header, isWanted)
            return contents?.identity
        }

        /// The key of the file with `header`, or of a new file: a known one, or else one derived from the source.
        private func derivedKey(for header: EncryptedFileHeader?, _ isWanted: () -> Bool) throws(KeyringError) -> DerivedKey {
            func known(_ keys: Keys) -> DerivedKey? {
                if let header { return keys.derived.first { $0.derivation == header.derivation } }
                // A key file is read again even if its key is known: a file created with a deleted key could never be opened. A
                // passphrase cannot be deleted, and scrypt is slow.
                return keys.source.isPassphrase ? keys.derived.last : nil
            }
            func knownOrNew() throws(KeyringError) -> DerivedKey {
                let (source, found, changes) = keys.withLock { ($0.source, known($0), $0.changes) }
                if let found { return found }
                guard isWanted() else { throw .cancelled }
                do throws(KeyringError) {
                    if let failure = keys.withLock({ $0.lateFailure.take() }) { throw failure }
                    let derived =
                        if let header {
                            try source.derivedKey(for: header, operations: file.operations)
                        } else {
                            try source.derivedKeyForNewFile(operations: file.operations)
                        }
                    // Unless the file was re-keyed since: a new file would be sealed with the old key.
                    keys.withLock { if $0.changes == changes { $0.add(derived) } }
                    return derived
                } catch {
                    if source.isPassphrase, !isWanted() { keys.withLock { if $0.changes == changes { $0.lateFailure = error } } }
                    throw error
                }
            }
            let mustAsk = keys.withLock { $0.source.isPassphrase && known($0) == nil }
            let key = try mustAsk ? asking.withLock { _ throws(KeyringError) in try knownOrNew() } : knownOrNew()
            if let header, !key.opens(header) { throw .wrongKey }
            return key
        }

        /// The next call that needs a passphrase asks for it.
        func forgetLateFailure() { keys.withLock { $0.lateFailure = nil } }

        private func contents() throws(KeyringError) -> FileContents? { try translatingErrors(file.read()) }

        private func open(_ bytes: [UInt8], _ isWanted: () -> Bool) throws(KeyringError) -> SealedSecrets {
            try SealedSecrets(bytes, at: file.path) { header throws(KeyringError) in try derivedKey(for: header, isWanted) }
        }
    }
#endif
