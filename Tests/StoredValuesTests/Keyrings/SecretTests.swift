import StoredValues
import Testing

@Suite("Secret")
struct SecretTests {
    @Test("A secret shows its bytes to nobody who prints, dumps or mirrors it")
    func silence() {
        let secret = Secret(Array("hunter2-hunter2".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\(Mirror(reflecting: secret).children.map { $0 })"] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test("Secrets are equal when their bytes are", arguments: [[], [0], [1, 0, 255], Array("token".utf8)] as [[UInt8]])
    func equality(bytes: [UInt8]) {
        #expect(Secret(bytes) == Secret(bytes))
        #expect(Secret(bytes) != Secret(bytes + [0]))
        #expect(Secret(bytes).withBytes { Array($0) } == bytes)
    }
}
