#if EncryptedFile
    import FoundationEssentials

    // The format of an encrypted keyring's file, version 1. StoredValues.docc/EncryptedFileFormat.md describes each byte.

    /// The unencrypted beginning of the file.
    struct EncryptedFileHeader: Equatable, Sendable {
        static let byteCount = 128
        static let tagByteCount = 16
        static let version = 1
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
            case .scrypt(let cost): bytes += [2, 1, cost.logarithmOfRounds, cost.blockSize, cost.parallelism, 0]
            }
            bytes += derivation.salt
            bytes.append(littleEndian: generation)
            bytes += seed
            bytes += keyCheck
            bytes.append(littleEndian: UInt64(bodyByteCount))
            return bytes + EncryptedFileSeal.checksum(of: bytes)
        }
    }

    extension EncryptedFileHeader {
        /// Reads the header of a whole file, which errors call `place`. Throws ``KeyringError/damaged(path:)`` unless each field is
        /// valid and the file has the stated length, and an error that says so if a later version of this package has written it.
        init(ofFile file: [UInt8], at place: String = "the file") throws(KeyringError) {
            let damaged = KeyringError.damaged(path: place)
            guard file.count >= Self.byteCount + Self.tagByteCount, file.starts(with: Self.magic),
                EncryptedFileSeal.checksum(of: Array(file[..<Self.checksummedByteCount]))
                    == Array(file[Self.checksummedByteCount..<Self.byteCount])
            else { throw damaged }
            let version = Int(file.littleEndian(UInt16.self, at: 8))
            guard version <= Self.version else {
                throw .other(
                    domain: "EncryptedFileKeyring", code: 3,
                    message: "\(place) was written by a newer version of StoredValues (format \(version)); use that one")
            }
            guard version == Self.version else { throw damaged }
            let parameters = Array(file[10..<16])
            let method: KeyDerivation.Method
            if parameters == [1, 1, 0, 0, 0, 0] {
                method = .hkdf
            } else {
                let cost = ScryptCost(logarithmOfRounds: parameters[2], blockSize: parameters[3], parallelism: parameters[4])
                guard parameters[0] == 2, parameters[1] == 1, parameters[5] == 0, cost.isAcceptable else { throw damaged }
                method = .scrypt(cost)
            }
            derivation = KeyDerivation(method: method, salt: Array(file[16..<48]))
            generation = file.littleEndian(UInt64.self, at: 48)
            seed = Array(file[56..<88])
            keyCheck = Array(file[88..<104])
            bodyByteCount = file.count - Self.byteCount - Self.tagByteCount
            guard file.littleEndian(UInt64.self, at: 104) == UInt64(bodyByteCount) else { throw damaged }
        }
    }

    /// One secret in the file.
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
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            self.init(id: id, label: label, modified: now, secret: secret)
            guard secret.count <= Secret.sizeLimit, [id.service, id.account, label].allSatisfy({ $0.utf8.count <= Self.textLimit }) else {
                throw .tooLarge
            }
        }
    }

    /// The encrypted part of the file as plaintext, only in memory that is wiped.
    enum EncryptedFileBody {
        static func bytes(of entries: some Collection<EncryptedFileEntry>) -> Secret {
            let sorted = entries.sorted { ($0.id.service, $0.id.account) < ($1.id.service, $1.id.account) }
            let size = sorted.reduce(4) { sum, entry in
                sum + 12 + entry.id.service.utf8.count + entry.id.account.utf8.count + entry.label.utf8.count
                    + 8 + 4 + entry.secret.count
            }
            return Secret(count: size) { buffer in
                var position = 0
                func put(_ bytes: some Collection<UInt8>) {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[position...]).copyBytes(from: bytes)
                    position += bytes.count
                }
                func put<Number: FixedWidthInteger>(number: Number) {
                    withUnsafeBytes(of: number.littleEndian) { put($0) }
                }
                put(number: UInt32(sorted.count))
                for entry in sorted {
                    for text in [entry.id.service, entry.id.account, entry.label] {
                        put(number: UInt32(text.utf8.count))
                        put(text.utf8)
                    }
                    put(number: entry.modified)
                    put(number: UInt32(entry.secret.count))
                    entry.secret.withBytes { put($0) }
                }
            }
        }

        /// The entries in `bytes`. Throws `damaged` unless they are what ``bytes(of:)`` returns.
        static func entries(
            in bytes: UnsafeRawBufferPointer, orThrow damaged: KeyringError = .damaged(path: "the file")
        ) throws(KeyringError) -> SealedSecrets.Entries {
            var rest = bytes[...]
            func take(_ count: Int) throws(KeyringError) -> UnsafeRawBufferPointer {
                guard count <= rest.count else { throw damaged }
                defer { rest = rest.dropFirst(count) }
                return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
            }
            func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(KeyringError) -> Number {
                Number(littleEndian: try take(MemoryLayout<Number>.size).loadUnaligned(as: type))
            }
            func text() throws(KeyringError) -> String {
                let count = Int(try number(UInt32.self))
                guard count <= EncryptedFileEntry.textLimit, let text = String(validating: try take(count), as: UTF8.self) else {
                    throw damaged
                }
                return text
            }
            var entries: SealedSecrets.Entries = [:]
            for _ in 0..<(try number(UInt32.self)) {
                let id = SecretIdentifier(service: try text(), account: try text())
                let label = try text()
                let modified = try number(Int64.self)
                let count = Int(try number(UInt32.self))
                guard count <= Secret.sizeLimit else { throw damaged }
                let secret = Secret(try take(count))
                let entry = EncryptedFileEntry(id: id, label: label, modified: modified, secret: secret)
                guard entries.updateValue(entry, forKey: id) == nil else { throw damaged }
            }
            guard rest.isEmpty else { throw damaged }
            return entries
        }
    }

    extension [UInt8] {
        fileprivate mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
            Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
        }

        fileprivate func littleEndian<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
            Number(littleEndian: withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) })
        }
    }
#endif
