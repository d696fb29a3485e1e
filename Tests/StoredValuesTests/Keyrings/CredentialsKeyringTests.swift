import Foundation
import StoredValuesFiles
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("CredentialsKeyring", .hangLimit)
struct CredentialsKeyringTests {
    private let id = SecretIdentifier(service: "com.example.Editor", account: "token")
}

extension CredentialsKeyringTests {
    private func put(_ text: String, _ path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// The words of what `call` throws, when that is no case of its own.
    private func reason(_ call: () async throws -> Void) async throws -> String {
        let error = try await #require(throws: KeyringError.self) { try await call() }
        guard case .other(domain: "CredentialsKeyring", _, let message) = error else { return "not a reason: \(error)" }
        return message
    }

    @Test("A file named as the key is the secret, for every service; one named service.key is it before that")
    func names() async throws {
        try await withTemporaryFolder { folder in
            let keyring = CredentialsKeyring(path: folder, deadline: hangLimit)
            #expect(try await keyring.read(id) == nil)
            try put("for all", folder + "/token")
            #expect(try await keyring.read(id) == Secret("for all".utf8))
            try put("for the editor", folder + "/com.example.Editor.token")
            #expect(try await keyring.read(id) == Secret("for the editor".utf8))
            #expect(try await keyring.read(SecretIdentifier(service: "other", account: "token")) == Secret("for all".utf8))
            #expect(try await keyring.read(SecretIdentifier(service: "", account: "token")) == Secret("for all".utf8))
        }
    }

    @Test(
        "The bytes are the file's, with a newline at the end, NUL and invalid UTF-8",
        arguments: [
            ([], 0), (Array("token\n".utf8), 0), ([0, 0xFF, 0xC3, 0x28], 0), ([], 1 << 20),
        ] as [([UInt8], Int)])
    func bytes(first: [UInt8], sevens: Int) async throws {
        let bytes = first + [UInt8](repeating: 7, count: sevens)
        try await withTemporaryFolder { folder in
            try Data(bytes).write(to: URL(fileURLWithPath: folder + "/token"))
            #expect(try await CredentialsKeyring(path: folder, deadline: hangLimit).read(id) == Secret(bytes))
        }
    }

    @Test(
        "A String wrapper drops one newline at the end, in a fallback too, unless configured otherwise; others drop nothing",
        arguments: [
            ("token\n", "token"), ("token\n\n", "token\n"), ("token\r\n", "token"), ("token", "token"), ("\n", ""), ("", ""), ("\ntoken ", "\ntoken "),
        ])
    func newline(stored: String, read: String) async throws {
        try await withTemporaryFolder { folder in
            try put(stored, folder + "/token")
            let keyring: CredentialsKeyring = .credentials(at: folder)
            func load<Item: StorableItem>(_ type: Item.Type, _ keyring: some Keyring) async throws -> Item? {
                try await SecurelyStoredValue<Item>(key: id.account, service: id.service, keyring: keyring).load()
            }
            #expect(try await load(String.self, keyring) == read)
            #expect(try await load(String.self, FallbackKeyring([InMemoryKeyring(), keyring])) == read)
            #expect(try await load(Data.self, FallbackKeyring([keyring])) == Data(stored.utf8))
            #expect(try await keyring.read(id) == Secret(stored.utf8))
            let keeping = keyring.keepingFinalNewlines
            #expect(keeping != keyring)
            #expect(try await load(String.self, keeping) == stored)
            #expect(try await load(String.self, FallbackKeyring([keeping])) == stored)
        }
    }

    @Test("What was set keeps its newline: only a file's is taken off")
    func ownNewline() async throws {
        let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: InMemoryKeyring())
        try await token.set("line\n")
        #expect(try await token.load() == "line\n" && token.wrappedValue == "line\n")
    }

    @Test("More than 1 MiB is refused")
    func tooLarge() async throws {
        try await withTemporaryFolder { folder in
            try Data(count: 1 << 20 + 1).write(to: URL(fileURLWithPath: folder + "/token"))
            await #expect(throws: KeyringError.tooLarge) { try await CredentialsKeyring(path: folder, deadline: hangLimit).read(id) }
        }
    }

    @Test("A missing folder, or a file in its place, is a reason and not an absent secret")
    func missingFolder() async throws {
        try await withTemporaryFolder { folder in
            let missing = CredentialsKeyring(path: folder + "/none", deadline: hangLimit)
            #expect(try await reason { _ = try await missing.read(id) }.contains("\(folder)/none\" is missing"))
            #expect(try await reason { _ = try await missing.identifiers(inService: "s") }.contains("is missing"))
            #expect(try await reason { try await missing.unlock() }.contains("is missing"))
            let error = await #expect(throws: KeyringError.self) { try await missing.unlock() }
            #expect(try !"\(#require(error))".contains("program"), "there is none")
            try put("", folder + "/file")
            let file = CredentialsKeyring(path: folder + "/file", deadline: hangLimit)
            #expect(try await reason { _ = try await file.read(id) }.contains("is a regular file, not a folder"))
        }
    }

