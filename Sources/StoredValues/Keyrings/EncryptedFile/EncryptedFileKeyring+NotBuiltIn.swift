#if !EncryptedFile
    import StoredValuesFiles

    extension EncryptedFileKeyring: UnusableKeyring {
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

    /// Built without the encrypted file: there are none.
    package struct SealedSecrets: Sendable {
        package init(_ bytes: [UInt8]?, key: EncryptedFileKey, place: String) throws(KeyringError) { throw .notBuiltIn }
        package static func generation(of bytes: [UInt8]) -> UInt64? { nil }
        package func secret(_ id: SecretIdentifier) -> Secret? { nil }
        package func identifiers(inService service: String) -> [SecretIdentifier] { [] }
        package mutating func set(_ secret: Secret, for id: SecretIdentifier, label: String) throws(KeyringError) { throw .notBuiltIn }
        package mutating func remove(_ id: SecretIdentifier) -> Bool { false }
        package mutating func rekey(to key: EncryptedFileKey) throws(KeyringError) { throw .notBuiltIn }
        package func sealed() -> [UInt8] { [] }  // never: there is no value of this type
    }

    /// Without the trait there are no signatures either.
    package struct SigningKey: Sendable {
        package let publicKey: SigningPublicKey
        package init(of key: EncryptedFileKey) throws(KeyringError) { throw .notBuiltIn }
        package func signature(of sealed: SealedStatement) -> [UInt8] { [] }  // never
    }

    extension SigningPublicKey {
        package static let isBuiltIn = false
        package func hasSigned(_ sealed: SealedStatement, _ signature: [UInt8]) -> Bool { false }
    }
#endif
