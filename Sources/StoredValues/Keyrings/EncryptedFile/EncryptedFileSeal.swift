#if EncryptedFile
    import Crypto
    import CryptoExtras
    import FoundationEssentials
    import StoredValuesSupport

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
        func mainKey(from material: Secret) throws(KeyringError) -> SymmetricKey {
            do {
                return try material.withBytes { bytes in
                    switch method {
                    case .hkdf:
                        HKDF<SHA256>.deriveKey(
                            inputKeyMaterial: SymmetricKey(data: bytes), salt: salt,
                            info: EncryptedFileSeal.purpose("main key"), outputByteCount: 32)
                    case .scrypt(let cost):
                        try KDF.Scrypt.deriveKey(
                            from: bytes, salt: salt, outputByteCount: 32, rounds: 1 << Int(cost.logarithmOfRounds),
                            blockSize: Int(cost.blockSize), parallelism: Int(cost.parallelism))
                    }
                }
            } catch {
                throw .other(domain: "EncryptedFileKeyring", code: 1, message: "scrypt failed, perhaps because 128 MiB of memory were not available")
            }
        }
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
            _ entries: some Collection<EncryptedFileEntry>, generation: UInt64, derivation: KeyDerivation, mainKey: SymmetricKey,
            random: [UInt8] = randomBytes(32)
        ) throws(KeyringError) -> [UInt8] {
            let body = EncryptedFileBody.bytes(of: entries)
            let seed = seed(for: body, generation: generation, mainKey: mainKey, random: random)
            return try seal(body, generation: generation, derivation: derivation, mainKey: mainKey, seed: seed)
        }

        /// The seed of the cipher key and the nonce. A machine restored from a snapshot may draw the same random bytes again;
        /// with the same key and nonce two contents would reveal each other, so the content and generation are included.
        static func seed(for body: Secret, generation: UInt64, mainKey: SymmetricKey, random: [UInt8]) -> [UInt8] {
            var code = HMAC<SHA256>(key: HKDF<SHA256>.expand(pseudoRandomKey: mainKey, info: purpose("seed"), outputByteCount: 32))
            code.update(data: random)
            withUnsafeBytes(of: generation.littleEndian) { code.update(data: $0) }
            body.withBytes { code.update(data: $0) }
            return Array(code.finalize())
        }

        /// A file with this body and seed.
        static func seal(
            _ body: Secret, generation: UInt64, derivation: KeyDerivation, mainKey: SymmetricKey, seed: [UInt8]
        ) throws(KeyringError) -> [UInt8] {
            let header = EncryptedFileHeader(
                derivation: derivation, generation: generation, seed: seed, keyCheck: keyCheck(of: mainKey), bodyByteCount: body.count)
            let file = header.bytes
            do {
                let (key, nonce) = try cipherKey(from: mainKey, seed: header.seed)
                let box = try body.withBytes { try ChaChaPoly.seal($0, using: key, nonce: nonce, authenticating: file) }
                return file + box.ciphertext + box.tag
            } catch {
                throw .other(domain: "EncryptedFileKeyring", code: 2, message: "the cipher failed")
            }
        }

        /// The entries of `file`, whose header was read and whose key check was compared. Any error now means damage.
        static func open(
            _ file: [UInt8], header: EncryptedFileHeader, mainKey: SymmetricKey
        ) throws(EncryptedFileFormatError) -> [SecretIdentifier: EncryptedFileEntry] {
            do {
                let (key, nonce) = try cipherKey(from: mainKey, seed: header.seed)
                let bodyStart = EncryptedFileHeader.byteCount
                let tagStart = bodyStart + header.bodyByteCount
                let box = try ChaChaPoly.SealedBox(nonce: nonce, ciphertext: file[bodyStart..<tagStart], tag: file[tagStart...])
                var body = try ChaChaPoly.open(box, using: key, authenticating: file[..<bodyStart])
                defer { body.withUnsafeMutableBytes { wipe($0) } }
                return try body.withUnsafeBytes { try EncryptedFileBody.entries(in: $0) }
            } catch {
                throw .damaged
            }
        }

        /// Whether the file with `header` was created with `mainKey`.
        static func isKey(_ mainKey: SymmetricKey, of header: EncryptedFileHeader) -> Bool {
            Secret(keyCheck(of: mainKey)) == Secret(header.keyCheck)  // in constant time
        }

        static func checksum(of bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes).prefix(16)) }

        static func randomBytes(_ count: Int) -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }

        /// Separates keys for different uses.
        fileprivate static func purpose(_ name: String) -> [UInt8] {
            Array("StoredValues encrypted keyring 1: \(name)".utf8)
        }

        private static func keyCheck(of mainKey: SymmetricKey) -> [UInt8] {
            let key = HKDF<SHA256>.expand(pseudoRandomKey: mainKey, info: purpose("key check"), outputByteCount: 16)
            return key.withUnsafeBytes { Array($0) }
        }

        private static func cipherKey(from mainKey: SymmetricKey, seed: [UInt8]) throws -> (SymmetricKey, ChaChaPoly.Nonce) {
            let both = HKDF<SHA256>.expand(pseudoRandomKey: mainKey, info: purpose("body") + seed, outputByteCount: 44)
            return try both.withUnsafeBytes { bytes in
                (SymmetricKey(data: bytes.prefix(32)), try ChaChaPoly.Nonce(data: bytes.suffix(12)))
            }
        }
    }
#endif
