import Testing

@testable import StoredValues

@Suite("Cryptography, against the vectors of the standards", .hangLimit)
struct SodiumTests {
    private let text = Secret(
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.".utf8)
    private let keyAndNonce = Secret(Array(0x80...0x9F) + bytes("070000004041424344454647"))
    private let header = bytes("50515253c0c1c2c3c4c5c6c7")
    private let box = bytes(
        """
        d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36
        92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116
        1ae10b594f09e26a7e902ecbd0600691
        """)
}

extension SodiumTests {
    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    // MARK: RFC 8439, 2.8.2

    @Test("ChaCha20-Poly1305 seals as RFC 8439 does, and opens that")
    func cipher() {
        #expect(Sodium.seal(text, keyAndNonce: keyAndNonce, authenticating: header) == box)
        #expect(Sodium.open(box[...], keyAndNonce: keyAndNonce, authenticating: header[...]) == text)
    }

    @Test("An empty text has a tag and opens; what is shorter than a tag does not")
    func empty() {
        let sealed = Sodium.seal(Secret([]), keyAndNonce: keyAndNonce, authenticating: [])
        #expect(sealed.count == 16)
        #expect(Sodium.open(sealed[...], keyAndNonce: keyAndNonce, authenticating: []) == Secret([]))
        for count in 0..<16 { #expect(Sodium.open(sealed.prefix(count), keyAndNonce: keyAndNonce, authenticating: []) == nil) }
    }

    @Test("No single wrong bit opens: of the text, the tag, the header, the key or the nonce")
    func bits() {
        func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
            var bytes = bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            return bytes
        }
        for bit in 0..<box.count * 8 {
            #expect(Sodium.open(flipped(box, bit)[...], keyAndNonce: keyAndNonce, authenticating: header[...]) == nil, "bit \(bit)")
        }
        for bit in 0..<header.count * 8 {
            #expect(Sodium.open(box[...], keyAndNonce: keyAndNonce, authenticating: flipped(header, bit)[...]) == nil, "header \(bit)")
        }
        let key = keyAndNonce.withBytes { Array($0) }
        for bit in 0..<key.count * 8 {
            #expect(Sodium.open(box[...], keyAndNonce: Secret(flipped(key, bit)), authenticating: header[...]) == nil, "key \(bit)")
        }
    }

    // MARK: RFC 5869, appendix A

    @Test(
        "HKDF-SHA256 derives the keys of RFC 5869",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 22), Array(UInt8(0x00)...0x0C), Array(UInt8(0xF0)...0xF9),
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            (
                Array(UInt8(0x00)...0x4F), Array(UInt8(0x60)...0xAF), Array(UInt8(0xB0)...0xFF),
                """
                b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09
                da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
                """
            ),
            (
                [UInt8](repeating: 0x0B, count: 22), [], [],
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            ),
        ])
    func hkdf(material: [UInt8], salt: [UInt8], info: [UInt8], key: String) {
        let key = Self.bytes(key)
        #expect(Sodium.hkdf(Secret(material), salt: salt, info: info, count: key.count) == Secret(key))
    }

    // MARK: RFC 7914, 12

    @Test(
        "scrypt derives the keys of RFC 7914",
        arguments: [
            (
                "", "", UInt64(16), UInt32(1), UInt32(1),
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
            ),
            (
                "password", "NaCl", 1024, 8, 16,
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
            ),
            (
                "pleaseletmein", "SodiumChloride", 16384, 8, 1,
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
            ),
        ])
    func scrypt(passphrase: String, salt: String, rounds: UInt64, blockSize: UInt32, parallelism: UInt32, key: String) {
        let key = Self.bytes(key)
        let derived = Sodium.scrypt(
            Secret(passphrase.utf8), salt: Array(salt.utf8), rounds: rounds, blockSize: blockSize, parallelism: parallelism, count: key.count)
        #expect(derived == Secret(key))
    }

    @Test("scrypt with more memory than there is gives no key, and ends no process")
    func tooMuchMemory() {
        #expect(Sodium.scrypt(Secret([1]), salt: [1], rounds: 1 << 40, blockSize: 8, parallelism: 1, count: 32) == nil)
    }

    @Test(
        "SHA-256 hashes as FIPS 180 does",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ])
    func hash(text: String, hash: String) { #expect(Sodium.sha256(Array(text.utf8)) == Self.bytes(hash)) }
}
