import Testing

@testable import StoredValues

@Suite("Programmer errors trap with a message that says what to do", .hangLimit)
struct BadUseTests {}

extension BadUseTests {
    @Test("An empty key, and one of the library's own", arguments: [("", "a key must not be empty"), ("$versions", "keys that begin with $ are reserved")])
    func badKey(key: String, says: String) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [key = key as String] in
            _ = StoredValue(key: key, default: 0)
        }
        #expect(try trapSentence(result).contains("StoredValue(key: \"\(key)\"): \(says)"))
    }

    @Test("An empty name of a key that is declared once")
    func emptyStoredKey() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = StoredKey("size", default: 0, formerKeys: [""])
        }
        #expect(try trapSentence(result).contains("StoredKey(\"\")"))
    }

    @Test(
        "Preferences to begin with that are no JSON object",
        arguments: [
            ("{\n \"limit\": }", "line 2, column 11"), ("[7]", "line 1, column 1"), ("", "line 1, column 1"), ("{} x", "line 1, column 4"),
        ])
    func badSeed(text: String, place: String) async throws {
        let test = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [text = text as String] in
            await withTemporaryStorage(preferences: text) { await Task.yield() }
        }
        let ofTest = try trapSentence(test)
        #expect(ofTest.contains("withTemporaryStorage(preferences:)") && ofTest.contains(place))
        let preview = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [text = text as String] in
            _ = PreferencesFile.inMemory(text)
        }
        let ofPreview = try trapSentence(preview)
        #expect(ofPreview.contains("PreferencesFile.inMemory(_:)") && ofPreview.contains(place))
    }

    @Test("The system's keyring in place of itself, or one around it", arguments: [true, false])
    func systemForItself(isAround: Bool) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isAround = isAround as Bool] in
            if isAround {
                await withTemporaryStorage(keyring: FallbackKeyring([.system])) { await Task.yield() }
            } else {
                await withTemporaryStorage(keyring: .system) { await Task.yield() }
            }
        }
        #expect(try trapSentence(result).contains("withTemporaryStorage(keyring:): .system cannot stand for itself"))
    }

    /// Encodes itself by two kinds of container, in the order of this number; 0 by one.
    struct Mixed: Codable, Sendable {
        var order = 0

        func encode(to encoder: any Encoder) throws {
            func keyed() throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(order, forKey: .order)
            }
            func list() throws {
                var container = encoder.unkeyedContainer()
                try container.encode(order)
            }
            func single() throws {
                var container = encoder.singleValueContainer()
                try container.encode(order)
            }
            if order == 2 { try single() } else { try keyed() }
            switch order {
            case 1: try list()
            case 2: try keyed()
            case 3: try single()
            default: break
            }
        }
    }

    /// Encodes another item in place of one that cannot be encoded.
    private struct Coping: Codable, Sendable {
        struct Part: Codable {
            var text: String?

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(1, forKey: .text)
                throw CancellationError()
            }
        }

        init() {}
        init(from decoder: any Decoder) throws {}

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            do { try container.encode(Part()) } catch { try container.encode("none") }
        }
    }

    @Test("An item may cope with a part that cannot be encoded: that is no second container")
    func coping() async throws {
        #expect(String(decoding: try ItemEncoder.text(Coping()), as: UTF8.self) == "\"none\"")
    }

    @Test("Two kinds of container for one value, in any order", arguments: 1...3)
    func twoKindsOfContainer(order: Int) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [order = order as Int] in
            StoredValue(key: "mixed", default: Mixed(), storage: .inMemory()).set(Mixed(order: order))
        }
        #expect(try trapSentence(result).contains("encode(to:) used two kinds of container for one value"))
    }

    @Test("A slash in a file's name, even under a combining character", arguments: ["a/b", "a/\u{301}b"])
    func slashInName(name: String) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [name = name as String] in
            _ = PreferencesFile.named(name)
        }
        #expect(try trapSentence(result).contains("must not be empty or contain a slash"))
    }

    @Test("One key with two types")
    func twoTypes() async throws {
        try await withTemporaryFolder { folder in
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [folder = folder as String] in
                let storage = PreferencesFile(path: folder + "/p.json")
                let number = StoredValue(key: "size", default: 1, storage: storage)
                let text = StoredValue(key: "size", default: "1", storage: storage)
                _ = (number.wrappedValue, text.wrappedValue)
            }
            let sentence = try trapSentence(result)
            #expect(sentence.contains("\"size\"") && sentence.contains("Int and String"))
        }
    }

    @Test("One key with two types of one name, which are named in full")
    func twoTypesOfOneName() async throws {
        try await withTemporaryFolder { folder in
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [folder = folder as String] in
                let storage = PreferencesFile(path: folder + "/p.json")
                let light = StoredValue(key: "theme", default: Light.Theme(), storage: storage)
                let dark = StoredValue(key: "theme", default: Dark.Theme(), storage: storage)
                _ = (light.wrappedValue, dark.wrappedValue)
            }
            let sentence = try trapSentence(result)
            #expect(sentence.contains("BadUseTests.Light.Theme and ") && sentence.contains("BadUseTests.Dark.Theme."))
        }
    }

    enum Light { struct Theme: Codable {} }
    enum Dark { struct Theme: Codable {} }

    @Test("A change of a file inside the update of another key of it")
    func nestedChange() async throws {
        try await withTemporaryFolder { folder in
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [folder = folder as String] in
                let storage = PreferencesFile(path: folder + "/p.json")
                let a = StoredValue(key: "a", default: 1, storage: storage)
                let b = StoredValue(key: "b", default: 1, storage: storage)
                a.update { _ in b.set(2) }
            }
            let sentence = try trapSentence(result)
            #expect(sentence.contains("set(_:) of \"b\"") && sentence.contains("update(_:) of \"a\""))
        }
    }

    @Test("A negative version")
    func negativeVersion() async throws {
        try await withTemporaryFolder { folder in
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [folder = folder as String] in
                struct Odd: VersionedItem {
                    static let version = -1
                    static func migrate(_ json: inout JSONValue, from version: Int) {}
                }
                _ = StoredValue(key: "a", default: Odd(), storage: PreferencesFile(path: folder + "/p.json")).wrappedValue
            }
            let sentence = try trapSentence(result)
            #expect(sentence.contains("Odd.version is -1"))
        }
    }

    @Test("One secret with two types")
    func twoSecretTypes() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let keyring = InMemoryKeyring()
            let text = SecurelyStoredValue<String>(key: "token", service: "a", keyring: keyring)
            let number = SecurelyStoredValue<Int>(key: "token", service: "a", keyring: keyring)
            _ = (text.wrappedValue, number.wrappedValue)
            withExtendedLifetime(text) {}
        }
        let sentence = try trapSentence(result)
        #expect(sentence.contains("a/token") && sentence.contains("String and Int"))
    }

    @Test("One secret with two types of one name, which are named in full")
    func twoSecretTypesOfOneName() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let keyring = InMemoryKeyring()
            let light = SecurelyStoredValue<Light.Theme>(key: "theme", service: "a", keyring: keyring)
            let dark = SecurelyStoredValue<Dark.Theme>(key: "theme", service: "a", keyring: keyring)
            _ = (light.wrappedValue == nil, dark.wrappedValue == nil)
            withExtendedLifetime(light) {}
        }
        let sentence = try trapSentence(result)
        #expect(sentence.contains("BadUseTests.Light.Theme and ") && sentence.contains("BadUseTests.Dark.Theme."))
    }

    @Test("An empty key of a secret")
    func emptySecretKey() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SecurelyStoredValue<String>(key: "")
        }
        #expect(try trapSentence(result).contains("SecurelyStoredValue(key: \"\"): a key must not be empty"))
    }

    @Test("Naming the application after its first use")
    func lateBootstrap() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = PreferencesFile.standard.path
            StorageSystem.bootstrap(applicationID: "com.example.Late")
        }
        #expect(try trapSentence(result).contains("com.example.Late"))
    }
}
