import Foundation
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("SecurelyStoredValue", .hangLimit)
struct SecurelyStoredValueTests {
    private let keyring = InMemoryKeyring()
    private let id = SecretIdentifier(service: "test", account: "token")
}

extension SecurelyStoredValueTests {
    private func token() -> SecurelyStoredValue<String> {
        SecurelyStoredValue(key: "token", service: "test", keyring: keyring)
    }

    struct InStruct {
        @SecurelyStoredValue<String> var token: String?
        init(_ keyring: InMemoryKeyring) { _token = SecurelyStoredValue(key: "token", service: "test", keyring: keyring) }
    }
    actor InActor {
        @SecurelyStoredValue<String> var token: String?
        init(_ keyring: InMemoryKeyring) { _token = SecurelyStoredValue(key: "token", service: "test", keyring: keyring) }
        func change(to text: String) async throws -> String? {
            try await $token.set(text)
            return token
        }
    }
    @MainActor @Observable final class Model {
        @ObservationIgnored @SecurelyStoredValue<String> var token: String?
        init(_ keyring: InMemoryKeyring) { _token = SecurelyStoredValue(key: "token", service: "test", keyring: keyring) }
    }
    final class Account: Sendable {
        let token: SecurelyStoredValue<String>
        init(_ keyring: InMemoryKeyring) { token = SecurelyStoredValue(key: "token", service: "test", keyring: keyring) }
        static let shared = SecurelyStoredValue<String>(key: "shared", service: "test", keyring: .inMemory)
    }
    /// As it stands in the documentation: the wrapper's type is the property's, or the other way round.
    struct Declared {
        @SecurelyStoredValue(key: "authToken") var authToken: String?
        @SecurelyStoredValue<String>(key: "authToken") var sameToken
        @SecurelyStoredValue(key: "dates", service: "test", keyring: .inMemory) var dates: [String: Date]?
    }

    @Test("Wrappers in a struct, an actor, an observable class and as a let are one value")
    @MainActor func places() async throws {
        let inStruct = InStruct(keyring), inActor = InActor(keyring), model = Model(keyring), account = Account(keyring)
        #expect(inStruct.token == nil && model.token == nil && account.token.wrappedValue == nil)
        #expect(try await inActor.change(to: "one") == "one")
        #expect(inStruct.token == "one" && model.token == "one" && account.token.wrappedValue == "one")
        try await account.token.reset()
        #expect(inStruct.token == nil && model.token == nil)
        #expect(Account.shared.wrappedValue == nil)
    }

    @Test("Two encrypted-file keyrings with one file and one key file share their secrets; other keyrings do not")
    func sameFile() async throws {
        try await withTemporaryFolder { folder in
            func token(_ file: String) -> SecurelyStoredValue<String> {
                let keyring = EncryptedFileKeyring(path: folder + file, key: .generatedFile(folder + "/key"), deadline: hangLimit)
                return SecurelyStoredValue(key: "token", service: "test", keyring: keyring)
            }
            let one = token("/a"), two = token("/a"), other = token("/b")
            #expect(one.wrappedValue == nil && two.wrappedValue == nil && other.wrappedValue == nil)
            try await one.set("x")
            #expect(two.wrappedValue == "x" && other.wrappedValue == nil)
            #expect(token("/a").wrappedValue == "x")
        }
    }

    @Test("Both ways to declare a secret are one")
    func declared() async throws {
        try await withTemporaryStorage {
            let declared = Declared()
            try await declared.$authToken.set("x")
            #expect(declared.authToken == "x" && declared.sameToken == "x" && declared.dates == nil)
        }
    }

    @Test("Data is stored as its own bytes, whatever they are", arguments: [[], [0], Array("\"text\"\n".utf8), [0xFF, 0, 0xC3], Array(0...255)] as [[UInt8]])
    func data(bytes: [UInt8]) async throws {
        let data = SecurelyStoredValue<Data>(key: "data", service: "test", keyring: keyring)
        try await data.set(Data(bytes))
        #expect(try await keyring.read(.init(service: "test", account: "data")) == Secret(bytes))
        #expect(try await data.load() == Data(bytes) && data.wrappedValue == Data(bytes))
        let optional = SecurelyStoredValue<Data?>(key: "optional", service: "test", keyring: keyring)
        try await optional.set(Data(bytes))
        #expect(try await optional.load() == Data(bytes), "as JSON")
    }

