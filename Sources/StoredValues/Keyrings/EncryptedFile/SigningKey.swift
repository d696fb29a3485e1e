#if EncryptedFile
    import FoundationEssentials
    import StoredValuesFiles

    /// The pair of keys (Ed25519) with which those who change a fleet's secrets sign them, so that machines without the file's key can tell a
    /// genuine file from a forged one. It is derived from the key that seals the file; the public half may be known to everybody.
    package struct SigningKey: Sendable {
        package let publicKey: SigningPublicKey
        private let secretKey: Secret

        /// Derives the pair from `key`. Throws for a passphrase: with the public half or a signature, others could try passphrases far
        /// faster than on the file.
        package init(of key: EncryptedFileKey) throws(KeyringError) {
            guard !key.isPassphrase else {
                throw .other(
                    domain: "SigningKey", code: 1,
                    message: "a passphrase cannot sign the fleet's secrets, because it could be guessed by the signatures; use a key file")
            }
            let material = try key.material(forNewFile: false, operations: .posix)
            let seed = Sodium.hkdf(material, salt: [], info: Array("StoredValues fleet secrets 1: signing seed".utf8), count: Sodium.signingSeedByteCount)
            let pair = Sodium.signingPair(seed)
            (publicKey, secretKey) = (SigningPublicKey(bytes: pair.publicKey), pair.secretKey)
        }

        package func signature(of sealed: SealedStatement) -> [UInt8] { Sodium.signature(of: sealed.text, by: secretKey) }
    }

    /// The public half of a signing pair, with which anybody can check signatures.
    package struct SigningPublicKey: Hashable, Sendable {
        let bytes: [UInt8]

        init(bytes: [UInt8]) { self.bytes = bytes }

        /// The key with this base64 text; nil if it is not one.
        package init?(text: String) {
            guard let data = Data(base64Encoded: text), data.count == 32 else { return nil }
            bytes = Array(data)
        }

        package var text: String { Data(bytes).base64EncodedString() }

        package func hasSigned(_ sealed: SealedStatement, _ signature: [UInt8]) -> Bool { Sodium.isSignature(signature, of: sealed.text, by: bytes) }
    }

    /// The statement that is signed: that this file has the secrets of this application, with this generation, in this epoch.
    package struct SealedStatement: Sendable {
        let file: [UInt8]
        let generation: UInt64
        let epoch: Int
        let applicationID: String

        /// Nil if the bytes are not an encrypted file.
        package init?(_ file: [UInt8], epoch: Int, applicationID: String) {
            guard let generation = SealedSecrets.generation(of: file) else { return nil }
            (self.file, self.generation, self.epoch, self.applicationID) = (file, generation, epoch, applicationID)
        }

        /// The signed bytes. They include the length of the id, so that no two statements have the same bytes.
        fileprivate var text: [UInt8] {
            func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
            return Array("StoredValues fleet secrets 1\0".utf8) + bytes(generation) + bytes(UInt64(max(0, epoch)))
                + bytes(UInt64(applicationID.utf8.count)) + Array(applicationID.utf8) + Sodium.sha256(file)
        }
    }
#endif
