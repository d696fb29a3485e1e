#if EncryptedFile
    /// How a file's key is derived from the user's key or passphrase: fixed when the file is created, and stored in its header.
    struct KeyDerivation: Hashable, Sendable {
        enum Method: Hashable, Sendable {
            /// HKDF-SHA256, for key files, which are already random.
            case hkdf
            /// scrypt, for passphrases, which can be guessed.
            case scrypt(ScryptCost)
        }

        var method: Method
        var salt: [UInt8]
    }

    extension KeyDerivation {
        /// A derivation with a new salt.
        init(new method: Method) { self.init(method: method, salt: EncryptedFileSeal.randomBytes(32)) }

        /// The file's main key. Takes a third of a second and 128 MiB with scrypt.
        func mainKey(from material: Secret) throws(KeyringError) -> Secret {
            switch method {
            case .hkdf: return Sodium.hkdf(material, salt: salt, info: EncryptedFileSeal.purpose("main key"), count: 32)
            case .scrypt(let cost):
                let key = Sodium.scrypt(
                    material, salt: salt, rounds: 1 << UInt64(cost.logarithmOfRounds), blockSize: UInt32(cost.blockSize),
                    parallelism: UInt32(cost.parallelism), count: 32)
                if let key { return key }
                throw .other(domain: "EncryptedFileKeyring", code: 1, message: "scrypt failed, perhaps because 128 MiB of memory were not available")
            }
        }
    }

    /// A key derived from the key's source and a file's header.
    struct DerivedKey: Sendable {
        let derivation: KeyDerivation
        let mainKey: Secret
    }

    /// The cost of guessing a passphrase.
    struct ScryptCost: Hashable, Sendable {
        var logarithmOfRounds: UInt8
        var blockSize: UInt8
        var parallelism: UInt8

        /// The cost for new files: OWASP's first recommendation.
        static let standard = ScryptCost(logarithmOfRounds: 17, blockSize: 8, parallelism: 1)

        /// Whether a file may require it: not so low that a passphrase is easily guessed, nor so high (over 256 MiB) that
        /// opening a forged file overloads the machine.
        var isAcceptable: Bool { (14...18).contains(logarithmOfRounds) && blockSize == 8 && parallelism == 1 }
    }

    /// The cryptography of the encrypted file: ChaCha20-Poly1305 over the whole body, with the header as associated data.
    enum EncryptedFileSeal {
        /// A file with these entries, sealed with a new cipher key, so that no nonce is ever used twice. Only tests pass
        /// `random`.
        static func seal(
            _ entries: some Collection<EncryptedFileEntry>, generation: UInt64, derivation: KeyDerivation, mainKey: Secret,
            random: [UInt8] = randomBytes(32)
        ) -> [UInt8] {
            let body = EncryptedFileBody.bytes(of: entries)
            let seed = seed(for: body, generation: generation, mainKey: mainKey, random: random)
            return seal(body, generation: generation, derivation: derivation, mainKey: mainKey, seed: seed)
        }

        /// The seed of the cipher key and the nonce. A machine restored from a snapshot may draw the same random bytes again;
        /// with the same key and nonce two contents would reveal each other, so the content and generation are included.
        static func seed(for body: Secret, generation: UInt64, mainKey: Secret, random: [UInt8]) -> [UInt8] {
            let key = Sodium.expand(mainKey, info: purpose("seed"), count: 32)
            let code = key.withBytes { key in
                Sodium.authenticationCode(key: key) { update in
                    random.withUnsafeBytes(update)
                    withUnsafeBytes(of: generation.littleEndian, update)
                    body.withBytes(update)
                }
            }
            return code.withBytes { Array($0) }  // stored in the header, and so no secret
        }

        /// A file with this body and seed.
        static func seal(
            _ body: Secret, generation: UInt64, derivation: KeyDerivation, mainKey: Secret, seed: [UInt8]
        ) -> [UInt8] {
            let header = EncryptedFileHeader(
                derivation: derivation, generation: generation, seed: seed, keyCheck: keyCheck(of: mainKey).withBytes { Array($0) }, bodyByteCount: body.count)
            let bytes = header.bytes
            return bytes + Sodium.seal(body, keyAndNonce: cipherKey(from: mainKey, seed: header.seed), authenticating: bytes)
        }

        /// The entries of `file`, whose header was read and whose key check was compared. Any error now means damage.
        static func open(
            _ file: [UInt8], header: EncryptedFileHeader, mainKey: Secret, orThrow damaged: KeyringError = .damaged(path: "the file")
        ) throws(KeyringError) -> SealedSecrets.Entries {
            let key = cipherKey(from: mainKey, seed: header.seed), bodyStart = EncryptedFileHeader.byteCount
            guard let body = Sodium.open(file[bodyStart...], keyAndNonce: key, authenticating: file[..<bodyStart]) else { throw damaged }
            do { return try body.withBytes { try EncryptedFileBody.entries(in: $0) } } catch { throw damaged }
        }

        /// Whether the file with `header` was created with `mainKey`.
        static func isKey(_ mainKey: Secret, of header: EncryptedFileHeader) -> Bool {
            keyCheck(of: mainKey) == Secret(header.keyCheck)  // in constant time
        }

        static func checksum(of bytes: [UInt8]) -> [UInt8] { Array(Sodium.sha256(bytes).prefix(16)) }

        static func randomBytes(_ count: Int) -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }

        /// Separates keys for different uses.
        fileprivate static func purpose(_ name: String) -> [UInt8] {
            Array("StoredValues encrypted keyring 1: \(name)".utf8)
        }

        private static func keyCheck(of mainKey: Secret) -> Secret { Sodium.expand(mainKey, info: purpose("key check"), count: 16) }

        private static func cipherKey(from mainKey: Secret, seed: [UInt8]) -> Secret {
            Sodium.expand(mainKey, info: purpose("body") + seed, count: Sodium.keyAndNonceByteCount)
        }
    }
#endif
