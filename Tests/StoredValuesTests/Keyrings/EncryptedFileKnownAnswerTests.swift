import Foundation
import Testing

@testable import StoredValues

/// The two files and the seed were made by Scripts/seal-encrypted-file, in another language and by the documentation alone.
@Suite("The format of the encrypted file, against one made elsewhere", .hangLimit)
struct EncryptedFileKnownAnswerTests {
    private let entries = [
        EncryptedFileEntry(
            id: SecretIdentifier(service: "com.example.Editor", account: "authToken"), label: "com.example.Editor/authToken",
            modified: 1_700_000_000_000, secret: Secret("known-answer-token".utf8)),
        EncryptedFileEntry(
            id: SecretIdentifier(service: "com.example.Editor", account: "clé"), label: "", modified: -1,
            secret: Secret([0x00, 0xFF, 0x0A])),
        EncryptedFileEntry(
            id: SecretIdentifier(service: "other", account: ""), label: "an empty one", modified: 0, secret: Secret([])),
    ]
}

extension EncryptedFileKnownAnswerTests {
    private static let keyFile = [UInt8](0x40..<0x60)
    private static let passphrase = "correct horse battery stäple"

    private static let madeWithKeyFile = """
        53565345435245540100010100000000000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        0300000000000000808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f421157d62c907192
        4482e04e004ae14abf00000000000000e23dc57c99519db9efb1c51a9b4a51b0ca89591c3a32ecec9df46dfcc2e55486
        fb804e21c35cfabc9cce6da742f34b6e56da021ca467bddfe14291d5a1a209e0a2759e5aace63c656842020df939a224
        c454a3a7a1d7dd0fcf3981dbeb007b361e7d830db71d16bee33562d53827a3c8bd0ff5687f8216abc0dbfb5b339d3de7
        99cbe815813f76112853257f5e7c81d5dd023cf3f1c464c427da4a437f6e2d69c2b8b984d5ae908c47c4bf6af808698c
        41e89ab31f1425a96e43e43a581117d62ac9ffb082c86bf820d2691403588df7e8059d2a1430cea765494f072712fc
        """

    private static let madeWithPassphrase = """
        5356534543524554010002010e080100000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        0300000000000000808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f0f83d69bf61144db
        b304ce443f501b37bf00000000000000a30ce5c80c0c3ff4d7890fa14aa1edb7b5cf22f0ba2637254d6cbaf11a0e392b
        ae305a399c9f7cc4478455db06df52e552caadb364518ce79d3b12bd8aced94a35f3bd9431ec7d33ecf7be61bd6a6d6d
        ad2367dcc1c095fa36bb04b006aa174fb3f7caef0d515eb5189d0e0025ae04ef25749ce91c80d3b78829f73f6e1c439a
        e2711aba1677179afc8a98f8578d1619810adead531c31d70064bf5c1e37e595a19ebf93742a8efccb98137615d8cf23
        c67b42922690714afce7412aecaa9813ca90de25a189d663582fd89a70f675840f63157174e34205587ea2aee00b9e
        """

    @Test("A keyring opens it, and adds to it", arguments: [true, false])
    func open(isKeyFile: Bool) async throws {
        try await withTemporaryFolder { folder in
            let bytes = Self.bytes(isKeyFile ? Self.madeWithKeyFile : Self.madeWithPassphrase)
            try Data(bytes).write(to: URL(fileURLWithPath: folder + "/store"))
            try Data(Self.keyFile).write(to: URL(fileURLWithPath: folder + "/key"))
            #expect(chmod(folder + "/key", 0o600) == 0)
            let key: EncryptedFileKey = isKeyFile ? .file(folder + "/key") : .passphrase { Secret(Self.passphrase.utf8) }
            let keyring = EncryptedFileKeyring(path: folder + "/store", key: key, deadline: hangLimit)
            for entry in entries { #expect(try await keyring.read(entry.id) == entry.secret) }
            #expect(try await keyring.identifiers(inService: "com.example.Editor").map(\.account) == ["authToken", "clé"])
            try await keyring.write(Secret([1]), for: SecretIdentifier(service: "other", account: "new"), label: "")
            let after = try EncryptedFileHeader(ofFile: Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/store"))))
            #expect(after.generation == 4)
            #expect(try await keyring.read(entries[0].id) == entries[0].secret)
        }
    }

    @Test("Every field reads as it was written, and sealing the same gives the same bytes", arguments: [true, false])
    func bytes(isKeyFile: Bool) throws {
        let bytes = Self.bytes(isKeyFile ? Self.madeWithKeyFile : Self.madeWithPassphrase)
        let header = try EncryptedFileHeader(ofFile: bytes)
        let method: KeyDerivation.Method =
            isKeyFile ? .hkdf : .scrypt(logarithmOfRounds: 14)
        #expect(header.derivation == KeyDerivation(method: method, salt: Array(0x00..<0x20)))
        #expect(header.generation == 3 && header.seed == Array(0x80..<0xA0))
        let material = Secret(isKeyFile ? Self.keyFile : Array(Self.passphrase.utf8))
        let key = try DerivedKey(header.derivation, from: material)
        #expect(key.opens(header))
        let read = try key.open(bytes, header: header)
        #expect(read.count == entries.count)
        for entry in entries {
            #expect(read[entry.id]?.label == entry.label && read[entry.id]?.modified == entry.modified)
        }
        let sealed = key.seal(EncryptedFileBody.bytes(of: entries), generation: 3, seed: header.seed)
        #expect(sealed == bytes)
    }

    @Test("The seed is made as the documentation says")
    func seed() throws {
        let key = try DerivedKey(KeyDerivation(method: .hkdf, salt: Array(0x00..<0x20)), from: Secret(Self.keyFile))
        let seed = key.seed(for: EncryptedFileBody.bytes(of: entries), generation: 3, random: Array(0x80..<0xA0))
        #expect(seed == Self.bytes("4d1e402f978f4e249c5cff2d6cfd792ec145a3450b5e4ffc4a7a4cb071dc05d5"))
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
