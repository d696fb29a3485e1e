#if Configuration
    import Configuration
    import ConfigurationTesting
    import Foundation
    import Testing

    @testable import StoredValues
    @testable import StoredValuesConfiguration

    @Suite("StoredValuesProvider: secrets", .hangLimit)
    struct StoredValuesProviderSecretTests {
        private let service = "com.example.configuration"
    }

    extension StoredValuesProviderSecretTests {
        private func provider(
            _ keyring: some Keyring, _ secrets: Set<AbsoluteConfigKey> = ["api.token"],
            storage: PreferencesFile = PreferencesFile(path: ProcessFolder.path + "/" + UUID().uuidString)
        ) -> StoredValuesProvider {
            StoredValuesProvider(storage: storage, secrets: secrets, service: service, keyring: keyring)
        }

        private func token(_ keyring: some Keyring) -> SecurelyStoredValue<String> {
            SecurelyStoredValue(key: "api.token", service: service, keyring: keyring)
        }

        @Test("It passes swift-configuration's own tests with all values in the keyring")
        func compatible() async throws {
            let keyring = InMemoryKeyring()
            for (key, value) in StoredValuesProviderTests.expected {
                let text = value.stringValue ?? value.text(onOneLine: true)
                try await keyring.write(Secret(text.utf8), for: SecretIdentifier(service: service, account: key), label: key)
            }
            let absent = ["string", "int", "double", "bool", "bytes", "string.array", "int.array", "double.array", "bool.array"]
            let keys = StoredValuesProviderTests.expected.keys + absent.map { "absent.\($0)" }
            let provider = provider(keyring, Set(keys.map { AbsoluteConfigKey(ConfigKey($0)) }))
            try await ProviderCompatTest(provider: provider).runTest()
        }

        @Test("A reader reads what a wrapper stores, marked as secret, in every keyring", arguments: KeyringUnderTest.available)
        func secret(_ subject: KeyringUnderTest) async throws {
            let keyring = try await subject.open()
            let token = token(keyring)
            let provider = provider(keyring)
            let config = ConfigReader(provider: provider)
            try await token.reset()
            #expect(try await config.fetchString(forKey: "api.token") == nil)
            #expect(try provider.value(forKey: "api.token", type: .string) == LookupResult(encodedKey: "api.token", value: nil))
            try await token.set(TestSecret.text("one"))
            // At once, in every way; and another type of the same secret in no way.
            let isRead = try config.requiredString(forKey: "api.token") == TestSecret.text("one")
            #expect(isRead)
            let isFetched = try await config.fetchRequiredString(forKey: "api.token") == TestSecret.text("one")
            #expect(isFetched)
            #expect(try provider.value(forKey: "api.token", type: .string).value?.isSecret == true)
            #expect(try provider.snapshot().value(forKey: "api.token", type: .string).value?.isSecret == true)
            #expect(throws: ValueNotConvertible(key: "api.token", type: .int, place: .keyring)) {
                try provider.value(forKey: "api.token", type: .int)
            }
            try await token.reset()
            #expect(config.string(forKey: "api.token") == nil)
        }

        @Test("What a wrapper of another type stores is read as its JSON, at once, and neither binds the other to its type")
        func otherType() async throws {
            struct Account: Codable { var name = "a", port = 8080 }
            let keyring = InMemoryKeyring()
            let provider = provider(keyring, ["account", "port"])
            let config = ConfigReader(provider: provider)
            #expect(config.string(forKey: "account") == nil && config.int(forKey: "port") == nil)
            let account = SecurelyStoredValue<Account>(key: "account", service: service, keyring: keyring)
            let port = SecurelyStoredValue<Int>(key: "port", service: service, keyring: keyring)
            try await account.set(Account())
            try await port.set(8080)
            let text = try config.requiredString(forKey: "account")
            #expect(JSONValue(text: text) == ["name": "a", "port": 8080])
            #expect(config.int(forKey: "port") == 8080 && config.double(forKey: "port") == 8080)
            try await port.update { $0 = ($0 ?? 0) + 1 }
            #expect(config.int(forKey: "port") == 8081)
        }

        private static let thousand = (1...1000).map { AbsoluteConfigKey(["secret\($0)"]) }

        @Test("A snapshot of many secrets asks the keyring for all of them before it waits for one")
        func together() async throws {
            // On a slow machine some may not be asked within the 5 s that it waits.
            try await eventually("all are asked before it gives up the first") {
                let keyring = SteeredKeyring()
                keyring.holdReads()
                let provider = provider(keyring, Set(Self.thousand))
                async let snapshot = offPool { provider.snapshot() }
                defer { keyring.release() }  // also where not all are asked, for the snapshot is waited for
                try await eventually("all are asked") { keyring.heldCount == Self.thousand.count }
                keyring.release()
                let found = await snapshot
                return Self.thousand.allSatisfy { (try? found.value(forKey: $0, type: .string)) != nil }
            }
        }

        @Test("A keyring that hangs costs a snapshot of many secrets its deadline once")
        func hanging() async throws {
            let keyring = SteeredKeyring()
            keyring.holdReads()
            defer { keyring.release() }
            let provider = provider(keyring, Set(Self.thousand))
            let duration = await elapsed {
                let snapshot = provider.snapshot()
                for key in Self.thousand {
                    #expect {
                        try snapshot.value(forKey: key, type: .string)
                    } throws: { error in
                        if case .timedOut = (error as? SecretError)?.reason { true } else { false }
                    }
                }
            }
            #expect(duration < hangLimit, "one after another they would take 5,000 s")
        }

        @Test("A secret is never looked for in the file, nor a setting in the keyring")
        func twoPlaces() async throws {
            try await withTemporaryStorage {
                PreferencesFile.standard.set("api.token", to: "in the clear")
                PreferencesFile.standard.set("size", to: 1)
                let size = SecurelyStoredValue<Int>(key: "size")
                try await size.set(2)
                let config = ConfigReader(provider: StoredValuesProvider(secrets: ["api.token"]))
                #expect(config.string(forKey: "api.token") == nil && config.int(forKey: "size") == 1)
                try await SecurelyStoredValue<String>(key: "api.token").set("hidden")
                #expect(config.string(forKey: "api.token") == "hidden")
            }
        }

        @Test(
            "A keyring that gives no answer is never read as no value, and settings are read all the same",
            arguments: [
                (InMemoryKeyring.Fault.locked, KeyringError.locked), (.gone, .noSecretService), (.dismissing, .locked),
            ])
        func unavailable(_ fault: InMemoryKeyring.Fault, _ reason: KeyringError) async throws {
            try await withTemporaryStorage {
                PreferencesFile.standard.set("size", to: 1)
                for isAskedBefore in [false, true] {
                    let keyring = InMemoryKeyring()
                    let provider = provider(keyring, storage: .standard)
                    let id = SecretIdentifier(service: service, account: "api.token")
                    let error = SecretError(reason: reason, id: id, keyring: keyring.description)
                    if isAskedBefore { #expect(try provider.value(forKey: "api.token", type: .string).value == nil) }
                    keyring.inject(fault)
                    if isAskedBefore {  // news of a lock takes a moment
                        try await eventually("the outage is heard of") {
                            (try? provider.value(forKey: "api.token", type: .string)) == nil
                        }
                    }
                    #expect(throws: error) { try provider.value(forKey: "api.token", type: .string) }
                    #expect(throws: error) { try provider.snapshot().value(forKey: "api.token", type: .string) }
                    await #expect(throws: error) { try await provider.fetchValue(forKey: "api.token", type: .string) }
                    let config = ConfigReader(provider: provider)
                    #expect(throws: error) { try config.requiredString(forKey: "api.token") }
                    await #expect(throws: error) { try await config.fetchString(forKey: "api.token") }
                    #expect(try provider.snapshot().value(forKey: "size", type: .int).value?.content == .int(1))
                    #expect(config.int(forKey: "size") == 1)
                    keyring.inject(nil)
                    #expect(try await config.fetchString(forKey: "api.token") == nil)
                }
            }
        }

        @Test(
            "A lock of the desktop's keyring is thrown and watched, and unlocking brings the secret back",
            .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
        func desktop() async throws {
            let desktop = try await PrivateDesktops().start()
            defer { withExtendedLifetime(desktop) {} }
            let provider = provider(desktop.keyring())
            let answers = Collector(provider.watched("api.token", .string))
            try await answers.wait(for: ["no value"])
            try await desktop.secretTool(
                "store", "--label=l", "service", service, "account", "api.token", input: TestSecret.text("desktop"))
            try await answers.wait(untilLast: "secret")
            try await desktop.lock()
            let id = SecretIdentifier(service: service, account: "api.token")
            let error = SecretError(reason: .locked, id: id, keyring: desktop.keyring().description)
            try await answers.wait(untilLast: "\(error)")
            await #expect(throws: error) { try await provider.fetchValue(forKey: "api.token", type: .string) }
            #expect(throws: error) { try provider.value(forKey: "api.token", type: .string) }
            try await desktop.unlock()
            try await answers.wait(untilLast: "secret")
            let isBack = try await provider.fetchValue(forKey: "api.token", type: .string).value?.content == .string(TestSecret.text("desktop"))
            #expect(isBack)
        }

        @Test("Nothing that it prints, reports or throws holds a secret")
        func silence() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]) {
                final class Reporter: AccessReporter {
                    func report(_ event: AccessEvent) {
                        for result in event.providerResults { print(result.providerName, result.result) }
                        print(event.result, event.conversionError ?? "", String(reflecting: event.result))
                    }
                }
                let keyring = InMemoryKeyring()
                try await SecurelyStoredValue<String>(key: "token", service: "s", keyring: keyring).set(TestSecret.text())
                let provider = StoredValuesProvider(
                    storage: PreferencesFile(path: ProcessFolder.path + "/p.json"), secrets: ["token"], service: "s", keyring: keyring)
                let config = ConfigReader(provider: provider, accessReporter: Reporter())
                let isRead = try await config.fetchRequiredString(forKey: "token") == config.requiredString(forKey: "token")
                do { _ = try config.requiredInt(forKey: "token") } catch { disclose(error) }
                disclose(provider)
                disclose(provider.snapshot())
                disclose(config)
                try await config.watchString(forKey: "token") { updates in
                    disclose(updates)
                    for await _ in updates { break }
                }
                try await provider.watchSnapshot { updates in
                    disclose(updates)
                    for await snapshot in updates {
                        disclose(snapshot)
                        break
                    }
                }
                print("\nall was used: \(isRead)")
            }
            let found = try #require(result)
            let output = String(decoding: found.standardOutputContent + found.standardErrorContent, as: UTF8.self)
            #expect(output.contains("\nall was used: true\n") && output.contains("REDACTED"))
            #expect(TestSecret.traces(in: output) == [])
        }
    }
#endif
