#if !EncryptedFile || !Libsecret
    /// A keyring that this program was built without: every call says so.
    protocol NotBuiltInKeyring: LockableKeyring {}

    extension NotBuiltInKeyring {
        /// No changes: it ends at once.
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

        // The caller learns that changes are impossible here.
        func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { throw .notBuiltIn }
    }
#endif
