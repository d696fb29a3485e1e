#if EncryptedFile
    import FoundationEssentials
    import StoredValuesFiles

    /// What whoever changes the secrets of a fleet signs (Ed25519), so that machines without the key know a genuine file from a forged one. The
    /// pair is derived from the key that seals the file, and its public half is for everybody.
    package struct SigningKey: Sendable {
        package let publicKey: SigningPublicKey
        private let secretKey: Secret

        /// The pair of a key. Throws for a passphrase: by the public half or any signature, others could try passphrases, far more
        /// quickly than on the file.
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

    /// The half of a signing pair by which anybody can check what the other half has signed.
    package struct SigningPublicKey: Hashable, Sendable {
        let bytes: [UInt8]

        init(bytes: [UInt8]) { self.bytes = bytes }

        /// The key with this text, which is base64; nil if it is none.
        package init?(text: String) {
            guard let data = Data(base64Encoded: text), data.count == 32 else { return nil }
            bytes = Array(data)
        }

        package var text: String { Data(bytes).base64EncodedString() }

        package func hasSigned(_ sealed: SealedStatement, _ signature: [UInt8]) -> Bool { Sodium.isSignature(signature, of: sealed.text, by: bytes) }
    }

    /// What is said of an encrypted file: that it is the secrets of this application, with this generation, in this epoch.
    package struct SealedStatement: Sendable {
        let file: [UInt8]
        let generation: UInt64
        let epoch: Int
        let applicationID: String

        /// Nil if the bytes are no encrypted file.
        package init?(_ file: [UInt8], epoch: Int, applicationID: String) {
            guard let generation = SealedSecrets.generation(of: file) else { return nil }
            (self.file, self.generation, self.epoch, self.applicationID) = (file, generation, epoch, applicationID)
        }

        /// The bytes that are signed. The length of the id is in them, so that no two statements have the same.
        fileprivate var text: [UInt8] {
            func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
            return Array("StoredValues fleet secrets 1\0".utf8) + bytes(generation) + bytes(UInt64(max(0, epoch)))
                + bytes(UInt64(applicationID.utf8.count)) + Array(applicationID.utf8) + Sodium.sha256(file)
        }
    }
#endif
