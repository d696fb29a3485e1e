import Foundation
import Testing

@testable import StoredValues

@Suite("Where the key of an encrypted file comes from", .hangLimit)
struct EncryptedFileKeyTests {
    private let id = SecretIdentifier(service: "s", account: "token")
}

extension EncryptedFileKeyTests {
    /// The error of a first write with `key`; nil when it succeeds.
    private func error(_ key: EncryptedFileKey, in folder: String) async -> KeyringError? {
        let keyring = EncryptedFileKeyring(path: folder + "/\(UUID().uuidString)", key: key, deadline: hangLimit)
        do {
            try await keyring.write(Secret([1]), for: id, label: "")
            return nil
        } catch {
            return error
        }
    }

    @Test("A relative path of a key is that of the folder in which it was named")
    func workingFolder() async throws {
        try await withTemporaryFolder { folder in
            for name in ["a", "b"] { try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: false) }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                let id = SecretIdentifier(service: "s", account: "a")
                try #require(FileManager.default.changeCurrentDirectoryPath("\(folder)/a"))
                let keyring = EncryptedFileKeyring(path: "secrets", key: .generatedFile("secrets.key"))
                let others = [EncryptedFileKey.file("secrets.key"), .mountedFile("secrets.key")].map { EncryptedFileKeyring(path: "secrets", key: $0) }
                try #require(FileManager.default.changeCurrentDirectoryPath("\(folder)/b"))
                try await keyring.write(Secret([7]), for: id, label: "")
                for keyring in others { #expect(try await keyring.read(id) == Secret([7])) }
                #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/b") == [])
            }
        }
    }

    @Test(
        "Who else may read or write the key file depends on its origin",
        arguments: [
            (0o400, true, true, true), (0o600, true, true, true), (0o440, false, true, true), (0o640, false, true, true),
            (0o444, false, false, true), (0o644, false, false, true), (0o604, false, false, true), (0o660, false, false, false),
            (0o606, false, false, false), (0o620, false, false, false), (0o602, false, false, false),
        ])
    func modes(mode: Int, own: Bool, credential: Bool, mounted: Bool) async throws {
        try await withTemporaryFolder { folder in
            makeKeyFile(folder + "/key", mode: mode)
            let path = folder + "/key"
            let systemd = EncryptedFileKey(source: .credential("key", folder: folder))
            #expect(await error(.file(path), in: folder) == (own ? nil : .accessDenied))
            #expect(await error(.generatedFile(path), in: folder) == (own ? nil : .accessDenied))
            #expect(await error(systemd, in: folder) == (credential ? nil : .accessDenied))
            #expect(await error(.mountedFile(path), in: folder) == (mounted ? nil : .accessDenied))
        }
    }

    @Test("Only a mounted key may be a link, as Kubernetes makes them")
    func links() async throws {
        try await withTemporaryFolder { folder in
            makeKeyFile(folder + "/real")
            try FileManager.default.createSymbolicLink(atPath: folder + "/key", withDestinationPath: "real")
            #expect(await error(.mountedFile(folder + "/key"), in: folder) == nil)
            for key in [EncryptedFileKey.file(folder + "/key"), EncryptedFileKey(source: .credential("key", folder: folder))] {
                #expect(await error(key, in: folder)?.description.contains("symbolic link") == true)
            }
        }
    }

    @Test("A key file of another user is refused, wherever it lies")
    func owner() async throws {
        try SkippedCase.endUnlessRoot(because: "only root can give files away")
        try await withTemporaryFolder { folder in
            makeKeyFile(folder + "/key")
            #expect(chown(folder + "/key", 4321, 4321) == 0)
            for key in [
                EncryptedFileKey.file(folder + "/key"), .mountedFile(folder + "/key"),
                EncryptedFileKey(source: .credential("key", folder: folder)),
            ] {
                #expect(await error(key, in: folder) == .accessDenied)
            }
        }
    }

    @Test("A credential of systemd is the key; without the folder, or with a name that is none, the reason is reported")
    func credential() async throws {
        try await withTemporaryFolder { folder in
            makeKeyFile(folder + "/key", mode: 0o400)
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                let id = SecretIdentifier(service: "s", account: "token")
                func write(_ key: EncryptedFileKey) async throws {
                    let keyring = EncryptedFileKeyring(path: folder + "/store", key: key, deadline: hangLimit)
                    try await keyring.write(Secret([1]), for: id, label: "")
                }
                unsetenv("CREDENTIALS_DIRECTORY")
                let unset = try await #require(throws: KeyringError.self) { try await write(.credential("key")) }
                try #require("\(unset)".contains("CREDENTIALS_DIRECTORY is not set"))
                setenv("CREDENTIALS_DIRECTORY", folder, 1)
                for name in ["../key", "", "..", "a/b"] {
                    let bad = try await #require(throws: KeyringError.self) { try await write(.credential(name)) }
                    try #require("\(bad)".contains("cannot be the name"))
                }
                try await write(.credential("key"))
                // It is the file's bytes, whoever names it.
                let again = EncryptedFileKeyring(path: folder + "/store", key: .file(folder + "/key"), deadline: hangLimit)
                try #require(try await again.read(id) == Secret([1]))
                try #require(again == EncryptedFileKeyring(path: folder + "/store", key: .credential("key")))
            }
        }
    }

    @Test("What a passphrase's closure throws is passed on if it is a KeyringError; of others only the type is told")
    func closures() async throws {
        struct Refusal: Error, CustomStringConvertible { let description = "it is not \(TestSecret.text())" }
        try await withTemporaryFolder { folder in
            #expect(await error(.passphrase { throw KeyringError.dismissed }, in: folder) == .dismissed)
            let refused = try #require(await error(.passphrase { throw Refusal() }, in: folder))
            #expect("\(refused)".contains("Refusal") && TestSecret.traces(in: "\(refused)") == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test("Two keyrings are one when their files and key files are, however they are spelled")
    func identity() async throws {
        try await withTemporaryFolder { folder in
            let files = FileManager.default
            for name in ["real", "other"] { try files.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: false) }
            try files.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "real")
            let keyring = keyring(folder, "real/store", "real/key")
            for same in [self.keyring(folder, "link/store", "real/key"), self.keyring(folder, "other/../real/./store", "link/key")] {
                #expect(same == keyring && same.hashValue == keyring.hashValue)
            }
            #expect(keyring != self.keyring(folder, "other/store", "real/key"))
            #expect(keyring != self.keyring(folder, "real/store", "other/key"))
            var changes = self.keyring(folder, "link/store", "link/key").changes.makeAsyncIterator()
            try await keyring.write(Secret([1]), for: id, label: "")
            #expect(await changes.next() == .secret(id))
        }
    }

    private func keyring(_ folder: String, _ path: String, _ key: String) -> EncryptedFileKeyring {
        EncryptedFileKeyring(path: folder + "/" + path, key: .generatedFile(folder + "/" + key), deadline: hangLimit)
    }
}
