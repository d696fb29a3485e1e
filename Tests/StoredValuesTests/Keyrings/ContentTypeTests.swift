import StoredValuesSecretService
import Testing

@Suite("The content type of a secret")
struct ContentTypeTests {}

extension ContentTypeTests {
    @Test(
        "Valid UTF-8 without NUL goes as text, everything else as bytes",
        arguments: [
            ([UInt8]("".utf8), "text/plain"), (Array("é".utf8), "text/plain"), (Array("s3cret\n".utf8), "text/plain"),
            (Array("a\0b".utf8), "application/octet-stream"), ([0xFF], "application/octet-stream"),
            ([0xC3], "application/octet-stream"),
        ])
    func contentType(bytes: [UInt8], expected: String) {
        #expect(bytes.withUnsafeBytes { StoredValuesSecretService.contentType(of: $0) } == expected)
    }
}
