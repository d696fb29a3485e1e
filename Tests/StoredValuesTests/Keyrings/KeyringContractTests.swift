import Foundation
import StoredValues
import Testing

/// The rules of `Keyring`, against every keyring.
@Suite("Keyring contract", .hangLimit)
struct KeyringContractTests {
    private func id(_ account: String, in service: String = #function + UUID().uuidString) -> SecretIdentifier {
        SecretIdentifier(service: service, account: account)
    }

    private static let megabyte = 1 << 20

    @Test("What was never stored reads nil", arguments: KeyringUnderTest.available)
    func absent(_ subject: KeyringUnderTest) async throws {
        #expect(try await subject.open().read(id("token")) == nil)
    }

    @Test("What is written is read back to the bit", arguments: KeyringUnderTest.available)
    func roundTrip(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let samples: [[UInt8]] = [
            [], [0], [0xFF], Array("a\0b".utf8), Array(TestSecret.text().utf8), Array("🔑 né\n".utf8), [0xC3, 0x28], Array(0...255),
            (0..<65536).map { UInt8(truncatingIfNeeded: $0 &* 31) },
            (0..<Self.megabyte).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) },
        ]
        for sample in samples {
            let id = id("account")
            try await keyring.write(Secret(sample), for: id, label: "sample")
            #expect(try await keyring.read(id) == Secret(sample), "\(sample.count) bytes")
            try await keyring.remove(id)
        }
    }

    @Test("More than 1 MiB is refused and changes nothing", arguments: KeyringUnderTest.available)
    func tooLarge(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = id("token")
        let secret = Secret(Array("before".utf8))
        try await keyring.write(secret, for: id, label: "token")
        await #expect(throws: KeyringError.tooLarge) {
            try await keyring.write(Secret(count: Self.megabyte + 1) { _ in }, for: id, label: "token")
        }
        #expect(try await keyring.read(id) == secret)
    }

    @Test("Writing again replaces", arguments: KeyringUnderTest.available)
    func update(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = id("token")
        for text in ["first", "a longer second", ""] {
            try await keyring.write(Secret(text.utf8), for: id, label: "token")
            #expect(try await keyring.read(id) == Secret(text.utf8))
        }
        #expect(try await keyring.identifiers(inService: id.service) == [id])
    }

    @Test("What is removed is gone, and removing it again succeeds", arguments: KeyringUnderTest.available)
    func remove(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = id("token")
        try await keyring.write(Secret([1]), for: id, label: "token")
        try await keyring.remove(id)
        #expect(try await keyring.read(id) == nil)
        try await keyring.remove(id)
        #expect(try await keyring.identifiers(inService: id.service) == [])
    }

    @Test("Names that look alike are two secrets", arguments: KeyringUnderTest.available)
    func alike(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let composed = id("caf\u{e9}"), decomposed = id("cafe\u{301}", in: composed.service)
        try await keyring.write(Secret([1]), for: composed, label: "label")
        #expect(try await keyring.read(decomposed) == nil)
        try await keyring.write(Secret([2]), for: decomposed, label: "label")
        #expect(try await keyring.read(composed) == Secret([1]))
        #expect(try await keyring.identifiers(inService: composed.service).count == 2)
        try await keyring.remove(composed)
        #expect(try await keyring.read(decomposed) == Secret([2]))
        let services = ["\u{e9}", "e\u{301}"].map { SecretIdentifier(service: composed.service + $0, account: "token") }
        for id in services { try await keyring.write(Secret(id.service.utf8), for: id, label: "label") }
        for id in services { #expect(try await keyring.identifiers(inService: id.service) == [id]) }
    }

    @Test("Other accounts and services are left alone", arguments: KeyringUnderTest.available)
    func neighbours(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let here = id("token")
        let neighbours = [id("token2", in: here.service), id("tok", in: here.service), id("token", in: here.service + ".other")]
        for neighbour in neighbours {
            try await keyring.write(Secret(neighbour.description.utf8), for: neighbour, label: "neighbour")
        }
        try await keyring.write(Secret([1]), for: here, label: "here")
        try await keyring.remove(here)
        for neighbour in neighbours {
            #expect(try await keyring.read(neighbour) == Secret(neighbour.description.utf8))
        }
    }

    @Test("The identifiers of a service are its own, sorted by account", arguments: KeyringUnderTest.available)
    func identifiers(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let service = id("").service
        for account in ["c", "a", "b"] {
            try await keyring.write(Secret([1]), for: id(account, in: service), label: account)
        }
        try await keyring.write(Secret([1]), for: id("d", in: service + "x"), label: "d")
        #expect(try await keyring.identifiers(inService: service).map(\.account) == ["a", "b", "c"])
        #expect(try await keyring.identifiers(inService: service + "y") == [])
    }

    @Test("All secrets of a service can be removed, and no others", arguments: KeyringUnderTest.available)
    func removeAll(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let service = "all" + UUID().uuidString
        let own = ["a", "b", "café"].map { id($0, in: service) }
        let other = SecretIdentifier(service: service + "2", account: "a")
        for id in own + [other] { try await keyring.write(Secret([1]), for: id, label: "label") }
        #expect(try await keyring.removeAll(inService: service) == own)
        #expect(try await keyring.identifiers(inService: service) == [])
        #expect(try await keyring.removeAll(inService: service) == [])
        #expect(try await keyring.read(other) == Secret([1]))
        try await keyring.remove(other)
    }

    @Test("Many updates that await something make one refresh, and run again where the secret was changed meanwhile", arguments: KeyringUnderTest.available)
    func awaitingUpdates(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = id("token")
        let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
        try await token.set("expired")
        let server = TokenServer()
        @Sendable func freshToken() async throws -> String? {
            try await token.update { (token: inout String?) async throws in
                if token?.hasPrefix("expired") == true {
                    token = await server.refresh(token)
                    // As another process does it.
                    if token == "fresh 1" { try await keyring.write(Secret("expired again".utf8), for: id, label: "label") }
                }
                return token
            }
        }
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { try await freshToken() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "fresh 2", count: 20))
        #expect(await server.refreshed == ["expired", "expired again"])
        #expect(try await keyring.read(id) == Secret("fresh 2".utf8))
        try await token.reset()
    }

    @Test("Services and accounts may be any text", arguments: KeyringUnderTest.available)
    func names(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let names = [
            "", " ", "🔑é", #"a "quoted" 'name'"#, "line\nline", "a/b/../c", #"back\slash"#, "%s=&",
            String(repeating: "n", count: 4096),
        ]
        let service = id("").service
        for name in names {
            let ids = [id(name, in: service), id("account", in: "\(name).\(service)")]
            for id in ids {
                try await keyring.write(Secret(id.description.utf8), for: id, label: name)
                #expect(try await keyring.read(id) == Secret(id.description.utf8))
            }
        }
        #expect(try await keyring.identifiers(inService: service).map(\.account) == names.sorted())
    }

    @Test("A cancelled task gets .cancelled, soon, and changes nothing", arguments: KeyringUnderTest.available)
    func cancelled(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = id("token")
        try await keyring.write(Secret([1]), for: id, label: "token")
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await keyring.read(id) },
            { try await keyring.write(Secret([2]), for: id, label: "token") },
            { try await keyring.remove(id) },
            { _ = try await keyring.identifiers(inService: id.service) },
            { try await keyring.unlock() },
        ]
        for call in calls {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await #expect(throws: KeyringError.cancelled) { try await call() }
            }
            await task.value
        }
        #expect(try await keyring.read(id) == Secret([1]))
    }

    @Test("Many writers at once lose nothing", arguments: KeyringUnderTest.available)
    func concurrency(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let service = id("").service
        let accounts = (100..<140).map(String.init)
        try await withThrowingTaskGroup { group in
            for account in accounts {
                group.addTask {
                    try await keyring.write(Secret(account.utf8), for: id(account, in: service), label: account)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await keyring.identifiers(inService: service).map(\.account) == accounts)
        for account in accounts {
            #expect(try await keyring.read(id(account, in: service)) == Secret(account.utf8))
        }
    }

    @Test("A write and a removal are announced", arguments: KeyringUnderTest.available.filter(\.reportsChanges))
    func changes(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = id("token")
        var changes = keyring.changes.makeAsyncIterator()
        try await keyring.write(Secret([1]), for: id, label: "token")
        while let change = await changes.next(), change != .secret(id), change != .anySecret {}
        try await keyring.remove(id)
        while let change = await changes.next(), change != .secret(id), change != .anySecret {}
    }

    @Test("Under its lock a secret is read, written and removed as without it, and the lock ends with what holds it", arguments: KeyringUnderTest.available)
    func lock(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = id("token")
        for text in ["first", "second"] {
            let locked = try await keyring.locked(for: id)
            try await locked.write(Secret(text.utf8), for: id, label: "token")
            #expect(try await locked.read(id) == Secret(text.utf8))
            #expect(try await keyring.read(id) == Secret(text.utf8), "reading waits for no lock")
        }
        try await keyring.locked(for: id).remove(id)
        #expect(try await keyring.read(id) == nil)
        try await keyring.write(Secret([1]), for: id, label: "token")
        #expect(try await keyring.read(id) == Secret([1]))
    }

    @Test("Unlocking an open keyring returns", arguments: KeyringUnderTest.available)
    func unlock(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        try await keyring.unlock()
        #expect(try await keyring.read(id("token")) == nil)
    }

    @Test("A keyring says what it is", arguments: KeyringUnderTest.available)
    func description(_ subject: KeyringUnderTest) async throws {
        #expect(try await !subject.open().description.isEmpty)
    }
}
