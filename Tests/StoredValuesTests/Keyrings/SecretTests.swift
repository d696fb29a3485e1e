import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("Secret")
struct SecretTests {}

extension SecretTests {
    @Test("Secrets are equal when their bytes are", arguments: [[], [0], [1, 0, 255], Array("token".utf8)] as [[UInt8]])
    func equality(bytes: [UInt8]) {
        #expect(Secret(bytes) == Secret(bytes))
        #expect(Secret(bytes) != Secret(bytes + [0]))
        #expect(Secret(bytes).withBytes { Array($0) } == bytes)
    }

    /// What the memory of secrets held when it was given back.
    private final class Released: Sendable {
        let memory = Guarded<[[UInt8]]>([])

        func secret(_ bytes: [UInt8]) -> Secret {
            Secret(count: bytes.count, release: take) { $0.copyBytes(from: bytes) }
        }

        var take: @Sendable (UnsafeMutableRawBufferPointer) -> Void {
            { buffer in
                self.memory.withLock { $0.append(Array(buffer)) }
                buffer.deallocate()
            }
        }
    }

    @Test("The bytes are overwritten when the last reference goes, and not before")
    func wiping() {
        let released = Released()
        let bytes = Array(TestSecret.text().utf8)
        do {
            let secret = released.secret(bytes)
            let copies = [secret, secret]
            #expect(copies[1].withBytes { Array($0) } == bytes)
            #expect(released.memory.withLock { $0 } == [])
        }
        #expect(released.memory.withLock { $0 } == [[UInt8](repeating: 0, count: bytes.count)])
    }

    @Test("They are overwritten, too, when filling it fails half way")
    func failing() {
        struct Failure: Error {}
        let released = Released()
        #expect(throws: Failure.self) {
            _ = try Secret(count: 4, release: released.take) { buffer in
                buffer[0] = 7
                throw Failure()
            }
        }
        #expect(released.memory.withLock { $0 } == [[0, 0, 0, 0]])
    }

    @Test("A keyring that a secret is removed from, or replaced in, keeps none of it")
    func keyring() async throws {
        let released = Released()
        let keyring = InMemoryKeyring()
        let id = SecretIdentifier(service: "s", account: "a")
        try await keyring.write(released.secret([1, 2]), for: id, label: "")
        try await keyring.write(released.secret([3]), for: id, label: "")
        #expect(released.memory.withLock { $0 } == [[0, 0]])
        try await keyring.remove(id)
        #expect(released.memory.withLock { $0 } == [[0, 0], [0]])
    }
}
