import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("Which keyrings are one", .hangLimit)
struct KeyringIdentityTests {
    private let id = SecretIdentifier(service: "s", account: "token")
}

extension KeyringIdentityTests {
    private func token(_ keyring: some Keyring) -> SecurelyStoredValue<String> {
        SecurelyStoredValue(key: id.account, service: id.service, keyring: keyring)
    }

    @Test("Two values that say the same of themselves and state another identity are two keyrings")
    func stated() async throws {
        let one = Server(host: "one"), two = Server(host: "two")
        try await token(one).set("of one")
        try await token(two).set("of two")
        #expect(try await token(one).load() == "of one")
        #expect(try await token(two).load() == "of two")
        let (first, second) = (token(one), token(two))
        #expect(first.wrappedValue == "of one" && second.wrappedValue == "of two")
        #expect(FallbackKeyring([one]) != FallbackKeyring([two]))
        #expect(KeyringIdentity(one) != KeyringIdentity(NamedServer(host: "one", inner: InMemoryKeyring())), "another type")
        #expect(try await one.moveSecrets(inService: "s", to: two, overwriting: true).copied == [id])
    }

    @Test("One that states its identity is one value to all who use it through a fallback, or as the system's")
    func shared() async throws {
        let fallback = FallbackKeyring([Server(host: "shared")])
        #expect(Set([fallback, fallback]).count == 1)
        let (one, two) = (token(fallback), token(fallback))
        #expect(one.wrappedValue == nil && two.wrappedValue == nil)
        try await one.set("x")
        #expect(two.wrappedValue == "x")
        try await withTemporaryStorage(keyring: Server(host: "shared")) {
            let (one, two) = (token(.system), token(.system))
            #expect(one.wrappedValue == nil && two.wrappedValue == nil)
            try await one.set("y")
            #expect(two.wrappedValue == "y" && one.wrappedValue == "y")
            let inFallback = FallbackKeyring([.system])
            #expect(Set([inFallback, inFallback]).count == 1)
        }
    }

    @Test("A keyring that is an object is itself, one that can be compared equals its equals")
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
        #expect(try await sees(NamedServer(host: "one", inner: object), NamedServer(host: "one", inner: other)))
        #expect(try await !sees(NamedServer(host: "one", inner: object), NamedServer(host: "two", inner: other)))
        #expect(try await sees(ServerActor(), ServerActor()) == false)
        let actor = ServerActor()
        #expect(try await sees(actor, actor))
        #expect(try await sees(Server(host: "seen", inner: object), Server(host: "seen", inner: object)))
    }

    @Test("Objects around other keyrings are as many keyrings, and each is itself, also in a fallback")
    func objectsAround() async throws {
        let tenants = (0..<20).map { _ in Tenant(inner: InMemoryKeyring()) }
        #expect(Set(tenants.map { KeyringIdentity($0) }).count == tenants.count)
        #expect(FallbackKeyring([tenants[0]]) == FallbackKeyring([tenants[0]]) && FallbackKeyring([tenants[0]]) != FallbackKeyring([tenants[1]]))
        let (one, two, again) = (token(tenants[0]), token(tenants[1]), token(tenants[0]))
        #expect(one.wrappedValue == nil && two.wrappedValue == nil && again.wrappedValue == nil)
        try await one.set("of one")
        try await two.set("of two")
        #expect(one.wrappedValue == "of one" && two.wrappedValue == "of two" && again.wrappedValue == "of one")
        #expect(try await tenants[0].inner.read(id) == Secret("of one".utf8))
        #expect(try await tenants[1].inner.read(id) == Secret("of two".utf8))
        #expect(try await tenants[0].moveSecrets(inService: "s", to: tenants[1], overwriting: true).copied == [id])
    }

    @Test("An object around the system's keyring is one keyring in each temporary storage")
    func objectAroundTheSystem() async throws {
        let tenant = Tenant(inner: .system), secret = token(tenant)
        for text in ["one", "two"] {
            try await withTemporaryStorage {
                let values = Collector(secret.values)
                try await values.wait(for: [nil])
                try await token(tenant).set(text)
                try await values.wait(for: [nil, text])
                #expect(secret.wrappedValue == text)
                #expect(KeyringIdentity(tenant) != KeyringIdentity(Tenant(inner: .system)))
            }
        }
    }
}

@Suite("A keyring of one's own", .hangLimit)
struct OwnKeyringTests {
    private let id = SecretIdentifier(service: "s", account: "token")
}

extension OwnKeyringTests {
    @Test("It needs to read, write and remove; the rest has defaults, and what it cannot tell is never none")
    func defaults() async throws {
        let keyring = ServerActor()
        try await keyring.unlock()
        for await change in keyring.changes { Issue.record("\(change)") }
        #expect(keyring.description.contains("ServerActor"))
        let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
        #expect(token.status == .absent)
        try await token.set("x")
        #expect(try await token.required() == "x" && token.wrappedValue == "x")
        func cannotTell(_ call: () async throws(KeyringError) -> some Any) async throws {
            do throws(KeyringError) {
                _ = try await call()
                Issue.record("it says none")
            } catch {
                #expect("\(error)".contains("ServerActor cannot list its secrets"), "\(error)")
            }
        }
        try await cannotTell { () async throws(KeyringError) in try await keyring.identifiers(inService: id.service) }
        try await cannotTell { () async throws(KeyringError) in try await keyring.removeAll(inService: id.service) }
        await #expect(throws: SecretMoveError.self) { try await keyring.moveSecrets(inService: id.service, to: InMemoryKeyring()) }
        #expect(try await token.load() == "x")
        try await token.reset()
        #expect(try await keyring.read(id) == nil)
    }