    @Test("What is there and cannot be read is no absent secret either")
    func unreadable() async throws {
        try await withTemporaryFolder { folder in
            let keyring = CredentialsKeyring(path: folder, deadline: hangLimit)
            let (read, path) = ({ _ = try await keyring.read(id) }, folder + "/token")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "gone")
            #expect(try await reason(read).contains("a symbolic link to a missing file"))
            #expect(try await keyring.identifiers(inService: id.service) == [id])
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "token")
            await #expect(throws: KeyringError.self) { try await read() }
            #expect(try await keyring.identifiers(inService: id.service) == [id])
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            await #expect(throws: KeyringError.self) { try await read() }
            try FileManager.default.removeItem(atPath: path)
            #expect(mkfifo(path, 0o600) == 0)
            await #expect(throws: KeyringError.self) { try await read() }
            try FileManager.default.removeItem(atPath: path)
            try put("s", path)
            let refusing = CredentialsKeyring(
                CredentialsFolder(folder, operations: FaultyFileOperations(failing: ["open reading": .accessDenied])))
            await #expect(throws: KeyringError.accessDenied) { try await refusing.read(id) }
        }
    }

    @Test("A file that is not as long as it was when it was opened is not taken for the secret", arguments: [0, 9])
    func changing(count: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/token"
            try put("token", path)
            let operations = FaultyFileOperations { call in
                if call == "read" { #expect(truncate(path, count) == 0) }
            }
            let keyring = CredentialsKeyring(CredentialsFolder(folder, operations: operations))
            let error = try await #require(throws: KeyringError.self) { try await keyring.read(id) }
            #expect("\(error)".contains("was being changed"))
        }
    }

    @Test(
        "A name that no file can have is refused",
        arguments: [
            "a/b", "../token", "../\u{301}token", "/etc/passwd", "", ".", "..", "a\0b", String(repeating: "n", count: 256),
        ])
    func badNames(name: String) async throws {
        try await withTemporaryFolder { folder in
            let keyring = CredentialsKeyring(path: folder + "/in", deadline: hangLimit)
            try FileManager.default.createDirectory(atPath: folder + "/in", withIntermediateDirectories: false)
            try put("outside", folder + "/token")
            let reason = try await reason { _ = try await keyring.read(SecretIdentifier(service: "s", account: name)) }
            #expect(reason.contains("cannot be the name of a file"))
            guard name.utf8.contains(UInt8(ascii: "/")) else { return }
            let service = SecretIdentifier(service: name, account: "token")
            #expect(try await self.reason { _ = try await keyring.read(service) }.contains("cannot be the name of a file"))
        }
    }

    @Test("A name of 255 bytes is read, though none of service.key's would fit")
    func longName() async throws {
        try await withTemporaryFolder { folder in
            let id = SecretIdentifier(service: "s", account: String(repeating: "n", count: 255))
            try put("long", folder + "/" + id.account)
            #expect(try await CredentialsKeyring(path: folder, deadline: hangLimit).read(id) == Secret("long".utf8))
            #expect(try await CredentialsKeyring(path: folder, deadline: hangLimit).identifiers(inService: "s") == [id])
        }
    }

    @Test("Every identifier that is listed can be read, folders are not listed, and no secret twice")
    func identifiers() async throws {
        try await withTemporaryFolder { folder in
            for name in ["b", "com.example.Editor.a", "a", "com.example.Editor.", "com.example.Editor...", ".hidden"] {
                try put(name, folder + "/" + name)
            }
            try FileManager.default.createDirectory(atPath: folder + "/folder", withIntermediateDirectories: false)
            let keyring = CredentialsKeyring(path: folder, deadline: hangLimit)
            let ids = try await keyring.identifiers(inService: id.service)
            #expect(ids.map(\.account) == [".hidden", "a", "b", "com.example.Editor.", "com.example.Editor..."])
            for id in ids { #expect(try await keyring.read(id) != nil) }
            #expect(try await keyring.identifiers(inService: "x").count == 6)
        }
    }

    @Test("A secret as Kubernetes mounts it, through links that are turned at once, is read")
    func kubernetes() async throws {
        try await withTemporaryFolder { folder in
            let files = FileManager.default
            for (name, text) in [("..1", "first"), ("..2", "second")] {
                try files.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: false)
                try put(text, folder + "/\(name)/token")
            }
            try files.createSymbolicLink(atPath: folder + "/..data", withDestinationPath: "..1")
            try files.createSymbolicLink(atPath: folder + "/token", withDestinationPath: "..data/token")
            let keyring = CredentialsKeyring(path: folder, deadline: hangLimit)
            var changes = keyring.changes.makeAsyncIterator()
            #expect(try await keyring.read(id) == Secret("first".utf8))
            #expect(try await keyring.identifiers(inService: id.service) == [id])
            try files.createSymbolicLink(atPath: folder + "/..tmp", withDestinationPath: "..2")
            #expect(rename(folder + "/..tmp", folder + "/..data") == 0)
            #expect(await changes.next() == .secret(id))
            #expect(try await keyring.read(id) == Secret("second".utf8))
        }
    }

    @Test("A change is reported when the file of a secret that was read is created, written in place, replaced or removed")
    func changes() async throws {
        try await withTemporaryFolder { folder in
            let keyring = CredentialsKeyring(path: folder, deadline: hangLimit), path = folder + "/token"
            try put("linked", folder + "/elsewhere")
            #expect(try await keyring.read(id) == nil)
            // The one listens after the secret was read, the other one before another is.
            var changes = CredentialsKeyring(path: folder, deadline: hangLimit).changes.makeAsyncIterator()
            let steps: [(String?, () throws -> Void)] = [
                ("made", { try put("made", path) }),
                ("replaced", { try "replaced".write(toFile: path, atomically: true, encoding: .utf8) }),
                ("for the editor", { try put("for the editor", folder + "/com.example.Editor.token") }),
                ("replaced", { try FileManager.default.removeItem(atPath: folder + "/com.example.Editor.token") }),
                (nil, { try FileManager.default.removeItem(atPath: path) }),
                ("linked", { #expect(link(folder + "/elsewhere", path) == 0) }),
                ("", { #expect(truncate(path, 0) == 0) }),
            ]
            for (expected, step) in steps {
                try step()
                // Some steps are several events; what counts is that the last state is heard.
                repeat { #expect(await changes.next() == .secret(id)) } while try await keyring.read(id) != expected.map { Secret($0.utf8) }
            }
            let other = SecretIdentifier(service: "s", account: "other")
            #expect(try await keyring.read(other) == nil)
            try put("x", folder + "/other")
            while await changes.next() != .secret(other) {}
        }
    }

    @Test("However many secrets were read, few are watched; those that wrappers use are heard as long as these live")
    func manySecrets() async throws {
        try await withTemporaryFolder { folder in
            let keyring = CredentialsKeyring(path: folder, deadline: hangLimit)
            let changes = CredentialsChanges.shared(for: try #require(CredentialsFolder(folder)))
            do {
                try put("old", folder + "/token")
                let fallback = FallbackKeyring([keyring])
                let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
                let other = SecurelyStoredValue<String>(key: "other", service: id.service, keyring: fallback)
                #expect(try await token.load() == "old")
                #expect(try await other.load() == nil)
                for number in 0..<1_000 { _ = try await keyring.read(SecretIdentifier(service: "s", account: "\(number)")) }
                try await eventually("both are followed, and the latest") { changes.followed.objects.count == CredentialsChanges.recentLimit + 2 }
                try put("new", folder + "/token")
                try put("new", folder + "/other")
                try await eventually("both were heard") { token.wrappedValue == "new" && other.wrappedValue == "new" }
            }
            try await eventually("nobody uses them") {
                for number in 0..<64 { _ = try await keyring.read(SecretIdentifier(service: "s", account: "\(number)")) }
                return changes.followed.objects.count == CredentialsChanges.recentLimit
            }
        }
    }

    @Test("It is read-only, and nothing it does changes the folder")
    func readOnly() async throws {
        try await withTemporaryFolder { folder in
            try put("kept", folder + "/token")
            let keyring: CredentialsKeyring = .credentials(at: folder)
            await #expect(throws: KeyringError.readOnly) { try await keyring.write(Secret([1]), for: id, label: "") }
            await #expect(throws: KeyringError.readOnly) { try await keyring.remove(id) }
            try await keyring.unlock()
            #expect(try await keyring.read(id) == Secret("kept".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["token"])
            #expect(keyring == .credentials(at: folder) && keyring != .credentials(at: folder + "/x"))
            #expect(keyring.description.contains(folder))
        }
    }

    @Test("Without $CREDENTIALS_DIRECTORY every call says so; with it, it names the folder")
    func environment() async throws {
        try await withTemporaryFolder { folder in
            try put("from systemd", folder + "/token")
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                let id = SecretIdentifier(service: "s", account: "token")
                unsetenv("CREDENTIALS_DIRECTORY")
                let error = try await #require(throws: KeyringError.self) {
                    try await CredentialsKeyring.credentials.read(id)
                }
                #expect("\(error)".contains("CREDENTIALS_DIRECTORY is not set"))
                setenv("CREDENTIALS_DIRECTORY", folder, 1)
                let keyring = SecurelyStoredValue<String>(key: "token", service: "s", keyring: .credentials)
                #expect(keyring.wrappedValue == "from systemd")
            }
        }
    }
}
