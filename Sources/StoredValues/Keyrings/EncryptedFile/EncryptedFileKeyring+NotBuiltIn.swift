#if !EncryptedFile
    import StoredValuesFiles

    extension EncryptedFileKeyring: UnusableKeyring {
        static var isBuiltIn: Bool { false }
        var reason: KeyringError { .notBuiltIn }

        /// Throws ``KeyringError/notBuiltIn``.
        public func rekey(to key: EncryptedFileKey) async throws(KeyringError) { throw .notBuiltIn }
    }

    /// The paths of the file and its key.
    struct EncryptedFileVault {
        let file: DurableFile
        let key: EncryptedFileKey

        init(file: DurableFile, at place: String, key: EncryptedFileKey) { (self.file, self.key) = (file, key) }
    }
#endif
