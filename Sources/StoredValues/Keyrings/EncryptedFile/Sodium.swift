#if EncryptedFile
    import CSodium
    import StoredValuesSupport

    /// The only code that calls libsodium. Its functions allow any thread; what is secret is in memory that is wiped.
    enum Sodium {
        /// Selects the fastest code for this processor; if it fails, portable code is used.
        private static let begin: Void = { _ = sodium_init() }()

        static func sha256(_ bytes: [UInt8]) -> [UInt8] {
            _ = begin
            return [UInt8](unsafeUninitializedCapacity: Int(crypto_hash_sha256_bytes())) { hash, count in
                count = hash.count
                crypto_hash_sha256(UnsafeMutableRawBufferPointer(hash).start, bytes, UInt64(bytes.count))  // never fails
            }
        }

        /// HMAC-SHA256 (RFC 2104) of what `update` is called with.
        static func authenticationCode(
            key: UnsafeRawBufferPointer, _ parts: (_ update: (UnsafeRawBufferPointer) -> Void) -> Void
        ) -> Secret {
            _ = begin
            // On the heap, where it stays in its place until it is wiped.
            let state = UnsafeMutablePointer<crypto_auth_hmacsha256_state>.allocate(capacity: 1)
            defer {
                wipe(UnsafeMutableRawBufferPointer(start: state, count: MemoryLayout<crypto_auth_hmacsha256_state>.size))
                state.deallocate()
            }
            // None of these can fail.
            crypto_auth_hmacsha256_init(state, key.start, key.count)
            parts { crypto_auth_hmacsha256_update(state, $0.start, UInt64($0.count)) }
            return Secret(count: Int(crypto_auth_hmacsha256_bytes())) { _ = crypto_auth_hmacsha256_final(state, $0.start) }
        }

        // MARK: Keys

        /// A key of `count` bytes by HKDF-SHA256 (RFC 5869). (libsodium has it itself since 1.0.19.)
        static func hkdf(_ material: Secret, salt: [UInt8], info: [UInt8], count: Int) -> Secret {
            let key = salt.withUnsafeBytes { salt in authenticationCode(key: salt) { update in material.withBytes(update) } }
            return expand(key, info: info, count: count)
        }

        /// The second half of HKDF-SHA256: a key of at most 8,160 bytes from a pseudorandom one.
        static func expand(_ key: Secret, info: [UInt8], count: Int) -> Secret {
            Secret(count: count) { output in
                var last: Secret?
                for (number, start) in stride(from: 0, to: count, by: Int(crypto_auth_hmacsha256_bytes())).enumerated() {
                    let next = key.withBytes { key in
                        authenticationCode(key: key) { update in
                            last?.withBytes(update)
                            info.withUnsafeBytes(update)
                            [UInt8(number + 1)].withUnsafeBytes(update)
                        }
                    }
                    next.withBytes { UnsafeMutableRawBufferPointer(rebasing: output[start...]).copyBytes(from: $0.prefix(count - start)) }
                    last = next
                }
            }
        }

        /// A key of `count` bytes by scrypt (RFC 7914); nil if there is too little memory, 128 times the rounds and block size.
        static func scrypt(_ passphrase: Secret, salt: [UInt8], rounds: UInt64, blockSize: UInt32, parallelism: UInt32, count: Int) -> Secret? {
            _ = begin
            var status: Int32 = -1
            let key = Secret(count: count) { key in
                status = passphrase.withBytes { passphrase in
                    crypto_pwhash_scryptsalsa208sha256_ll(
                        passphrase.start, passphrase.count, salt, salt.count, rounds, blockSize, parallelism, key.start, key.count)
                }
            }
            return status == 0 ? key : nil
        }

        // MARK: The cipher

        /// The bytes of a key and a nonce of the cipher.
        static let keyAndNonceByteCount = 32 + 12
        /// How many bytes the tag has, which sealing adds to the text.
        static let tagByteCount = 16

        /// The text, encrypted, and its tag, by ChaCha20-Poly1305 (RFC 8439).
        static func seal(_ text: Secret, keyAndNonce: Secret, authenticating header: [UInt8]) -> [UInt8] {
            _ = begin
            return [UInt8](unsafeUninitializedCapacity: text.count + tagByteCount) { box, count in
                count = box.count
                withKeyAndNonce(keyAndNonce) { key, nonce in
                    // Never fails.
                    _ = text.withBytes {
                        crypto_aead_chacha20poly1305_ietf_encrypt(
                            UnsafeMutableRawBufferPointer(box).start, nil, $0.start, UInt64($0.count), header, UInt64(header.count), nil, nonce, key)
                    }
                }
            }
        }

        /// The text in `box`, which ends with its tag; nil if it or `header` is not as it was sealed with this key and nonce.
        static func open(_ box: ArraySlice<UInt8>, keyAndNonce: Secret, authenticating header: ArraySlice<UInt8>) -> Secret? {
            _ = begin
            guard box.count >= tagByteCount else { return nil }
            var status: Int32 = -1
            let text = Secret(count: box.count - tagByteCount) { text in
                status = withKeyAndNonce(keyAndNonce) { key, nonce in
                    box.withUnsafeBytes { box in
                        header.withUnsafeBytes { header in
                            crypto_aead_chacha20poly1305_ietf_decrypt(
                                text.start, nil, nil, box.start, UInt64(box.count), header.start, UInt64(header.count), nonce, key)
                        }
                    }
                }
            }
            return status == 0 ? text : nil
        }

        // MARK: Signatures

        static let signingSeedByteCount = 32
        private static let signatureByteCount = 64

        /// The pair of Ed25519 (RFC 8032) with this seed.
        static func signingPair(_ seed: Secret) -> (publicKey: [UInt8], secretKey: Secret) {
            _ = begin
            precondition(seed.count == signingSeedByteCount)
            var publicKey = [UInt8](repeating: 0, count: Int(crypto_sign_publickeybytes()))
            let secretKey = Secret(count: Int(crypto_sign_secretkeybytes())) { secretKey in
                // Never fails.
                _ = seed.withBytes { crypto_sign_seed_keypair(&publicKey, secretKey.start, $0.start) }
            }
            return (publicKey, secretKey)
        }

        static func signature(of text: [UInt8], by secretKey: Secret) -> [UInt8] {
            _ = begin
            var signature = [UInt8](repeating: 0, count: signatureByteCount)
            // Never fails.
            _ = secretKey.withBytes { crypto_sign_detached(&signature, nil, text, UInt64(text.count), $0.start) }
            return signature
        }

        static func isSignature(_ signature: [UInt8], of text: [UInt8], by publicKey: [UInt8]) -> Bool {
            _ = begin
            guard signature.count == signatureByteCount, publicKey.count == Int(crypto_sign_publickeybytes()) else { return false }
            return crypto_sign_verify_detached(signature, text, UInt64(text.count), publicKey) == 0
        }

        private static func withKeyAndNonce<Result>(
            _ both: Secret, _ body: (_ key: UnsafePointer<UInt8>, _ nonce: UnsafePointer<UInt8>) -> Result
        ) -> Result {
            precondition(both.count == keyAndNonceByteCount)
            return both.withBytes { body($0.start, $0.start + 32) }
        }
    }

    // libsodium must not be passed a null pointer, even for 0 bytes, where it reads and writes nothing.
    extension UnsafeRawBufferPointer {
        fileprivate var start: UnsafePointer<UInt8> {
            baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(bitPattern: 1)!  // not nil, as that is not 0
        }
    }
    extension UnsafeMutableRawBufferPointer {
        fileprivate var start: UnsafeMutablePointer<UInt8> { UnsafeMutablePointer(mutating: UnsafeRawBufferPointer(self).start) }
    }
#endif
