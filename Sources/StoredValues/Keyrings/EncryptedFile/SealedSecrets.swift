#if EncryptedFile
    import StoredValuesFiles
    import StoredValuesSupport

    /// The content of an encrypted file as a value, wherever the bytes are kept.
    package struct SealedSecrets: Sendable {
        typealias Entries = [SecretIdentifier: EncryptedFileEntry]

        /// What it is sealed with.
        var key: DerivedKey
        var entries: Entries = [:]
        /// How often the content was changed before; 0 for none.
        private var generation: UInt64 = 0

        /// No secrets yet.
        init(key: DerivedKey) { self.key = key }

        /// Opens `bytes` with the key that `key` returns for their header. `place` names them in errors.
        init(
            _ bytes: [UInt8], at place: String, key: (EncryptedFileHeader) throws(KeyringError) -> DerivedKey
        ) throws(KeyringError) {
            let header = try EncryptedFileHeader(ofFile: bytes, at: place)
            self.key = try key(header)
            entries = try EncryptedFileSeal.open(bytes, header: header, mainKey: self.key.mainKey, orThrow: .damaged(path: place))
            generation = header.generation
        }

        /// The same with `key`; nil for no secrets yet.
        package init(_ bytes: [UInt8]?, key: EncryptedFileKey, place: String) throws(KeyringError) {
            let operations = POSIXFileOperations()
            guard let bytes else {
                self.init(key: try key.derivedKeyForNewFile(operations: operations))
                return
            }
            try self.init(bytes, at: place) { header throws(KeyringError) in try key.derivedKey(for: header, operations: operations) }
        }

        /// The generation that the header of an encrypted file states; nil if the bytes are none. Without the key it cannot be known
        /// whether it is true.
        package static func generation(of bytes: [UInt8]) -> UInt64? { try? EncryptedFileHeader(ofFile: bytes).generation }

        package func secret(_ id: SecretIdentifier) -> Secret? { entries[id]?.secret }

        /// The secrets of `service`, sorted by account.
        package func identifiers(inService service: String) -> [SecretIdentifier] { entries.keys.ofService(service) }

        package mutating func set(_ secret: Secret, for id: SecretIdentifier, label: String) throws(KeyringError) {
            entries[id] = try EncryptedFileEntry(new: secret, for: id, label: label)
        }

        /// Removes a secret, and returns whether there was one.
        package mutating func remove(_ id: SecretIdentifier) -> Bool { entries.removeValue(forKey: id) != nil }

        /// From now on it is sealed with `key`, and a new salt.
        package mutating func rekey(to key: EncryptedFileKey) throws(KeyringError) {
            self.key = try key.derivedKeyForNewFile(operations: POSIXFileOperations())
        }

        /// The bytes of the next generation.
        package func sealed() -> [UInt8] {
            EncryptedFileSeal.seal(entries.values, generation: generation &+ 1, derivation: key.derivation, mainKey: key.mainKey)
        }
    }
#endif
