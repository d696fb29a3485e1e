import Testing

@testable import StoredValues

@Suite("The format of the encrypted file")
struct EncryptedFileFormatTests {
    private let entries = [
        EncryptedFileEntry(
            id: SecretIdentifier(service: "s", account: "a"), label: "ä", modified: -1, secret: Secret([1, 2, 3])),
        EncryptedFileEntry(
            id: SecretIdentifier(service: "s", account: "b"), label: "", modified: .max, secret: Secret([])),
    ]
}

extension EncryptedFileFormatTests {
    private func parse(_ bytes: [UInt8]) throws(KeyringError) -> [SecretIdentifier: EncryptedFileEntry] {
        let secret = Secret(bytes)
        do {
            return try secret.withBytes { try EncryptedFileBody.entries(in: $0) }
        } catch {
            throw .damaged(path: "the file")
        }
    }

    @Test("A body reads back as it was written, sorted, whatever the order of its entries")
    func roundTrip() throws {
        let body = EncryptedFileBody.bytes(of: entries)
        #expect(body == EncryptedFileBody.bytes(of: entries.reversed()))
        let read = try parse(body.withBytes { Array($0) })
        #expect(read.count == 2)
        for entry in entries {
            let found = try #require(read[entry.id])
            #expect(found.label == entry.label)
            #expect(found.modified == entry.modified)
            #expect(found.secret == entry.secret)
        }
    }

    @Test("A body that is cut, longer, or says impossible lengths is refused without a crash or much memory")
    func strictness() {
        let sound = EncryptedFileBody.bytes(of: entries).withBytes { Array($0) }
        for count in 0..<sound.count {
            #expect(throws: KeyringError.damaged(path: "the file")) { try parse(Array(sound[..<count])) }
        }
        #expect(throws: KeyringError.damaged(path: "the file")) { try parse(sound + [0]) }
        // A changed length must be refused; a changed byte of a name or a secret is the tag's business, not the parser's.
        for offset in sound.indices {
            for value in [0, 1, 127, 128, 255] as [UInt8] {
                var changed = sound
                changed[offset] = value
                if let read = try? parse(changed) { #expect(read.count <= 2) }
            }
        }
        let twice = EncryptedFileBody.bytes(of: [entries[0], entries[0]]).withBytes { Array($0) }
        #expect(throws: KeyringError.damaged(path: "the file")) { try parse(twice) }
    }

    @Test("Where the system draws the same random bytes again, another content, generation or key has another seed")
    func repeatedRandomness() throws {
        let random = [UInt8](repeating: 9, count: 32)
        func seed(_ entries: [EncryptedFileEntry], generation: UInt64 = 1, key: UInt8 = 7) throws -> [UInt8] {
            let key = try DerivedKey(
                KeyDerivation(method: .hkdf, salt: random), from: Secret(repeatElement(key, count: 32)))
            let file = key.seal(entries, generation: generation, random: random)
            return try EncryptedFileHeader(ofFile: file).seed
        }
        var other = entries
        other[0].secret = Secret([1, 2, 4])
        let seeds = try [
            seed(entries), seed(other), seed([entries[0]]), seed([]), seed(entries, generation: 2), seed(entries, key: 8),
        ]
        #expect(Set(seeds).count == seeds.count)
        #expect(try seed(entries) == seeds[0])
        #expect(!seeds.contains(random))
    }

    @Test("A header reads back as it was written")
    func header() throws {
        for method in [KeyDerivation.Method.hkdf, .standardScrypt] {
            let header = EncryptedFileHeader(
                derivation: KeyDerivation(new: method), generation: .max, seed: KeyDerivation.randomBytes(32),
                keyCheck: KeyDerivation.randomBytes(16), bodyByteCount: 5)
            #expect(header.bytes.count == EncryptedFileHeader.byteCount)
            let file = header.bytes + [UInt8](repeating: 0, count: 5 + 16)
            #expect(try EncryptedFileHeader(ofFile: file) == header)
        }
    }
}
