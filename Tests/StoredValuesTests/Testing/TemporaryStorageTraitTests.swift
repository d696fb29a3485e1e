import Foundation
import StoredValues
import StoredValuesTesting
import Testing

@Suite("The trait .temporaryStorage", .hangLimit, .temporaryStorage(preferences: #"{"limit": 7}"#, secrets: ["token": "s3cret"]))
struct TemporaryStorageTraitTests {
    /// Made with the suite's instance, which is inside; and for all tests, which is not.
    @StoredValue(key: "limit") var limit = 60
}

extension TemporaryStorageTraitTests {
    private static let token = SecurelyStoredValue<String>(key: "token")

    @Test("A test begins with the seeds, also for what was made outside of it")
    func seeds() async throws {
        #expect(limit == 7 && $limit.source == .file)
        #expect(try await Self.token.load() == "s3cret")
        let path = PreferencesFile.standard.path
        #expect(path.hasPrefix(FileManager.default.temporaryDirectory.path) && FileManager.default.fileExists(atPath: path))
    }

    @Test("Each case has storage of its own, while others run", arguments: 0..<20)
    func cases(number: Int) async throws {
        for _ in 0..<10 {
            $limit.update { $0 += 1 }
            await Task.yield()
        }
        #expect(limit == 17)
        #expect(try await Self.token.load() == "s3cret")
        try await Self.token.set("of \(number)")
        await Task.yield()
        #expect(try await Self.token.load() == "of \(number)")
        PreferencesFile.named("account").batch { StoredValue(key: "n", default: 0, storage: .named("account")).set(number) }
        #expect(StoredValue(key: "n", default: -1, storage: .named("account")).value == number)
    }

    @Test("On a test it replaces that of the suite", .temporaryStorage(preferences: #"{"limit": 8}"#))
    func nested() async throws {
        #expect(limit == 8)
        #expect(try await Self.token.load() == nil)
    }

    @Test("A test may begin with files that have names", .temporaryStorage(named: ["account": #"{"n": 5}"#]))
    func namedFiles() {
        #expect(StoredValue(key: "n", default: -1, storage: .named("account")).value == 5)
        #expect(PreferencesFile.standard.keys == [] && PreferencesFile.named("other").keys == [])
    }

    @Test("A keyring of one's own goes with files that have names", .temporaryStorage(named: ["account": #"{"n": 5}"#]) { InMemoryKeyring() })
    func namedFilesAndKeyring() {
        #expect(StoredValue(key: "n", default: -1, storage: .named("account")).value == 5)
    }

    @Test("A test may begin with a fault of the keyring, and change it", .temporaryStorage(secrets: ["token": "s3cret"], fault: .locked))
    func fault() async throws {
        let error = await #expect(throws: SecretError.self) { try await Self.token.load() }
        #expect(error?.reason == .locked)
        let keyring = try #require(TemporaryStorageTrait.keyring)
        keyring.inject(nil)
        #expect(try await Self.token.load() == "s3cret")
        keyring.inject(.gone)
        let other = await #expect(throws: SecretError.self) { try await Self.token.set("lost") }
        #expect(other?.reason == .noSecretService)
    }

    @Test("A keyring of one's own is made for each case", .temporaryStorage { FallbackKeyring([InMemoryKeyring()]) }, arguments: 0..<3)
    func ownKeyring(number: Int) async throws {
        #expect(TemporaryStorageTrait.keyring == nil)
        #expect(try await Self.token.load() == nil)
        try await Self.token.set("of \(number)")
        #expect(try await Self.token.load() == "of \(number)")
    }
}

@Suite("Without the trait", .hangLimit)
struct NoTemporaryStorageTraitTests {}

extension NoTemporaryStorageTraitTests {
    @Test("There is no keyring to make fail")
    func none() { #expect(TemporaryStorageTrait.keyring == nil) }
}