    @Test("What is required and not stored throws; what is unavailable throws its own reason")
    func required() async throws {
        await expectSecretError(.notStored) { try await token().required() }
        try await token().set("x")
        #expect(try await token().required() == "x")
        keyring.inject(.gone)
        await expectSecretError(.noSecretService) { try await token().required() }
    }

    @Test("Every error names the secret and the keyring, never the value, and its reason is matched in one line")
    func errors() async throws {
        let token = token()
        try await token.set(TestSecret.text())
        keyring.inject(.locked)
        let calls: [() async throws -> Void] = [
            { try await token.load() }, { _ = try await token.required() }, { try await token.set(TestSecret.text("new")) },
            { try await token.reset() }, { try await token.update { $0 = TestSecret.text("newer") } },
            { try await token.update { (text: inout String?) async throws in text = TestSecret.text("newest") } },
        ]
        var matched = 0
        for call in calls {
            do {
                try await call()
            } catch let error as SecretError where error.reason == .locked {
                matched += 1
                #expect(error.id == id && error.keyring == keyring.description)
                for text in ["\(error)", (error as any Error).localizedDescription] {
                    #expect(text.hasPrefix("The secret \"test/token\" in a keyring in this process's memory: The keyring is locked. "), "\(text)")
                    #expect(TestSecret.traces(in: text) == [])
                }
            }
        }
        #expect(matched == calls.count)
        do {
            try await token.load()
        } catch .notStored {
            Issue.record("Another reason matched.")
        } catch .locked {
            matched += 1
        } catch {
            Issue.record(error)
        }
        #expect(matched == calls.count + 1)
        do { try await token.set("x") } catch let error where error.reason == .locked { matched = 0 } catch { Issue.record(error) }
        #expect(matched == 0)
    }

    @Test("A string is stored as its own UTF-8, everything else but data as JSON, and both come back")
    func coding() async throws {
        try await token().set("é\0\"")
        #expect(try await keyring.read(id) == Secret(Array("é\0\"".utf8)))
        let preferences = SecurelyStoredValue<UserPreferences>(key: "p", service: "test", keyring: keyring)
        try await preferences.set(UserPreferences(fontSize: 3))
        let bytes = try #require(try await keyring.read(.init(service: "test", account: "p")))
        #expect(try JSONValue(parsing: bytes.withBytes { Array($0) }) == ["fontSize": 3, "fontName": "Mono"])
        #expect(try await preferences.load() == UserPreferences(fontSize: 3))
        let number = SecurelyStoredValue<Double>(key: "d", service: "test", keyring: keyring)
        try await number.set(.infinity)
        #expect(try await number.load() == .infinity)
    }

    @Test("An optional secret comes back, and a stored nil is not an absent one")
    func optional() async throws {
        let value = SecurelyStoredValue<String?>(key: "o", service: "test", keyring: keyring)
        try await value.set("x")
        #expect(try await value.load() == .some("x"))
        try await value.set(nil)
        #expect(try await value.load() == .some(nil))
        #expect(value.status == .value)
        try await value.reset()
        #expect(try await value.load() == nil)
    }

