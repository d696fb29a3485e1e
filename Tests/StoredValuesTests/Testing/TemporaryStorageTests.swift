import Dispatch
import Foundation
import Testing

@testable import StoredValues

/// Wrappers as a program has them: made outside of any test, on the application's own storage.
private enum AppSettings {
    static let count = StoredValue(key: "count", default: 0)
    static let names = StoredValue(key: "names", default: [String](), storage: .named("names"))
    static let token = SecurelyStoredValue<String>(key: "temporary storage test")
}

@Suite("Temporary storage", .hangLimit)
struct TemporaryStorageTests {
    /// Makes the wrappers of ``AppSettings`` outside of every storage; else they would keep the first one that they are used in.
    init() { _ = (AppSettings.count, AppSettings.names, AppSettings.token) }
}

extension TemporaryStorageTests {
    @Test("Each wrapper moves its former keys, as in a file")
    func formerKeys() {
        withTemporaryStorage {
            func new() -> Int { StoredValue(key: "new", default: 0, formerKeys: ["old"]).wrappedValue }
            #expect(new() == 0)
            StoredValue(key: "old", default: 0).set(5)
            #expect(new() == 5)
        }
    }

    @Test("Wrappers made outside use the storage of the task, and tests beside each other share nothing", arguments: 0..<20)
    func sideBySide(number: Int) async throws {
        try await withTemporaryStorage {
            #expect(AppSettings.count.wrappedValue == 0 && AppSettings.names.wrappedValue == [])
            #expect(try await AppSettings.token.load() == nil)
            for _ in 0..<number { AppSettings.count.update { $0 += 1 } }
            AppSettings.names.append("\(number)")
            try await AppSettings.token.set("\(number)")
            await Task.yield()
            #expect(AppSettings.count.wrappedValue == number && AppSettings.names.wrappedValue == ["\(number)"])
            #expect(AppSettings.token.wrappedValue == "\(number)")
            #expect(await Task { AppSettings.count.wrappedValue }.value == number, "a task inherits the storage")
            try await AppSettings.count.flush()
        }
    }

    @Test("A wrapper made inside keeps its storage, on whatever queue it is used")
    func madeInside() async throws {
        try await withTemporaryStorage {
            let count = StoredValue(key: "count", default: 0), token = SecurelyStoredValue<String>(key: "t")
            let storage = PreferencesFile.named("other")
            count.set(7)
            try await token.set("seven")
            let seen = await offPool { (count.wrappedValue, token.wrappedValue, storage.path) }
            #expect(seen == (7, "seven", PreferencesFile.named("other").path))
            #expect(await Task.detached { count.wrappedValue }.value == 7)
        }
    }

    @Test("The inner of two storages counts, also for a wrapper made in the outer one")
    func nested() {
        withTemporaryStorage {
            let count = StoredValue(key: "count", default: 0)
            count.set(1)
            withTemporaryStorage {
                #expect(count.wrappedValue == 0)
                count.set(2)
                #expect(AppSettings.count.wrappedValue == 2)
            }
            #expect(count.wrappedValue == 1 && AppSettings.count.wrappedValue == 1)
        }
    }

    @Test("Values read in one storage are never taken for those of the next, validation or not")
    func reading() {
        let clamped = StoredValue(key: "clamped", default: 0, validate: { min($0, 10) })
        for number in 0..<50 {
            withTemporaryStorage {
                #expect(clamped.wrappedValue == 0)
                clamped.set(number)
                #expect(clamped.wrappedValue == min(number, 10))
            }
        }
    }

