#if EncryptedFile
    import FoundationEssentials

    // The format of an encrypted keyring's file, version 1. StoredValues.docc/EncryptedFileFormat.md describes each byte.

    /// How a file's key is derived from the user's key or passphrase: fixed when the file is created, and stored in its header.
    struct KeyDerivation: Hashable, Sendable {
        enum Method: Hashable, Sendable {
            /// HKDF-SHA256, for key files, which are already random.
            case hkdf
            /// scrypt, for passphrases, which can be guessed, with r = 8 and p = 1.
            case scrypt(logarithmOfRounds: UInt8)

            /// The cost for new files: OWASP's first recommendation.
            static let standardScrypt = Method.scrypt(logarithmOfRounds: 17)
        }

        var method: Method
        var salt: [UInt8]
    }

    extension KeyDerivation {
        init(new method: Method) { self.init(method: method, salt: Self.randomBytes(32)) }

        static func randomBytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: .min ... .max) } }
    }

    /// The unencrypted beginning of the file.
    struct EncryptedFileHeader: Equatable, Sendable {
        static let byteCount = 128
        private static let version = 1
        private static let magic = Array("SVSECRET".utf8)
        private static let checksummedByteCount = 112

        var derivation: KeyDerivation
        var generation: UInt64
        var seed: [UInt8]
        var keyCheck: [UInt8]
        var bodyByteCount: Int

        var bytes: [UInt8] {
            var bytes = Self.magic
            bytes.append(littleEndian: UInt16(Self.version))
            switch derivation.method {
            case .hkdf: bytes += [1, 1, 0, 0, 0, 0]
            case .scrypt(let logarithmOfRounds): bytes += [2, 1, logarithmOfRounds, 8, 1, 0]
            }
            bytes += derivation.salt
            bytes.append(littleEndian: generation)
            bytes += seed
            bytes += keyCheck
            bytes.append(littleEndian: UInt64(bodyByteCount))
            return bytes + Self.checksum(of: bytes)
        }

        static func checksum(of bytes: [UInt8]) -> [UInt8] { Array(Sodium.sha256(bytes).prefix(16)) }
    }

    extension EncryptedFileHeader {
        /// Reads the header of a whole file, which errors call `place`: ``KeyringError/damaged(path:)`` unless each field is valid and
        /// the file has the stated length, and an error that says so if a later version of this package has written it.
        init(ofFile file: [UInt8], at place: String = "the file") throws(KeyringError) {
            let damaged = KeyringError.damaged(path: place)
            guard file.count >= Self.byteCount + Sodium.tagByteCount, file.starts(with: Self.magic),
                Self.checksum(of: Array(file[..<Self.checksummedByteCount]))
                    == Array(file[Self.checksummedByteCount..<Self.byteCount])
            else { throw damaged }
            let version = Int(file.littleEndian(UInt16.self, at: 8))
            guard version <= Self.version else {
                throw .other(
                    domain: "EncryptedFileKeyring", code: 3,
                    message: "\(place) was written by a newer version of StoredValues (format \(version)); use that one")
            }
            guard version == Self.version else { throw damaged }
            let parameters = Array(file[10..<16]), cost = parameters[2]
            let method: KeyDerivation.Method
            switch parameters {
            case [1, 1, 0, 0, 0, 0]: method = .hkdf
            // Neither so low that a passphrase is easily guessed, nor so high (over 256 MiB) that a forged file overloads the machine.
            case [2, 1, cost, 8, 1, 0] where (14...18).contains(cost): method = .scrypt(logarithmOfRounds: cost)
            default: throw damaged
            }
            derivation = KeyDerivation(method: method, salt: Array(file[16..<48]))
            generation = file.littleEndian(UInt64.self, at: 48)
            seed = Array(file[56..<88])
            keyCheck = Array(file[88..<104])
            bodyByteCount = file.count - Self.byteCount - Sodium.tagByteCount
            guard file.littleEndian(UInt64.self, at: 104) == UInt64(bodyByteCount) else { throw damaged }
        }
    }

    struct EncryptedFileEntry: Sendable {
        /// The maximum size of a text; sizes in the file are checked against it before memory is allocated.
        static let textLimit = 1 << 16

        var id: SecretIdentifier
        var label: String
        /// Milliseconds since 1970.
        var modified: Int64
        var secret: Secret
    }

    extension EncryptedFileEntry {
        /// A secret that is stored now. Throws ``KeyringError/tooLarge`` if it could not be read again.
        init(new secret: Secret, for id: SecretIdentifier, label: String) throws(KeyringError) {
            self.init(id: id, label: label, modified: Int64(Date().timeIntervalSince1970 * 1000), secret: secret)
            guard secret.count <= Secret.sizeLimit, texts.allSatisfy({ $0.utf8.count <= Self.textLimit }) else { throw .tooLarge }
        }

        fileprivate var texts: [String] { [id.service, id.account, label] }
    }

    /// The encrypted part of the file as plaintext, only in memory that is wiped.
    enum EncryptedFileBody {
        static func bytes(of entries: some Collection<EncryptedFileEntry>) -> Secret {
            let sorted = entries.sorted { ($0.id.service, $0.id.account) < ($1.id.service, $1.id.account) }
            let size = sorted.reduce(4) { sum, entry in
                entry.texts.reduce(sum + 8 + 4 + entry.secret.count) { $0 + 4 + $1.utf8.count }
            }
            return Secret(count: size) { buffer in
                var position = 0
                func put(_ bytes: some Collection<UInt8>) {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[position...]).copyBytes(from: bytes)
                    position += bytes.count
                }
                func put(number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { put($0) } }
                put(number: UInt32(sorted.count))
                for entry in sorted {
                    for text in entry.texts {
                        put(number: UInt32(text.utf8.count))
                        put(text.utf8)
                    }
                    put(number: entry.modified)
                    put(number: UInt32(entry.secret.count))
                    entry.secret.withBytes { put($0) }
                }
            }
        }

        /// The entries in `bytes`. Throws ``KeyringError/damaged(path:)`` unless they are what ``bytes(of:)`` returns.
        static func entries(in bytes: UnsafeRawBufferPointer) throws(KeyringError) -> SealedSecrets.Entries {
            let damaged = KeyringError.damaged(path: "the file")
            var rest = bytes[...]
            func take(_ count: Int) throws(KeyringError) -> UnsafeRawBufferPointer {
                guard count <= rest.count else { throw damaged }
                defer { rest = rest.dropFirst(count) }
                return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
            }
            func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(KeyringError) -> Number {
                Number(littleEndian: try take(MemoryLayout<Number>.size).loadUnaligned(as: type))
            }
            func field(upTo limit: Int) throws(KeyringError) -> UnsafeRawBufferPointer {
                let count = Int(try number(UInt32.self))
                guard count <= limit else { throw damaged }
                return try take(count)
            }
            func text() throws(KeyringError) -> String {
                guard let text = String(validating: try field(upTo: EncryptedFileEntry.textLimit), as: UTF8.self) else { throw damaged }
                return text
            }
            var entries: SealedSecrets.Entries = [:]
            for _ in 0..<(try number(UInt32.self)) {
                let id = SecretIdentifier(service: try text(), account: try text())
                let entry = EncryptedFileEntry(
                    id: id, label: try text(), modified: try number(Int64.self), secret: Secret(try field(upTo: Secret.sizeLimit)))
                guard entries.updateValue(entry, forKey: id) == nil else { throw damaged }
            }
            guard rest.isEmpty else { throw damaged }
            return entries
        }
    }

    extension [UInt8] {
        fileprivate mutating func append(littleEndian number: some FixedWidthInteger) {
            Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
        }

        fileprivate func littleEndian<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
            Number(littleEndian: withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) })
        }
    }
#endif
