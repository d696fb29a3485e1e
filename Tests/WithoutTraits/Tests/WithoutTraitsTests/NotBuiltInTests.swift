import Foundation
import StoredValues
import StoredValuesTesting
import Testing

@Suite("The desktop's keyring and the encrypted file, which are not built in")
struct NotBuiltInTests {
    private let id = SecretIdentifier(service: "s", account: "a")

    @Test("Every call of the desktop's keyring says so")
    func secretService() async throws {
        let keyring = SecretServiceKeyring()
        await #expect(throws: KeyringError.notBuiltIn) { try await keyring.read(id) }
        await #expect(throws: KeyringError.notBuiltIn) { try await keyring.write(Secret([1]), for: id, label: "") }
        await #expect(throws: KeyringError.notBuiltIn) { try await keyring.remove(id) }
        await #expect(throws: KeyringError.notBuiltIn) { try await keyring.identifiers(inService: "s") }
        await #expect(throws: KeyringError.notBuiltIn) { try await keyring.unlock() }
    }

    @Test("Every call of the encrypted file says so, whatever the key, and touches no file")
    func encryptedFile() async throws {
        try await withFolder { folder in
            let keys: [EncryptedFileKey] = [
                .file(folder + "/key"), .mountedFile(folder + "/key"), .generatedFile(folder + "/key"), .credential("key"),
                .portal, .passphrase { fatalError("nobody is to be asked") },
            ]
            for key in keys {
                let keyring: EncryptedFileKeyring = .encryptedFile(folder + "/secrets", key: key)
                await #expect(throws: KeyringError.notBuiltIn) { try await keyring.read(id) }
                await #expect(throws: KeyringError.notBuiltIn) { try await keyring.write(Secret([1]), for: id, label: "") }
                await #expect(throws: KeyringError.notBuiltIn) { try await keyring.remove(id) }
                await #expect(throws: KeyringError.notBuiltIn) { try await keyring.removeAll(inService: "s") }
                await #expect(throws: KeyringError.notBuiltIn) { try await keyring.identifiers(inService: "s") }
                await #expect(throws: KeyringError.notBuiltIn) { try await keyring.unlock() }
                await #expect(throws: KeyringError.notBuiltIn) { try await keyring.rekey(to: key) }
                for await change in keyring.changes { Issue.record("\(change)") }
                #expect(keyring.description.hasPrefix("the encrypted file \(folder)/secrets, opened with "))
            }
            let made = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(made == [])
        }
    }

    @Test("A wrapper is unavailable with that reason, not absent; a fallback passes the file over")
    func wrapper() async throws {
        try await withFolder { folder in
            let file: EncryptedFileKeyring = .encryptedFile(folder + "/secrets", key: .generatedFile(folder + "/key"))
            let token = SecurelyStoredValue<String>(key: "token", service: "s", keyring: file)
            await expectNotBuiltIn { _ = try await token.load() }
            #expect(token.wrappedValue == nil && token.status == .unavailable(.notBuiltIn))
            await expectNotBuiltIn { try await token.set("x") }
            await expectNotBuiltIn { _ = try await token.update { $0 = "x" } }
            await expectNotBuiltIn { try await token.reset() }
            let other = SecurelyStoredValue<String>(key: "token", service: "s", keyring: FallbackKeyring([file, InMemoryKeyring()]))
            try await other.set("x")
            try await other.update { $0? += "y" }
            #expect(try await other.load() == "xy")
            // Not "read only", and whether or not an agent has brought the fleet's secrets.
            let behindFleet = FallbackKeyring([.fleet(key: .file(folder + "/key")), InMemoryKeyring()])
            try await behindFleet.write(Secret([2]), for: id, label: "")
            #expect(try await behindFleet.read(id) == Secret([2]))
            try await behindFleet.remove(id)
            let source = InMemoryKeyring()
            try await source.write(Secret([1]), for: id, label: "")
            await #expect(throws: SecretMoveError.destination(.notBuiltIn)) {
                try await source.moveSecrets(inService: "s", to: file)
            }
            #expect(try await source.read(id) == Secret([1]))
        }
    }

    /// The rules that every keyring follows, in the two that are there.
    @Test("A keyring in memory and a fallback to it do what keyrings do", arguments: KeyringRule.allCases)
    func rules(_ rule: KeyringRule) async throws {
        try await rule.check(within: .seconds(1800)) { InMemoryKeyring() }
        try await rule.check(within: .seconds(1800)) { FallbackKeyring([SecretServiceKeyring(), InMemoryKeyring()]) }
    }

    @Test("Where STORED_VALUES_KEYRING names one, the tool says so, stores nothing and takes no other keyring")
    func tool() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: "\(folder)/credentials", withIntermediateDirectories: false)
            try Data("given".utf8).write(to: URL(fileURLWithPath: "\(folder)/credentials/token"))
            let commands = [
                (["secret", "set", "token"], "x"), (["secret", "get", "token"], ""), (["secret", "list"], ""),
                (["secret", "move", "--keyring", "credentials:\(folder)/credentials", "--to", "file:\(folder)/new"], ""),
            ]
            for (command, input) in commands {
                let run = try runTool(command, input: input, home: folder)
                #expect(run.status == 69 && run.output == "" && run.errors.contains("built without this keyring"), "\(run)")
            }
            let doctor = try runTool(["doctor"], home: folder)
            let text = doctor.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(doctor.status == 1 && text.contains("the encrypted file \(folder)/secrets"), "\(doctor)")
            #expect(text.contains("built without this keyring"), "\(doctor)")
            let made = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!made.contains { $0.hasPrefix("secrets") || $0.hasPrefix("new") }, "\(made)")
        }
    }
}
