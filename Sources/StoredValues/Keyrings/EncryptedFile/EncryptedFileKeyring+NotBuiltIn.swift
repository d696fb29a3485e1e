#if !EncryptedFile
    import StoredValuesFiles

    // Built without swift-crypto, the keyring exists and says so.
    extension EncryptedFileKeyring {
        /// None: it ends at once.
        public var changes: KeyringChanges { .none }

        /// Throws ``KeyringError/notBuiltIn``.
        public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { throw .notBuiltIn }

        /// Throws ``KeyringError/notBuiltIn``.
        public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
            throw .notBuiltIn
        }

        /// Throws ``KeyringError/notBuiltIn``.
        public func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw .notBuiltIn }

        /// Throws ``KeyringError/notBuiltIn``.
        public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] { throw .notBuiltIn }

        /// Throws ``KeyringError/notBuiltIn``.
        public func unlock() async throws(KeyringError) { throw .notBuiltIn }

        /// Throws ``KeyringError/notBuiltIn``.
        public func rekey(to key: EncryptedFileKey) async throws(KeyringError) { throw .notBuiltIn }
    }

    extension EncryptedFileKeyring: LockableKeyring {
        // Whoever asks learns that a change does not go here.
        func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { throw .notBuiltIn }
    }

    /// Where the file and its key would be.
    struct EncryptedFileVault {
        let file: DurableFile
        let key: EncryptedFileKey

        init(file: DurableFile, at place: String, key: EncryptedFileKey) {
            self.file = file
            self.key = key
        }
    }
#endif