    @Test("Every change does what its name says, and those that need a secret say when there is none")
    func changes() async throws {
        let flag = SecurelyStoredValue<Bool>(key: "flag", service: "test", keyring: keyring)
        await expectSecretError(.notStored) { try await flag.toggle() }
        try await flag.set(true)
        try await flag.toggle()
        #expect(flag.wrappedValue == false)
        let preferences = SecurelyStoredValue<UserPreferences>(key: "p", service: "test", keyring: keyring)
        await expectSecretError(.notStored) { try await preferences.set(\.fontSize, to: 1) }
        try await preferences.set(UserPreferences())
        try await preferences.set(\.fontSize, to: 1)
        #expect(preferences.wrappedValue?.fontSize == 1)
        let list = SecurelyStoredValue<[String]>(key: "list", service: "test", keyring: keyring)
        try await list.append("a")
        try await list.append("b")
        try await list.replace("a", with: "c")
        try await list.togglePresence("b")
        #expect(list.wrappedValue == ["c"])
        let map = SecurelyStoredValue<[String: Int]>(key: "map", service: "test", keyring: keyring)
        try await map.update(key: "x", value: 1)
        try await map.update(key: "y", value: 2)
        try await map.update(key: "x", value: nil)
        #expect(map.wrappedValue == ["y": 2])
        #expect(
            try await token().update {
                $0 = ($0 ?? "") + "x"; return $0?.count
            } == 1)
        try await token().update { $0 = nil }
        #expect(try await keyring.read(id) == nil)
    }

    @Test("Updates from many tasks lose nothing; one that throws changes nothing")
    func concurrentUpdates() async throws {
        struct Refusal: Error {}
        let counter = SecurelyStoredValue<Int>(key: "n", service: "test", keyring: keyring)
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<50 { try await counter.update { $0 = ($0 ?? 0) + 1 } } }
            }
            try await group.waitForAll()
        }
        await #expect(throws: Refusal.self) {
            try await counter.update { number in
                number = 0
                throw Refusal()
            }
        }
        #expect(try await counter.load() == 400)
    }

    @Test("An update by a closure that throws nothing throws only a SecretError, whose reason is matched; its result may be dropped")
    func typedUpdate() async throws {
        let list = SecurelyStoredValue<[Int]>(key: "list", service: "test", keyring: keyring)
        try await list.set([1, 2])
        try await list.update { $0?.removeLast() }
        keyring.inject(.locked)
        do {
            try await list.update { $0?.removeLast() }
            Issue.record("nothing was thrown")
        } catch .locked {} catch { Issue.record("\(error)") }
        keyring.inject(nil)
        #expect(try await list.load() == [1])
    }

    @Test("A stream gives the secret now and then each change, in order, to many readers, and asks the keyring by itself")
    func stream() async throws {
        try await keyring.write(Secret(Array("0".utf8)), for: id, label: "")
        let token = token()
        let all = try await withThrowingTaskGroup(of: [String?].self) { group in
            let (subscribed, subscribe) = AsyncStream<Void>.makeStream()
            for _ in 0..<50 {
                group.addTask {
                    var seen: [String?] = []
                    for await value in token.values {
                        if seen.isEmpty { subscribe.yield() }
                        seen.append(value)
                        if value == "end" { break }
                    }
                    return seen
                }
            }
            var waiting = 50
            for await _ in subscribed {
                waiting -= 1
                if waiting == 0 { break }
            }
            for number in 1...20 { try await token.set("\(number)") }
            try await token.reset()
            try await token.reset()
            try await token.set("end")
            try await token.set("end")
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let expected = (0...20).map { Optional("\($0)") } + [nil, "end"]
        for seen in all { #expect(seen == expected) }
    }

    @Test("A stream continues when the wrapper that it came from is gone")
    func streamOutlivesWrapper() async throws {
        func values() -> some AsyncSequence<String?, Never> & Sendable { token().values }
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let reader = Task {
            var seen: [String?] = []
            for await value in values() {
                seen.append(value)
                begin.finish()
                if seen.count == 2 { break }
            }
            return seen
        }
        for await _ in begun {}
        try await token().set("x")
        #expect(await reader.value == [nil, "x"])
    }

    @Test("Observers are notified of every change, and can then read the new secret")
    func observation() async throws {
        let token = token()
        let seen = Guarded<[String?]>([])
        @Sendable func observe() {
            withObservationTracking {
                _ = token.wrappedValue
            } onChange: {
                seen.withLock { $0.append(token.wrappedValue) }
                observe()
            }
        }
        try await token.load()  // or a late answer would be news, too
        observe()
        seen.withLock { $0 = [] }  // the first answer may be news to the observer too
        for number in 1...20 { try await self.token().set("\(number)") }
        try await token.reset()
        #expect(seen.withLock { $0 } == (1...20).map { "\($0)" } + [nil])
    }

    @Test(
        "A locked keyring is not a missing token: every reader says so, nothing is written, and the token is there again after unlocking",
        arguments: [InMemoryKeyring.Fault.locked, .gone, .dismissing])
    func unavailable(fault: InMemoryKeyring.Fault) async throws {
        let error: KeyringError = fault == .gone ? .noSecretService : .locked
        try await keyring.write(Secret(Array("kept".utf8)), for: id, label: "")
        keyring.inject(fault)
        let token = token()
        #expect(token.wrappedValue == nil)
        try await eventually("the status says it") { token.status == .unavailable(error) }
        await expectSecretError(error) { try await token.load() }
        await expectSecretError(error) { try await token.set("new") }
        await expectSecretError(error) { try await token.reset() }
        await expectSecretError(error) { try await token.update { $0 = ($0 ?? "") + "x" } }
        #expect(token.status == .unavailable(error))
        let reader = Task { () -> String?? in
            for await value in token.values { return value }
            return nil
        }
        keyring.inject(nil)
        #expect(try await token.load() == "kept")
        #expect(token.wrappedValue == "kept" && token.status == .value)
        #expect(await reader.value == "kept")
    }

    @Test("A keyring that locks later makes the wrapper forget its copy at the next answer")
    func locksLater() async throws {
        let token = token()
        try await token.set("kept")
        #expect(token.wrappedValue == "kept")
        keyring.inject(.locked)
        await expectSecretError(.locked) { try await token.load() }
        #expect(token.wrappedValue == nil && token.status == .unavailable(.locked))
    }

    @Test("A secret of another type is unavailable, not absent, and stays")
    func notDecodable() async throws {
        try await keyring.write(Secret(Array("text".utf8)), for: id, label: "")
        let number = SecurelyStoredValue<Int>(key: "token", service: "test", keyring: keyring)
        #expect(number.wrappedValue == nil)
        try await eventually("the status says it") { number.status == .unavailable(.notDecodable) }
        await expectSecretError(.notDecodable) { try await number.update { $0 = 1 } }
        #expect(try await keyring.read(id) == Secret(Array("text".utf8)))
    }

    @Test("An item that cannot be encoded is refused, and the stored one stays")
    func notEncodable() async throws {
        struct Stubborn: Codable, Equatable, Sendable {
            var number: Int
            func encode(to encoder: any Encoder) throws {
                guard number < 10 else { throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "too large")) }
                var container = encoder.singleValueContainer()
                try container.encode(number)
            }
            init(_ number: Int) { self.number = number }
            init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
        }
        let value = SecurelyStoredValue<Stubborn>(key: "token", service: "test", keyring: keyring)
        try await value.set(Stubborn(1))
        await expectSecretError(.notEncodable) { try await value.set(Stubborn(11)) }
        await expectSecretError(.notEncodable) { try await value.update { $0?.number = 12 } }
        #expect(value.wrappedValue == Stubborn(1) && value.status == .value)
        #expect(try await keyring.read(id) == Secret("1".utf8))
    }

    @Test("Getters make progress when every thread of the cooperative pool sits in one", arguments: [true, false])
    func blockedPool(ofOneSecret: Bool) async throws {
        let keyring = InMemoryKeyring()
        let count = ProcessInfo.processInfo.activeProcessorCount * 4
        for number in 0..<count {
            try await keyring.write(Secret(Array("v".utf8)), for: .init(service: "test", account: "\(number)"), label: "")
        }
        keyring.inject(.slow(.milliseconds(20)))
        let values = await withTaskGroup { group in
            for number in 0..<count {
                let key = ofOneSecret ? "0" : "\(number)"
                group.addTask { SecurelyStoredValue<String>(key: key, service: "test", keyring: keyring).wrappedValue }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(values == Array(repeating: "v", count: count))
    }

    @Test("A cancelled change ends at once, also while it waits for one before it")
    func cancellation() async throws {
        let keyring = InMemoryKeyring(deadline: .seconds(3600))
        keyring.inject(.slow(.seconds(3600)))
        let token = SecurelyStoredValue<String>(key: "token", service: "test", keyring: keyring)
        let executor = QueueExecutor()
        let first = Task(executorPreference: executor) { try await token.set("a") }
        let second = Task(executorPreference: executor) { try await token.set("b") }
        await executor.allWaiting()
        second.cancel()
        await expectSecretError(.cancelled) { try await second.value }
        first.cancel()
        await expectSecretError(.cancelled) { try await first.value }
    }

    @Test("Printing, dumping or mirroring a wrapper or its secret does not reveal the value")
    func silence() async throws {
        let token = token()
        try await token.set(TestSecret.text())
        let isRead = token.wrappedValue == TestSecret.text()
        #expect(isRead)
        struct Holder { let token: SecurelyStoredValue<String> }
        var dumped = ""
        dump(token, to: &dumped)
        dump(Holder(token: token), to: &dumped)
        let texts = ["\(token)", String(reflecting: token), dumped, "\(Array(Mirror(reflecting: token).children))", "\(token.status)", "\(keyring)"]
        for text in texts { #expect(TestSecret.traces(in: text) == []) }
        #expect("\(token)".contains("token") && "\(token)".contains("redacted"))
    }
}
