#if Configuration
    import Configuration
    import Foundation
    import StoredValuesSupport
    import Testing

    @testable import StoredValues
    @testable import StoredValuesConfiguration

    @Suite("StoredValuesProvider: watching", .hangLimit)
    struct StoredValuesProviderWatchTests {
        private let id = SecretIdentifier(service: "s", account: "token")
    }

    extension StoredValuesProviderWatchTests {
        /// What is thrown where an `InMemoryKeyring` gives no answer about the secret.
        private func failure(_ reason: KeyringError) -> SecretError {
            SecretError(reason: reason, id: id, keyring: InMemoryKeyring().description)
        }

        private func provider(_ storage: PreferencesFile, _ keyring: InMemoryKeyring) -> StoredValuesProvider {
            StoredValuesProvider(storage: storage, secrets: ["token"], service: id.service, keyring: keyring)
        }

        @Test("A setting is yielded now, then after each of its changes, whoever makes them")
        func setting() async throws {
            try await withTemporaryFolder { folder in
                let path = folder + "/p.json"
                let preferences = PreferencesFile(path: path)
                let answers = Collector(provider(preferences, InMemoryKeyring()).watched("http.timeout", .int))
                try await answers.wait(for: ["no value"])
                preferences.set("other", to: 1)
                preferences.set("http", to: ["timeout": 1])
                try await answers.wait(untilLast: "int(1)")
                try #"{"http.timeout": 2}"#.write(toFile: path, atomically: true, encoding: .utf8)
                try await answers.wait(untilLast: "int(2)")
                preferences.set("http.timeout", to: "soon")
                try await answers.wait(untilLast: "\(ValueNotConvertible(key: "http.timeout", type: .int, place: .file(path: path)))")
                preferences.reset("http.timeout")
                try await answers.wait(untilLast: "no value")
                #expect(answers.elements.count == 5)
            }
        }

        @Test("A text that only looks like the one before is a change")
        func lookAlike() async throws {
            try await withTemporaryFolder { folder in
                let preferences = PreferencesFile(path: folder + "/p.json")
                preferences.set("name", to: "\u{E9}")
                let answers = Collector(provider(preferences, InMemoryKeyring()).watched("name", .string))
                try await eventually("the first text has come") { answers.elements.count == 1 }
                preferences.set("name", to: "e\u{301}")
                try await eventually("the second text has come") { answers.elements.count == 2 }
            }
        }

        @Test("A watch stays with the storage in which it was begun, wherever its elements are read")
        func storageOfTheWatch() async throws {
            try await withTemporaryStorage {
                PreferencesFile.standard.set("name", to: "outer")
                try await provider(.standard, InMemoryKeyring()).watchValue(forKey: "name", type: .string) { updates in
                    await withTemporaryStorage {
                        PreferencesFile.standard.set("name", to: "inner")
                        for await update in updates {
                            #expect((try? update.get())?.value?.content == .string("outer"))
                            break
                        }
                    }
                }
            }
        }

        @Test("A secret comes now, then after each change and outage")
        func secret() async throws {
            try await withTemporaryFolder { folder in
                let keyring = InMemoryKeyring()
                keyring.inject(.locked)
                let answers = Collector(provider(PreferencesFile(path: folder + "/p.json"), keyring).watched("token", .string))
                try await answers.wait(for: ["\(failure(.locked))"])
                keyring.inject(nil)
                try await answers.wait(untilLast: "no value")
                try await keyring.write(TestSecret.secret(), for: id, label: "")
                try await answers.wait(untilLast: "secret")
                keyring.inject(.gone)
                try await answers.wait(untilLast: "\(failure(.noSecretService))")
                keyring.inject(nil)
                try await answers.wait(untilLast: "secret")
                try await keyring.remove(id)
                try await answers.wait(untilLast: "no value")
            }
        }

        @Test("Snapshots come now and after each change of a setting or a secret, and each is of one moment")
        func snapshots() async throws {
            try await withTemporaryFolder { folder in
                let keyring = InMemoryKeyring()
                let preferences = PreferencesFile(path: folder + "/p.json")
                let provider = provider(preferences, keyring)
                let seen = Collector(provider.watchedSnapshots)
                try await seen.wait(untilLast: "no value, no value, no value")
                preferences.batch {
                    preferences.set("a", to: 1)
                    preferences.set("b", to: 1)
                }
                try await seen.wait(untilLast: "int(1), int(1), no value")
                try await keyring.write(Secret("x".utf8), for: id, label: "")
                try await seen.wait(untilLast: "int(1), int(1), secret")
                for number in 2...20 {
                    preferences.batch {
                        preferences.set("a", to: .number(JSONNumber(number)))
                        preferences.set("b", to: .number(JSONNumber(number)))
                    }
                }
                try await seen.wait(untilLast: "int(20), int(20), secret")
                for text in seen.elements {
                    let parts = text.components(separatedBy: ", ")
                    #expect(parts[0] == parts[1])
                }
                keyring.inject(.locked)
                try await seen.wait(untilLast: "int(20), int(20), \(failure(.locked))")
            }
        }

        @Test("A reader that watches through swift-configuration follows a wrapper")
        func reader() async throws {
            try await withTemporaryStorage {
                let theme = StoredValue(key: "theme", default: "light")
                let config = ConfigReader(providers: [
                    InMemoryProvider(values: [:]), StoredValuesProvider(secrets: ["token"]),
                ])
                try await config.watchString(forKey: "theme", default: "none") { updates in
                    var themes: [String] = []
                    for await update in updates {
                        themes.append(update)
                        if update == "none" { theme.set("dark") } else { break }
                    }
                    #expect(themes == ["none", "dark"])
                }
                try await config.watchSnapshot { updates in
                    for await snapshot in updates {
                        if snapshot.string(forKey: "theme") == "blue" { break }
                        theme.set("blue")
                    }
                }
            }
        }

        @Test("Watchers that are cancelled or have ended leave nothing behind", arguments: [false, true])
        func ending(isCancelled: Bool) async throws {
            try await withTemporaryFolder { folder in
                let keyring = InMemoryKeyring()
                let preferences = PreferencesFile(path: folder + "/p.json")
                let provider = provider(preferences, keyring)
                let secret = try #require(provider.secrets["token"]).secret
                func listeners() -> [Int] {
                    [preferences.store.state.withLock { $0.audience.listeners.count }, secret.live.subscriptionCount]
                }
                #expect(listeners() == [0, 0])
                let watches: [@Sendable () async throws -> Void] = [
                    { try await provider.watchValue(forKey: "size", type: .int) { for await _ in $0 where !isCancelled { break } } },
                    { try await provider.watchValue(forKey: "token", type: .string) { for await _ in $0 where !isCancelled { break } } },
                    { try await provider.watchSnapshot { for await _ in $0 where !isCancelled { break } } },
                ]
                for _ in 1...10 {
                    let tasks = watches.map { watch in Task { try await watch() } }
                    if isCancelled {
                        try await eventually("they listen") { listeners() == [2, 2] }
                        for task in tasks { task.cancel() }
                    }
                    for task in tasks { try await task.value }
                    try await eventually("nothing is left") { listeners() == [0, 0] }
                }
            }
        }
    }
#endif
