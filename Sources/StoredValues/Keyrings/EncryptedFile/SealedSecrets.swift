#if EncryptedFile
    import FoundationEssentials
    import StoredValuesFiles
    import StoredValuesSupport

    /// The content of an encrypted file as a value, wherever the bytes are kept.
    package struct SealedSecrets: Sendable {
        private let key: EncryptedFileKey
        private var derivation: KeyDerivation
        private var mainKey: Secret
        private var entries: EncryptedFileVault.Entries = [:]
        /// How often the content was changed before; 0 for none.
        private var generation: UInt64 = 0

        /// Opens `bytes`, nil for no secrets yet, with `key`. `place` names the bytes in errors.
        package init(_ bytes: [UInt8]?, key: EncryptedFileKey, place: String) throws(KeyringError) {
            self.key = key
            guard let bytes else {
                (derivation, mainKey) = try Self.newKey(from: key)
                return
            }
            let header = try EncryptedFileHeader(ofFile: bytes, at: place)
            guard key.fits(header.derivation) else { throw .wrongKey }
            derivation = header.derivation
            mainKey = try derivation.mainKey(from: key.material(forNewFile: false, operations: POSIXFileOperations()))
            guard EncryptedFileSeal.isKey(mainKey, of: header) else { throw .wrongKey }
            do { entries = try EncryptedFileSeal.open(bytes, header: header, mainKey: mainKey) } catch { throw .damaged(path: place) }
            generation = header.generation
        }

        /// The generation that the header of an encrypted file states; nil if the bytes are none. Without the key it cannot be known
        /// whether it is true.
        package static func generation(of bytes: [UInt8]) -> UInt64? { try? EncryptedFileHeader(ofFile: bytes).generation }

        package func secret(_ id: SecretIdentifier) -> Secret? { entries[id]?.secret }

        /// The secrets of `service`, sorted by account.
        package func identifiers(inService service: String) -> [SecretIdentifier] {
            entries.keys.filter { $0.service.isIdentical(to: service) }.sorted { $0.account < $1.account }
        }

        package mutating func set(_ secret: Secret, for id: SecretIdentifier, label: String) throws(KeyringError) {
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            let entry = EncryptedFileEntry(id: id, label: label, modified: now, secret: secret)
            guard entry.fits else { throw .tooLarge }
            entries[id] = entry
        }

        /// Removes a secret, and returns whether there was one.
        package mutating func remove(_ id: SecretIdentifier) -> Bool { entries.removeValue(forKey: id) != nil }

        /// From now on it is sealed with `key`, and a new salt.
        package mutating func rekey(to key: EncryptedFileKey) throws(KeyringError) { (derivation, mainKey) = try Self.newKey(from: key) }

        /// The bytes of the next generation.
        package func sealed() -> [UInt8] {
            EncryptedFileSeal.seal(entries.values, generation: generation &+ 1, derivation: derivation, mainKey: mainKey)
        }

        private static func newKey(from key: EncryptedFileKey) throws(KeyringError) -> (KeyDerivation, Secret) {
            let derivation = KeyDerivation(new: key.method)
            return (derivation, try derivation.mainKey(from: key.material(forNewFile: true, operations: POSIXFileOperations())))
        }
    }
#endif
