#if EncryptedFile
    import StoredValuesFiles

    /// The content of an encrypted file as a value, wherever the bytes are kept.
    package struct SealedSecrets: Sendable {
        typealias Entries = [SecretIdentifier: EncryptedFileEntry]

        var key: DerivedKey
        var entries: Entries = [:]
        /// How often the content was changed before; 0 for none.
        private var generation: UInt64 = 0

        init(key: DerivedKey) { self.key = key }

        /// `key` returns the key for a header; `place` names the bytes in errors.
        init(
            _ bytes: [UInt8], at place: String, key: (EncryptedFileHeader) throws(KeyringError) -> DerivedKey
        ) throws(KeyringError) {
            let header = try EncryptedFileHeader(ofFile: bytes, at: place)
            self.key = try key(header)
            entries = try self.key.open(bytes, header: header, orThrow: .damaged(path: place))
            generation = header.generation
        }

        /// The same with `key`; nil for no secrets yet.
        package init(_ bytes: [UInt8]?, key: EncryptedFileKey, place: String) throws(KeyringError) {
            let operations = FileOperations.posix
            guard let bytes else {
                self.init(key: try key.derivedKeyForNewFile(operations: operations))
                return
            }
            try self.init(bytes, at: place) { header throws(KeyringError) in try key.derivedKey(for: header, operations: operations) }
        }

        /// The generation in the header, which is not authenticated without the key; nil if the bytes are not an encrypted file.
        package static func generation(of bytes: [UInt8]) -> UInt64? { try? EncryptedFileHeader(ofFile: bytes).generation }

        package func secret(_ id: SecretIdentifier) -> Secret? { entries[id]?.secret }

        package func identifiers(inService service: String) -> [SecretIdentifier] { entries.keys.ofService(service) }

        package mutating func set(_ secret: Secret, for id: SecretIdentifier, label: String) throws(KeyringError) {
            entries[id] = try EncryptedFileEntry(new: secret, for: id, label: label)
        }

        package mutating func remove(_ id: SecretIdentifier) -> Bool { entries.removeValue(forKey: id) != nil }

        package mutating func rekey(to key: EncryptedFileKey) throws(KeyringError) {
            self.key = try key.derivedKeyForNewFile(operations: .posix)
        }

        package func sealed() -> [UInt8] { key.seal(entries.values, generation: generation &+ 1) }
    }

    /// A key derived from the user's, and the cryptography of the file: ChaCha20-Poly1305, with the header as associated data.
    struct DerivedKey: Sendable {
        let derivation: KeyDerivation
        private let mainKey: Secret

        /// Takes a third of a second and 128 MiB with scrypt.
        init(_ derivation: KeyDerivation, from material: Secret) throws(KeyringError) {
            self.derivation = derivation
            switch derivation.method {
            case .hkdf:
                mainKey = Sodium.hkdf(material, salt: derivation.salt, info: Self.purpose("main key"), count: 32)
            case .scrypt(let logarithmOfRounds):
                let key = Sodium.scrypt(
                    material, salt: derivation.salt, rounds: 1 << UInt64(logarithmOfRounds), blockSize: 8, parallelism: 1, count: 32)
                guard let key else {
                    throw .other(domain: "EncryptedFileKeyring", code: 1, message: "scrypt failed, perhaps because 128 MiB of memory were not available")
                }
                mainKey = key
            }
        }

        /// A file with these entries, sealed with a new cipher key, so that no nonce is ever used twice. Only tests pass `random`.
        func seal(
            _ entries: some Collection<EncryptedFileEntry>, generation: UInt64, random: [UInt8] = KeyDerivation.randomBytes(32)
        ) -> [UInt8] {
            let body = EncryptedFileBody.bytes(of: entries)
            return seal(body, generation: generation, seed: seed(for: body, generation: generation, random: random))
        }

        /// The seed of the cipher key and the nonce. A machine restored from a snapshot may draw the same random bytes again;
        /// with the same key and nonce two contents would reveal each other, so the content and generation are included.
        func seed(for body: Secret, generation: UInt64, random: [UInt8]) -> [UInt8] {
            let code = expanded(for: Self.purpose("seed"), 32).withBytes { key in
                Sodium.authenticationCode(key: key) { update in
                    random.withUnsafeBytes(update)
                    withUnsafeBytes(of: generation.littleEndian, update)
                    body.withBytes(update)
                }
            }
            return code.withBytes { Array($0) }  // stored in the header, and so no secret
        }

        func seal(_ body: Secret, generation: UInt64, seed: [UInt8]) -> [UInt8] {
            let header = EncryptedFileHeader(
                derivation: derivation, generation: generation, seed: seed, keyCheck: keyCheck.withBytes { Array($0) },
                bodyByteCount: body.count
            ).bytes
            return header + Sodium.seal(body, keyAndNonce: cipherKey(seed), authenticating: header)
        }

        /// Whether the file with `header` was created with this key.
        func opens(_ header: EncryptedFileHeader) -> Bool { keyCheck == Secret(header.keyCheck) }  // in constant time

        /// The entries of `file`, whose `header` this key opens. Any error now means damage.
        func open(
            _ file: [UInt8], header: EncryptedFileHeader, orThrow damaged: KeyringError = .damaged(path: "the file")
        ) throws(KeyringError) -> SealedSecrets.Entries {
            let (start, rest) = (file[..<EncryptedFileHeader.byteCount], file[EncryptedFileHeader.byteCount...])
            guard let body = Sodium.open(rest, keyAndNonce: cipherKey(header.seed), authenticating: start) else { throw damaged }
            do { return try body.withBytes { try EncryptedFileBody.entries(in: $0) } } catch { throw damaged }
        }

        private var keyCheck: Secret { expanded(for: Self.purpose("key check"), 16) }

        private func cipherKey(_ seed: [UInt8]) -> Secret { expanded(for: Self.purpose("body") + seed, Sodium.keyAndNonceByteCount) }

        private func expanded(for purpose: [UInt8], _ count: Int) -> Secret { Sodium.expand(mainKey, info: purpose, count: count) }

        /// Separates keys for different uses.
        private static func purpose(_ name: String) -> [UInt8] { Array("StoredValues encrypted keyring 1: \(name)".utf8) }
    }
#endif
