@testable import StoredValues

/// What must hold for the reader of encrypted keyrings, whatever the bytes.
enum EncryptedFileRules {
    /// A rule that does not hold.
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    private static func key() throws -> DerivedKey {
        try DerivedKey(KeyDerivation(method: .hkdf, salt: [UInt8](repeating: 1, count: 32)), from: Secret([UInt8](repeating: 7, count: 32)))
    }

    /// The first byte says what the others are: a file; one whose checksum is put right, to get past it; or the
    /// plain body of a file.
    static func check(_ input: [UInt8]) throws {
        guard let kind = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch kind % 3 {
        case 0: try checkFile(bytes)
        case 1: try checkFile(withSoundChecksum(bytes))
        default: try checkBody(bytes)
        }
    }

    private static func require(_ condition: Bool, _ rule: String) throws(Broken) {
        guard condition else { throw Broken(description: rule) }
    }

    private static func withSoundChecksum(_ bytes: [UInt8]) -> [UInt8] {
        let sum = 112..<EncryptedFileHeader.byteCount
        guard bytes.count >= sum.upperBound else { return bytes }
        var bytes = bytes
        bytes.replaceSubrange(sum, with: EncryptedFileHeader.checksum(of: Array(bytes[..<sum.lowerBound])))
        return bytes
    }

    private static func checkFile(_ file: [UInt8]) throws {
        guard let header = try? EncryptedFileHeader(ofFile: file) else { return }
        try require(header.bytes == Array(file[..<EncryptedFileHeader.byteCount]), "a header has one spelling")
        if case .scrypt(let logarithmOfRounds) = header.derivation.method {
            try require((14...18).contains(logarithmOfRounds), "no file makes its reader take all the memory")
        }
        let entries = try? key().open(file, header: header)
        try require(entries == nil, "what was not sealed with the key does not open")
    }

    private static func checkBody(_ body: [UInt8]) throws {
        guard let entries = try? body.withUnsafeBytes({ try EncryptedFileBody.entries(in: $0) }) else { return }
        let key = try key(), file = key.seal(entries.values, generation: 1)
        let header = try EncryptedFileHeader(ofFile: file)
        try require(key.opens(header), "a file knows its key")
        let read = try key.open(file, header: header)
        try require(read.count == entries.count, "what was sealed opens, as many entries as there were")
        for (id, entry) in entries {
            guard let other = read[id] else { throw Broken(description: "what was sealed opens, each entry of it") }
            try require(
                other.label == entry.label && other.modified == entry.modified && other.secret == entry.secret,
                "what was sealed opens as it was")
        }
        try checkDamage(file, at: body.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF } % file.count)
    }

    private static func checkDamage(_ sound: [UInt8], at position: Int) throws {
        var file = sound
        file[position] ^= 1
        guard let header = try? EncryptedFileHeader(ofFile: file) else { return }
        let entries = try? key().open(file, header: header)
        try require(entries == nil, "a file with one wrong bit does not open")
    }
}
