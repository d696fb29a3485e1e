#if !EncryptedFile
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
#endif
