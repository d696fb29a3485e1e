#if EncryptedFile
    import StoredValuesFiles
    import StoredValuesSupport

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

    extension SigningPublicKey {
        /// Whether signatures can be checked by what this is built with.
        package static let isBuiltIn = true

        package func hasSigned(_ sealed: SealedStatement, _ signature: [UInt8]) -> Bool { Sodium.isSignature(signature, of: sealed.text, by: bytes) }
    }

    extension SealedStatement {
        /// The bytes that are signed. The length of the id is in them, so that no two statements have the same.
        fileprivate var text: [UInt8] {
            func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
            return Array("StoredValues fleet secrets 1\0".utf8) + bytes(generation) + bytes(UInt64(max(0, epoch)))
                + bytes(UInt64(applicationID.utf8.count)) + Array(applicationID.utf8) + Sodium.sha256(file)
        }
    }
#endif
