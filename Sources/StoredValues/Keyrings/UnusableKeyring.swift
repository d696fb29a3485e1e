import StoredValuesFiles

/// A keyring that only others change.
protocol ReadOnlyKeyring: Keyring {}

extension ReadOnlyKeyring {
    /// Throws ``KeyringError/readOnly``.
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw .readOnly }
    /// Throws ``KeyringError/readOnly``.
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw .readOnly }
    /// Throws ``KeyringError/readOnly``.
    public func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { throw .readOnly }
}

/// A keyring whose every call throws the same error: one that this program was built without, or that does not exist.
protocol UnusableKeyring: Keyring {
    /// The error.
    var reason: KeyringError { get }
}

extension UnusableKeyring {
    /// Throws the reason.
    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { throw reason }
    /// Throws the reason.
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw reason }
    /// Throws the reason.
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw reason }
    /// Throws the reason.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] { throw reason }
    /// Throws the reason.
    public func unlock() async throws(KeyringError) { throw reason }
    /// Throws the reason.
    public func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { throw reason }
}

#if !Libsecret
    extension SecretServiceKeyring: UnusableKeyring {
        var reason: KeyringError { .notBuiltIn }

        package func inspect() async throws(KeyringError) -> SecretServiceInspection { throw .notBuiltIn }
    }

    /// The portal's key, which cannot be had.
    struct PortalKey {
        let place: String
        let secret: Secret? = nil
        let changes = KeyringChanges.none

        static func shared(onBus address: String?) -> PortalKey { PortalKey(place: "org.freedesktop.portal.Secret \(address ?? "")") }

        func ask(deadline: Duration) async throws(KeyringError) { throw .notBuiltIn }
        func unlock() async throws(KeyringError) { throw .notBuiltIn }
    }
#endif

#if !EncryptedFile
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

    /// So are there no signatures.
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