    @Test("An update holds the lock that a keyring has from before it reads until it has written; what is set takes none")
    func locking() async throws {
        let server = LockingServer()
        let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: FallbackKeyring([server]))
        try await token.set("x")
        func events() -> [String] { server.events.withLock { $0 } }
        // On a busy machine it begins to listen late, and reads then.
        #expect(events().filter { $0 != "read" } == ["write"])
        server.events.withLock { $0 = [] }
        try await token.update { $0 = ($0 ?? "") + "y" }
        try await eventually("the lock is free") { server.events.withLock { $0.last } == "unlock" }
        #expect(events().filter { $0 != "read" } == ["lock", "read under the lock", "write under the lock", "unlock"])
        #expect(try await token.load() == "xy")
    }

    @Test("A keyring that watches only what is asked for is asked for each secret in use, as long as a wrapper uses it")
    func watching() async throws {
        let server = WatchingServer()
        do {
            let tokens = ["a", "b"].map { SecurelyStoredValue<String>(key: $0, service: id.service, keyring: FallbackKeyring([server])) }
            for token in tokens { #expect(try await token.load() == nil) }
            try await eventually("both are watched") { server.watched.withLock { $0.sorted() } == ["a", "b"] }
            withExtendedLifetime(tokens) {}
        }
        try await eventually("nothing is watched") { server.watched.withLock { $0.isEmpty } }
    }

    @Test("One that passes calls to the system's keyring has secrets of its own in each temporary storage")
    func aroundTheSystem() throws {
        let token = SecurelyStoredValue<String>(key: "token", keyring: Around(inner: FallbackKeyring([.system])))
        for text in ["one", "two"] {
            withTemporaryStorage(secrets: ["token": text]) {
                #expect(token.wrappedValue == text)
                #expect(SecurelyStoredValue<String>(key: "token", keyring: Around(inner: .system)).wrappedValue == text)
            }
        }
        #expect(Around(inner: .system).asksSystem && !Around(inner: InMemoryKeyring()).asksSystem)
    }
}

/// One with a lock, which writes down what it does.
private final class LockingServer: ForwardingKeyring {
    let inner = InMemoryKeyring()
    let events = Guarded<[String]>([])

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        events.withLock { $0.append("read") }
        return try await inner.read(id)
    }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        events.withLock { $0.append("write") }
        try await inner.write(secret, for: id, label: label)
    }
    func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
        events.withLock { $0.append("lock") }
        return Locked(server: self)
    }

    private final class Locked: ForwardingKeyring {
        let server: LockingServer
        var inner: InMemoryKeyring { server.inner }

        init(server: LockingServer) { self.server = server }
        deinit { server.events.withLock { $0.append("unlock") } }

        func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
            server.events.withLock { $0.append("read under the lock") }
            return try await inner.read(id)
        }
        func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
            server.events.withLock { $0.append("write under the lock") }
            try await inner.write(secret, for: id, label: label)
        }
    }
}

/// One that watches only what it is told to.
private final class WatchingServer: ForwardingKeyring {
    let inner = InMemoryKeyring()
    let watched = Guarded<[String]>([])

    func watch(_ id: SecretIdentifier) -> (any Sendable)? { Watch(id.account, self) }

    private final class Watch: Sendable {
        let (account, server): (String, WatchingServer)

        init(_ account: String, _ server: WatchingServer) {
            (self.account, self.server) = (account, server)
            server.watched.withLock { $0.append(account) }
        }
        deinit { server.watched.withLock { $0.removeAll { $0 == account } } }
    }
}

/// One around another.
private struct Around: Keyring {
    let inner: any Keyring

    init(inner: some Keyring) { self.inner = inner }

    var identity: any Hashable & Sendable { inner.identity }
    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { try await inner.read(id) }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await inner.write(secret, for: id, label: label)
    }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { try await inner.remove(id) }
    func replacingSystem(with system: () -> any Keyring) -> any Keyring { Around(inner: inner.replacingSystem(with: system)) }
}

/// An object around another one, which says nothing of changes; in place of the system's keyring it has another one each time.
private final class Tenant: Keyring {
    let inner: any Keyring

    init(inner: some Keyring) { self.inner = inner }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { try await inner.read(id) }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await inner.write(secret, for: id, label: label)
    }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { try await inner.remove(id) }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await inner.identifiers(inService: service)
    }
    func replacingSystem(with system: () -> any Keyring) -> any Keyring { Tenant(inner: inner.replacingSystem(with: system)) }
}

/// A keyring as somebody may write it: it cannot be compared, states its identity, and each says the same of itself.
private struct Server: ForwardingKeyring {
    let host: String
    var inner = InMemoryKeyring()
    var identity: any Hashable & Sendable { host }
}

/// One that can be compared.
private struct NamedServer: ForwardingKeyring, Hashable {
    let host: String
    let inner: InMemoryKeyring
    static func == (left: NamedServer, right: NamedServer) -> Bool { left.host == right.host }
    func hash(into hasher: inout Hasher) { hasher.combine(host) }
}

/// One that is an actor, with no more than a keyring must have.
private actor ServerActor: Keyring {
    private var secrets: [SecretIdentifier: Secret] = [:]

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { secrets[id] }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { secrets[id] = secret }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { secrets[id] = nil }
}