    @Test("Streams work inside")
    func streams() async throws {
        try await withTemporaryStorage {
            var values = AppSettings.count.values.makeAsyncIterator()
            var tokens = AppSettings.token.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 0)
            #expect(await tokens.next(isolation: nil) == .some(nil))
            AppSettings.count.set(3)
            try await AppSettings.token.set("x")
            #expect(await values.next(isolation: nil) == 3)
            #expect(await tokens.next(isolation: nil) == "x")
        }
    }

    @Test("A keyring of one's own can be made to fail")
    func failing() async throws {
        let keyring = InMemoryKeyring()
        await withTemporaryStorage(keyring: keyring) {
            keyring.inject(.locked)
            await expectSecretError(.locked) { try await AppSettings.token.set("x") }
            #expect(AppSettings.token.status == .unavailable(.locked))
        }
    }

    @Test("The folder lies in the temporary one and is gone at the end, whether the body returns or throws")
    func folder() throws {
        struct Stop: Error {}
        var path = ""
        #expect(throws: Stop.self) {
            try withTemporaryStorage {
                AppSettings.count.set(1)
                path = PreferencesFile.standard.path
                #expect(FileManager.default.fileExists(atPath: path))
                throw Stop()
            }
        }
        #expect(path.hasPrefix(FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path))
        #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
    }

    @Test("It begins with the values that are given: members as a file holds them, secrets as texts")
    func seeds() async throws {
        let text = #"{"count": 7, "broken": "no number", "old": [1], "$versions": {"old": 3}}"#
        func check() {
            #expect(AppSettings.count.wrappedValue == 7 && AppSettings.count.isStored)
            #expect(StoredValue(key: "broken", default: 1).wrappedValue == 1)
            let old = StoredValue(key: "old", default: [0])
            old.set([2])
            #expect(old.wrappedValue == [0], "a newer version wrote it")
            #expect(PreferencesFile.standard.keys == ["broken", "count", "old"] && PreferencesFile.named("names").keys == [])
        }
        withTemporaryStorage(preferences: text) { check() }
        withTemporaryStorage(preferences: text, keyring: InMemoryKeyring()) { check() }
        let secrets = ["temporary storage test": "tökén", "count": "5"]
        withTemporaryStorage(secrets: secrets) { #expect(AppSettings.token.wrappedValue == "tökén") }
        try await withTemporaryStorage(preferences: text, secrets: secrets) {
            check()
            let id = SecretIdentifier(service: StorageSystem.applicationID, account: "temporary storage test")
            let found = try await (AppSettings.token.load(), SecurelyStoredValue<Int>(key: "count").load(), SystemKeyring().read(id))
            #expect(found == ("tökén", 5, Secret("tökén".utf8)))
            AppSettings.count.reset()
            #expect(AppSettings.count.wrappedValue == 0)
            withTemporaryStorage(preferences: #"{"count": 8}"#, keyring: InMemoryKeyring()) {
                #expect(AppSettings.count.wrappedValue == 8 && AppSettings.token.wrappedValue == nil)
            }
        }
        withTemporaryStorage { #expect(AppSettings.count.wrappedValue == 0) }
    }

    /// The live values of one storage, and the file that they lie in.
    private struct Held: Sendable {
        weak let store: PreferencesStore?
        weak let preference: LivePreference<Int>?
        weak let secret: LiveSecret<String>?

        init() {
            let file = PreferencesFile.standard.store
            store = file
            preference = LivePreference.find("count", in: file)
            secret = AppSettings.token.secret
        }

        var isGone: Bool { store == nil && preference == nil && secret == nil }
    }

    @Test("A wrapper made outside and used inside keeps nothing of a storage that is over, whatever it made of its values")
    func usedInside() async throws {
        let clamped = StoredValue(key: "count", default: 0, validate: { min($0, 10) })
        let held = try await withTemporaryStorage {
            clamped.set(20)
            try await AppSettings.token.set("x")
            #expect(clamped.wrappedValue == 10 && AppSettings.token.wrappedValue == "x")
            return Held()
        }
        try await eventually("the storage is gone") { held.isGone }
        withExtendedLifetime(clamped) {}
    }

    @Test("A wrapper made inside keeps nothing of a storage that is over, and finds it empty; what it then stores goes with it")
    func usedAfterTheEnd() async throws {
        let path: String
        do {
            let (count, token, file, held) = try await withTemporaryStorage {
                let count = StoredValue(key: "count", default: 0, validate: { min($0, 10) })
                let token = SecurelyStoredValue<String>(key: "temporary storage test")
                count.set(20)
                try await token.set("x")
                #expect(count.wrappedValue == 10 && token.wrappedValue == "x")
                return (count, token, PreferencesFile.named("other"), Held())
            }
            try await eventually("the storage is gone") { held.isGone }
            #expect(count.wrappedValue == 0)
            #expect(try await token.load() == nil)
            count.set(3)
            try await token.set("y")
            #expect(count.wrappedValue == 3 && token.wrappedValue == "y")
            path = file.path
        }
        let folder = (path as NSString).deletingLastPathComponent
        try await eventually("the folder is gone") { !FileManager.default.fileExists(atPath: folder) }
    }

    @Test("The storage is empty from its end on, also while a sync of its last change still holds it, and that brings nothing back")
    func usedRightAfterTheEnd() {
        let (count, store) = withTemporaryStorage {
            let count = StoredValue(key: "count", default: 0)
            count.set(20)
            return (count, PreferencesFile.standard.store)  // as the sync holds it
        }
        #expect(count.wrappedValue == 0)
        #expect(store.sync() == nil)
        #expect(!FileManager.default.fileExists(atPath: (store.path as NSString).deletingLastPathComponent))
        count.set(3)
        #expect(store.sync() == nil && !FileManager.default.fileExists(atPath: store.path))
        #expect(count.wrappedValue == 3)
    }

    @Test("What is named explicitly is what it names")
    func explicit() throws {
        try withTemporaryFolder { folder in
            let count = StoredValue(key: "count", default: 0, storage: PreferencesFile(path: folder + "/p.json"))
            withTemporaryStorage {
                count.set(1)
            }
            #expect(count.wrappedValue == 1)
        }
    }

    @Test("A fallback to .system is the scope's own too, and scopes beside each other share nothing", arguments: 0..<10)
    func fallback(_ number: Int) async throws {
        try await withTemporaryStorage {
            let keyring = FallbackKeyring([.system, InMemoryKeyring()])
            let token = SecurelyStoredValue<Int>(key: "token", service: "fallback", keyring: keyring)
            #expect(token.wrappedValue == nil)
            try await token.set(number)
            #expect(token.wrappedValue == number)
            #expect(try await SecurelyStoredValue<Int>(key: "token", service: "fallback").load() == number)
        }
    }

    @Test("One fallback to .system, made outside, is another keyring in each scope")
    func sharedFallback() async throws {
        let shared = SecurelyStoredValue<Int>(key: "token", service: "fallback", keyring: FallbackKeyring([.system]))
        try await withTemporaryStorage { try await shared.set(1) }
        try await withTemporaryStorage {
            #expect(shared.wrappedValue == nil)
            try await shared.set(2)
            #expect(shared.wrappedValue == 2)
        }
    }
}
