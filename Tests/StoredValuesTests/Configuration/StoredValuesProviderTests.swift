#if Configuration
    import Configuration
    import ConfigurationTesting
    import Foundation
    import StoredValuesConfiguration
    import Testing

    @testable import StoredValues

    @Suite("StoredValuesProvider: settings", .hangLimit)
    struct StoredValuesProviderTests {}

    extension StoredValuesProviderTests {
        /// What the package's own tests of providers expect, as each value is stored.
        static let expected: [String: JSONValue] = [
            "string": "Hello", "int": 42, "double": number(3.14), "bool": true, "bytes": "bWFnaWM=",
            "stringy.array": ["Hello", "World"], "inty.array": [42, 24], "doubly.array": [number(3.14), number(2.72)],
            "booly.array": [true, false], "byteChunky.array": ["bWFnaWM=", "bWFnaWMy"],
            "other.string": "Other Hello", "other.int": 24, "other.double": number(2.72), "other.bool": false,
            "other.bytes": [109, 97, 103, 105, 99, 50], "other.stringy.array": ["Hello", "Swift"],
            "other.inty.array": [16, 32], "other.doubly.array": [number(0.9), number(1.8)], "other.booly.array": [false, true, true],
            "other.byteChunky.array": ["bWFnaWM=", "bWFnaWMy", "bWFnaWM="],
        ]

        @Test("It passes swift-configuration's own tests, with a stored value for each key and with nested ones", arguments: [false, true])
        func compatible(isNested: Bool) async throws {
            try await withTemporaryStorage {
                var stored: JSONValue = [:]
                for (key, value) in Self.expected {
                    if isNested { stored.put(value, at: key.split(separator: ".").map(String.init)) } else { stored[key] = value }
                }
                for (key, value) in stored.objectValue ?? [:] { PreferencesFile.standard.set(key, to: value) }
                try await ProviderCompatTest(provider: StoredValuesProvider()).runTest()
            }
        }

        @Test(
            "A number that is none of the type, and what holds an unpaired surrogate, is refused and not read as something else",
            arguments: [
                ("a", "int"), ("b", "int"), ("c", "double"), ("d", "string"), ("d.x", "int"),
            ])
        func unsound(key: String, type: String) throws {
            try withTemporaryFolder { folder in
                let text = #"{"a": -9223372036854775809, "b": 0.99999999999999999999, "c": 1e400, "d": {"x": 1, "y": "\ud800"}}"#
                try text.write(toFile: folder + "/p.json", atomically: false, encoding: .utf8)
                let provider = StoredValuesProvider(storage: PreferencesFile(path: folder + "/p.json"))
                let key = AbsoluteConfigKey(key.split(separator: ".").map(String.init))
                let type: ConfigType = type == "int" ? .int : type == "double" ? .double : .string
                #expect(throws: ValueNotConvertible.self) { try provider.value(forKey: key, type: type) }
            }
        }

        @Test(
            "A key is the stored value of its name, else a member of one with a shorter name",
            arguments: [
                (#"{"http.timeout": 1, "http": {"timeout": 2}}"#, "http.timeout", 1),
                (#"{"http": {"timeout": 2}}"#, "http.timeout", 2),
                (#"{"a.b": {"c": 3}, "a": {"b": {"c": 4}}}"#, "a.b.c", 3),
                (#"{"a.b": {"x": 3}, "a": {"b": {"c": 4}}}"#, "a.b.c", 4),
                (#"{"a": {"b.c": 5, "b": {"c": 6}}}"#, "a.b.c", 5),
                (#"{"a.b": 7, "a": {"b": {"c": 8}}}"#, "a.b.c", 8),
                (#"{"a.b.c": {"d": 9}, "a.b": {"c": 10}}"#, "a.b.c", 10),
                (#"{"a.b": null, "a": {"b": 11}}"#, "a.b", nil),
                (#"{"a": {"b": null}}"#, "a.b", nil),
                (#"{"a.b": {"c": null}, "a": {"b": {"c": 5}}}"#, "a.b.c", nil),
                (#"{"a": {"b": 12}}"#, "a", nil),
                (#"{"a": [13]}"#, "a.0", nil),
                (#"{"$versions": {"a": 14}}"#, "$versions.a", nil),
                (#"{"a": {"e\u0301": 15}}"#, "a.\u{E9}", nil),
                (#"{}"#, "", nil),
            ] as [(String, String, Int?)])
        func keys(file: String, key: String, expected: Int?) throws {
            try withFile(file) { provider, _ in
                let result = try provider.value(forKey: AbsoluteConfigKey(ConfigKey(key)), type: .int)
                #expect(result.value?.content == expected.map(ConfigContent.int))
                #expect(result.value?.isSecret != true && result.encodedKey == key)
            }
        }

        @Test(
            "A value is of the type that a wrapper would read",
            arguments: [
                ("14.0", .int, .int(14)), ("14.5", .int, nil), ("1e400", .int, nil), ("9223372036854775808", .int, nil),
                ("true", .int, nil), (#""14""#, .int, nil), ("14", .double, .double(14)), ("1e400", .double, nil),
                (#""inf""#, .double, .double(.infinity)), ("1", .bool, nil), ("14", .string, nil), (#""""#, .string, .string("")),
                (#""no base64!""#, .bytes, nil), ("[256]", .bytes, nil), ("[0, 255]", .bytes, .bytes([0, 255])),
                ("[]", .bytes, .bytes([])), ("[]", .stringArray, .stringArray([])), (#"["a", 1]"#, .stringArray, nil),
                ("[1, null]", .intArray, nil), ("[1, 2.0]", .intArray, .intArray([1, 2])), ("[[1], \"AA==\"]", .byteChunkArray, .byteChunkArray([[1], [0]])),
                ("[1, true]", .boolArray, nil),
            ] as [(String, ConfigType, ConfigContent?)])
        func types(json: String, type: ConfigType, expected: ConfigContent?) throws {
            try withFile(#"{"key": \#(json)}"#) { provider, _ in
                let snapshot = provider.snapshot()
                if let expected {
                    #expect(try provider.value(forKey: "key", type: type).value == ConfigValue(expected, isSecret: false))
                    #expect(try snapshot.value(forKey: "key", type: type).value?.content == expected)
                } else {
                    let error = try #require(throws: ValueNotConvertible.self) { try provider.value(forKey: "key", type: type) }
                    #expect(throws: error) { try snapshot.value(forKey: "key", type: type) }
                    #expect("\(error)".contains("p.json\" cannot be read as \(type). Request"))
                }
            }
        }

        @Test("System-wide defaults show through, and defaults in the code do not")
        func layers() throws {
            try withTemporaryFolder { folder in
                try contents(#"{"size": 1, "theme": "dark"}"#, at: folder + "/default.json")
                let preferences = PreferencesFile(path: folder + "/p.json")
                preferences.store.addLayers([folder + "/default.json"])
                let config = ConfigReader(provider: StoredValuesProvider(storage: preferences))
                let size = StoredValue(key: "size", default: 7, storage: preferences)
                let zoom = StoredValue(key: "zoom", default: 8, storage: preferences)
                #expect(config.int(forKey: "size") == 1 && size.wrappedValue == 1 && config.string(forKey: "theme") == "dark")
                #expect(config.int(forKey: "zoom") == nil && zoom.wrappedValue == 8)
                size.set(2)
                #expect(config.int(forKey: "size") == 2 && config.scoped(to: "a").int(forKey: "size") == nil)
            }
        }

        @Test("A fetch has what another program wrote just before")
        func fetch() async throws {
            try await withTemporaryFolder { folder in
                let path = folder + "/p.json"
                let config = ConfigReader(provider: StoredValuesProvider(storage: PreferencesFile(path: path)))
                for number in 1...50 {
                    try contents(#"{"size": \#(number)}"#, at: path)
                    #expect(try await config.fetchRequiredInt(forKey: "size") == number)
                }
            }
        }

        @Test("A snapshot stays as it is")
        func snapshot() throws {
            try withFile(#"{"width": 1, "height": 1}"#) { (provider, preferences) throws in
                let before = provider.snapshot()
                preferences.batch {
                    preferences.set("width", to: 2)
                    preferences.reset("height")
                }
                #expect(try before.value(forKey: "width", type: .int).value?.content == .int(1))
                #expect(try before.value(forKey: "height", type: .int).value?.content == .int(1))
                #expect(try provider.snapshot().value(forKey: "width", type: .int).value?.content == .int(2))
                #expect(try provider.snapshot().value(forKey: "height", type: .int).value == nil)
            }
        }

        private func withFile(_ text: String, _ body: (StoredValuesProvider, PreferencesFile) throws -> Void) throws {
            try withTemporaryFolder { folder in
                try contents(text, at: folder + "/p.json")
                let preferences = PreferencesFile(path: folder + "/p.json")
                try body(StoredValuesProvider(storage: preferences), preferences)
            }
        }

        private func contents(_ text: String, at path: String) throws {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    private func number(_ value: Double) -> JSONValue { JSONValue(value) ?? .null }

    extension JSONValue {
        fileprivate mutating func put(_ value: JSONValue, at path: [String]) {
            guard let name = path.first else { return self = value }
            var member = self[name] ?? [:]
            member.put(value, at: Array(path.dropFirst()))
            self[name] = member
        }
    }
#endif
