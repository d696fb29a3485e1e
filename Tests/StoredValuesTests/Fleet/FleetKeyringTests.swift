#if Fleet
    import Dispatch
    import Foundation
    import StoredValuesSupport
    import Testing

    @testable import StoredValues
    @testable import StoredValuesFiles

    /// The fleet's keyring on files as an agent writes them: what must hold for every keyring that can be read only.
    @Suite("FleetKeyring", .hangLimit)
    struct FleetKeyringTests {
        private let id = SecretIdentifier(service: "com.example.Server", account: "token")
    }

    extension FleetKeyringTests {
        /// A folder of an agent whose application is this process, with a secret, and the key.
        private func withKeyring(_ body: (FleetKeyring, EncryptedFileKeyring, _ key: String, _ folder: String) async throws -> Void) async throws {
            try await withTemporaryFolder { folder in
                let key = "\(folder)/key"
                try TestFleet.writeKey(to: key)
                let file = EncryptedFileKeyring(path: Self.path(in: folder), key: .file(key), deadline: hangLimit)
                try await file.write(TestSecret.secret(), for: id, label: "l")
                try await body(FleetKeyring(key: .file(key), formerKey: nil, folder: folder, deadline: hangLimit), file, key, folder)
            }
        }

        private static func path(in folder: String) -> String { "\(folder)/\(StorageSystem.applicationID)/secrets" }

        @Test("It reads secrets and names, and says what it is")
        func reading() async throws {
            try await withKeyring { keyring, file, key, _ in
                #expect(try await keyring.read(id) == TestSecret.secret())
                #expect(try await keyring.read(SecretIdentifier(service: id.service, account: "other")) == nil)
                #expect(try await keyring.identifiers(inService: id.service) == [id])
                #expect(try await keyring.identifiers(inService: "other").isEmpty)
                try await keyring.unlock()
                #expect(keyring.description.contains(key))
                #expect(FleetKeyring(key: .file(key), formerKey: .file("/old")).description.contains("/old"))
            }
        }

        @Test("It can be read only: changes and updates throw .readOnly and change nothing")
        func writing() async throws {
            try await withKeyring { keyring, _, _, folder in
                let before = try DurableFile(path: Self.path(in: folder)).currentIdentity()
                await #expect(throws: KeyringError.readOnly) { try await keyring.write(Secret([1]), for: id, label: "") }
                await #expect(throws: KeyringError.readOnly) { try await keyring.remove(id) }
                let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
                for attempt in 0..<3 {
                    let error = await #expect(throws: SecretError.self) {
                        switch attempt {
                        case 0: try await token.set("x")
                        case 1: try await token.reset()
                        default: try await token.update { $0 = "x" }
                        }
                    }
                    #expect(error?.reason == .readOnly)
                }
                try await eventually("a getter has it") { token.wrappedValue == TestSecret.text() }
                #expect(try DurableFile(path: Self.path(in: folder)).currentIdentity() == before)
            }
        }

        @Test("Changes of the file, of another process too, are heard in values, and while nobody could read it, none is made up")
        func changes() async throws {
            try await withKeyring { keyring, file, _, folder in
                var values = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring).values.makeAsyncIterator()
                #expect(await values.next() == TestSecret.text())
                let sound = try Data(contentsOf: URL(fileURLWithPath: Self.path(in: folder)))
                try writeFinished([1, 2, 3], to: Self.path(in: folder))
                try writeFinished(Array(sound), to: Self.path(in: folder))
                try await file.write(Secret("second".utf8), for: id, label: "")
                while let value = await values.next(), value != "second" { #expect(value == TestSecret.text()) }
                try await file.remove(id)
                #expect(await values.next() == .some(nil))
            }
        }

        @Test("That there are no secrets is heard in a stream that began before the agent had read the settings")
        func firstSync() async throws {
            try await withTemporaryFolder { folder in
                let settings = try #require(FleetFolder(folder)).mirror(of: StorageSystem.applicationID)
                try FileManager.default.createDirectory(
                    atPath: (settings as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                let keyring = FleetKeyring(key: .passphrase { Secret([1]) }, formerKey: nil, folder: folder, deadline: hangLimit)
                let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
                let answers = Collector(token.answers)
                try await eventually("it is unknown") { if case .failure = answers.elements.last { true } else { false } }
                try writeFinished(Array("{}".utf8), to: settings)
                try await answers.wait(untilLast: .success(nil))
            }
        }

        @Test("A file that is removed just before it is read does not look like one without secrets")
        func removedMeanwhile() async throws {
            try await withKeyring { _, _, key, folder in
                let path = Self.path(in: folder)
                let operations = FaultyFileOperations { call in
                    if call == "open reading" { try? FileManager.default.removeItem(atPath: path) }
                }
                let keyring = FleetKeyring(key: .file(key), formerKey: nil, folder: folder, deadline: hangLimit, operations: operations)
                let error = await #expect(throws: KeyringError.self) { try await keyring.read(id) }
                #expect(error?.description.contains("no agent has brought") == true)
            }
        }

        @Test("If neither key opens the file, the error says what is wrong with the current one")
        func neitherKey() async throws {
            try await withKeyring { _, _, _, folder in
                let other = "\(folder)/other", missing = "\(folder)/missing"
                try TestFleet.writeKey(to: other)
                func read(_ key: String, orWith formerKey: String) async -> KeyringError? {
                    let keyring = FleetKeyring(key: .file(key), formerKey: .file(formerKey), folder: folder, deadline: hangLimit)
                    return await #expect(throws: KeyringError.self) { try await keyring.read(id) }
                }
                #expect(await read(other, orWith: missing) == .wrongKey)
                #expect(await read(missing, orWith: other)?.description.contains("\"\(missing)\" is missing") == true)
            }
        }

        @Test("A cancelled task gets .cancelled")
        func cancelled() async throws {
            try await withKeyring { keyring, _, _, _ in
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    await #expect(throws: KeyringError.cancelled) { try await keyring.read(id) }
                    await #expect(throws: KeyringError.cancelled) { try await keyring.identifiers(inService: id.service) }
                    await #expect(throws: KeyringError.cancelled) { try await keyring.unlock() }
                }
                await task.value
            }
        }

        @Test("Two with the same keys are one; another key, another former key or none make another")
        func identity() throws {
            try withTemporaryFolder { folder in
                func keyring(_ key: EncryptedFileKey, _ former: EncryptedFileKey?) -> KeyringIdentity {
                    KeyringIdentity(FleetKeyring(key: key, formerKey: former, folder: folder))
                }
                let phrase = EncryptedFileKey.passphrase { Secret([1]) }
                let different = [
                    keyring(.file("/a"), nil), keyring(.file("/b"), nil), keyring(.file("/a"), .file("/b")), keyring(.file("/b"), .file("/a")),
                    keyring(.file("/a"), phrase), keyring(phrase, nil),
                ]
                for (index, one) in different.enumerated() {
                    for (other, two) in different.enumerated() { #expect((one == two) == (index == other), "\(index) \(other)") }
                }
                #expect(keyring(.file("/a"), .file("/b")) == keyring(.file("/a"), .file("/b")))
                let one = FleetKeyring(key: .file("/a"), formerKey: phrase)
                #expect(KeyringIdentity(one) == KeyringIdentity(one))
            }
        }

        @Test("It is the same as before when the links on the way to its key have changed since it was made")
        func identityStays() throws {
            try withTemporaryFolder { folder in
                let link = "\(folder)/key"
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/first")
                let keyring = FleetKeyring(key: .file(link), formerKey: nil, folder: folder), before = KeyringIdentity(keyring)
                try FileManager.default.removeItem(atPath: link)
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/second")
                #expect(KeyringIdentity(keyring) == before)
                #expect(KeyringIdentity(FleetKeyring(key: .file(link), formerKey: nil, folder: folder)) != before)
            }
        }

        @Test("A disk that hangs costs the deadline, and not the thread of the caller")
        func hangingDisk() async throws {
            try await withTemporaryFolder { folder in
                let disk = DispatchSemaphore(value: 0), caller = Guarded(currentThreadNumber()), isCaller = Guarded(false)
                let operations = FaultyFileOperations(beforeLooking: {
                    if currentThreadNumber() == caller.withLock({ $0 }) { isCaller.withLock { $0 = true } }
                    disk.wait()
                    disk.signal()
                })
                let keyring = FleetKeyring(key: .passphrase { Secret([1]) }, formerKey: nil, folder: folder, deadline: .milliseconds(20), operations: operations)
                for _ in 0..<2 {
                    await #expect(throws: KeyringError.timedOut(after: .milliseconds(20))) { try await keyring.read(id) }
                }
                #expect(!isCaller.withLock { $0 })
                disk.signal()
            }
        }
    }
#endif
