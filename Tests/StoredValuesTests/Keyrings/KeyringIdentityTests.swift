import StoredValues
import Testing

@Suite("Which keyrings are one", .hangLimit)
struct KeyringIdentityTests {
    private let id = SecretIdentifier(service: "s", account: "token")

    private func token(_ keyring: some Keyring) -> SecurelyStoredValue<String> {
        SecurelyStoredValue(key: id.account, service: id.service, keyring: keyring)
    }

    @Test("Two values that say the same of themselves and cannot be compared are two keyrings")
    func described() async throws {
        let one = Server(host: "one"), two = Server(host: "two")
        try await token(one).set("of one")
        try await token(two).set("of two")
        #expect(try await token(one).load() == "of one")
        #expect(try await token(two).load() == "of two")
        let (first, second) = (token(one), token(two))
        #expect(first.wrappedValue == "of one" && second.wrappedValue == "of two")
        #expect(FallbackKeyring([one]) != FallbackKeyring([two]))
        #expect(try await one.moveSecrets(inService: "s", to: two, overwriting: true).copied == [id])
    }

    @Test("Such a keyring is one value to all who use it through a fallback, or as the system's")
    func shared() async throws {
        let fallback = FallbackKeyring([Server(host: "one")])
        #expect(Set([fallback, fallback]).count == 1)
        let (one, two) = (token(fallback), token(fallback))
        #expect(one.wrappedValue == nil && two.wrappedValue == nil)
        try await one.set("x")
        #expect(two.wrappedValue == "x")
        try await withTemporaryStorage(keyring: Server(host: "one")) {
            let (one, two) = (token(.system), token(.system))
            #expect(one.wrappedValue == nil && two.wrappedValue == nil)
            try await one.set("y")
            #expect(two.wrappedValue == "y" && one.wrappedValue == "y")
            let inFallback = FallbackKeyring([.system])
            #expect(Set([inFallback, inFallback]).count == 1)
        }
    }

    @Test("A keyring that is an object is itself, one that can be compared equals its equals, one that stores nothing its type")
    func comparable() async throws {
        let object = InMemoryKeyring(), other = InMemoryKeyring()
        func sees(_ one: some Keyring, _ two: some Keyring) async throws -> Bool {
            let (one, two) = (token(one), token(two))
            try await one.reset()
            _ = (one.wrappedValue, two.wrappedValue)
            try await one.set("new")
            return two.wrappedValue == "new"
        }
        #expect(try await sees(object, object))
        #expect(try await !sees(object, other))
        #expect(try await sees(NamedServer(host: "one", server: object), NamedServer(host: "one", server: other)))
        #expect(try await !sees(NamedServer(host: "one", server: object), NamedServer(host: "two", server: other)))
        #expect(try await sees(OnlyServer(), OnlyServer()))
    }
}

/// A keyring as somebody may write it: it cannot be compared, and each says the same of itself.
private struct Server: ForwardingKeyring {
    let host: String
    let server = InMemoryKeyring()
}

/// One that can be compared.
private struct NamedServer: ForwardingKeyring, Hashable {
    let host: String
    let server: InMemoryKeyring
    static func == (left: NamedServer, right: NamedServer) -> Bool { left.host == right.host }
    func hash(into hasher: inout Hasher) { hasher.combine(host) }
}

/// One that stores nothing.
private struct OnlyServer: ForwardingKeyring {
    private static let only = InMemoryKeyring()
    var server: InMemoryKeyring { Self.only }
}

private protocol ForwardingKeyring: Keyring {
    var server: InMemoryKeyring { get }
}

extension ForwardingKeyring {
    var description: String { "the company's secrets" }
    var changes: KeyringChanges { .none }
    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { try await server.read(id) }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await server.write(secret, for: id, label: label)
    }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { try await server.remove(id) }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await server.identifiers(inService: service)
    }
    func unlock() async throws(KeyringError) { try await server.unlock() }
}
