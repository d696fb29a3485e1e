import Foundation
import Logging
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Silence", .hangLimit)
struct SilenceTests {}

extension SilenceTests {
    /// All that a child process printed.
    private func output(_ result: ExitTest.Result?) throws -> String {
        let result = try #require(result)
        return String(decoding: result.standardOutputContent + result.standardErrorContent, as: UTF8.self)
    }

    @Test("Nothing that is printed, logged, dumped, mirrored or thrown holds a secret, and no file does")
    func silence() async throws {
        try await withTemporaryFolder { folder in
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
            ) { [folder = folder as String] in
                LoggingSystem.bootstrap { _ in DisclosingLogHandler() }
                let use = UseOfSecrets(folder: folder)
                do {
                    try await use.secrets()
                    try await use.wrappers()
                    try await use.failures()
                    try await use.encryptedFiles()
                    try await use.credentials()
                    try await use.otherKeyrings()
                    print("all was used")
                } catch {
                    print("not all was used: \(error)")
                }
            }
            let output = try output(result)
            let end = output.replacing(TestSecret.mark, with: "<secret>").suffix(300)
            #expect(output.contains("\nall was used\n") && output.contains("redacted"), "\(end)")
            // Not the output itself: it would be the first one to get out.
            #expect(TestSecret.traces(in: output) == [])
            for line in output.split(separator: "\n") where !TestSecret.traces(in: String(line)).isEmpty {
                Issue.record("\(line.replacing(TestSecret.mark, with: "<secret>"))")
            }
            let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
            #expect(files.contains("store"))
            for file in files where !file.hasPrefix("given") {
                let contents = try? Data(contentsOf: URL(fileURLWithPath: folder + "/" + file))
                let text = String(decoding: contents ?? Data(), as: UTF8.self)
                #expect(TestSecret.traces(in: text + file) == [], "\(file)")
            }
        }
    }

    @Test("A secret printed by mistake is found")
    func planted() async throws {
        struct Careless { let token: String }
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            disclose([Careless(token: TestSecret.text())])
        }
        #expect(TestSecret.traces(in: try output(result)) == ["as it is"])
    }

    @Test("It is found in every form, wherever it begins", arguments: 0..<4)
    func forms(position: Int) {
        let bytes = [UInt8](repeating: 9, count: position) + Array(TestSecret.text().utf8)
        #expect(TestSecret.traces(in: "x\(Data(bytes).base64EncodedString())x") == ["Base64, \(position % 3)"])
        #expect(TestSecret.traces(in: "\(bytes)") == ["numbers"])
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(TestSecret.traces(in: digits) == ["hexadecimal"])
        #expect(TestSecret.traces(in: digits.uppercased()) == ["hexadecimal"])
        #expect(TestSecret.traces(in: "redacted") == [])
    }
}

/// What a program does with secrets, with everything disclosed that the library hands out or keeps.
private struct UseOfSecrets {
    let folder: String
    let id = SecretIdentifier(service: "s", account: "token")

    /// Discloses what `call` throws, which it must.
    func disclosingError(_ what: String, _ call: () async throws -> Void) async throws {
        do {
            try await call()
        } catch {
            print(what)
            return disclose(error)
        }
        throw Unexpected(what: "\(what) did not fail")
    }

    struct Unexpected: Error { let what: String }

    func secrets() async throws {
        struct Holder { let secret: Secret, list: [Secret?] }
        let secret = TestSecret.secret()
        disclose(secret)
        disclose(Holder(secret: secret, list: [secret, nil]))
        disclose(["key": secret])
        disclose(RawSecret(secret))
        disclose(SecretContent<String>.value(TestSecret.text(), secret))
        disclose(SecretContent<[String]>.value([TestSecret.text()], secret))
    }

    func wrappers() async throws {
        struct Account: Codable { var name: String, password: String }
        struct Owner {
            @SecurelyStoredValue<String> var token: String?
            let account: SecurelyStoredValue<Account>
            let tokens: SecurelyStoredValue<[String: [String]]>
        }
        let keyring = InMemoryKeyring()
        let owner = Owner(
            token: SecurelyStoredValue(key: "token", service: "s", keyring: keyring),
            account: SecurelyStoredValue(key: "account", service: "s", keyring: keyring),
            tokens: SecurelyStoredValue(key: "tokens", service: "s", keyring: keyring))
        let values = owner.$token.values.makeAsyncIterator()
        try await owner.$token.set(TestSecret.text("one"))
        try await owner.account.set(Account(name: "a", password: TestSecret.text("two")))
        try await owner.tokens.update(key: "k", value: [TestSecret.text("three")])
        try await owner.$token.update { $0? += "more" }
        try await owner.$token.update { (token: inout String?) async throws in token? += "still more" }
        let isThere = try await owner.$token.required().hasSuffix("still more")
        guard isThere else { throw Unexpected(what: "the token is another one") }
        for await _ in owner.$token.values { break }
        _ = (owner.token, owner.account.wrappedValue, owner.tokens.wrappedValue)
        disclose(owner)
        disclose(owner.$token)
        disclose(owner.$token.status)
        disclose(values)
        disclose(owner.$token.values)
        disclose(keyring)
        let live = LiveKeyring.of(keyring).secret(id, in: keyring, as: String.self)
        _ = try await live.load()
        disclose(live)
        disclose(live.live)
        for fault in [InMemoryKeyring.Fault.locked, .gone, .dismissing] {
            keyring.inject(fault)
            try await disclosingError("\(fault)") { try await owner.$token.set(TestSecret.text("four")) }
            try await disclosingError("\(fault)") { try await owner.tokens.update(key: "k", value: [TestSecret.text()]) }
            try await disclosingError("\(fault)") {
                try await owner.$token.update { (token: inout String?) async throws in token = TestSecret.text() }
            }
            disclose(owner.$token.status)
        }
    }

    func failures() async throws {
        struct Failing: Codable {
            var text: String
            struct Failure: Error { let text: String }
            init(_ text: String) { self.text = text }
            func encode(to encoder: any Encoder) throws { throw Failure(text: text) }
        }
        enum Choice: String, Codable { case one }
        let keyring = InMemoryKeyring()
        try await keyring.write(TestSecret.secret(), for: id, label: "l")
        func wrapper<Item>(_ type: Item.Type, _ key: String = "token") -> SecurelyStoredValue<Item> {
            SecurelyStoredValue(key: key, service: "s", keyring: keyring)
        }
        try await disclosingError("not JSON") { _ = try await wrapper(Int.self).load() }
        try await keyring.write(Secret("\"\(TestSecret.text())\"".utf8), for: id, label: "l")
        try await disclosingError("no such case") { _ = try await wrapper(Choice.self).load() }
        try await disclosingError("another type") { _ = try await wrapper([String: Int].self).load() }
        try await disclosingError("not encodable") { try await wrapper(Failing.self, "f").set(Failing(TestSecret.text())) }
        let large = String(repeating: TestSecret.text(), count: 60_000)
        try await disclosingError("too large") { try await wrapper(String.self, "large").set(large) }
        try await disclosingError("not stored") { try await wrapper(Bool.self, "none").toggle() }
    }

    func credentials() async throws {
        let given = folder + "/given"
        try FileManager.default.createDirectory(atPath: given, withIntermediateDirectories: false)
        try Data(TestSecret.text().utf8).write(to: URL(fileURLWithPath: given + "/token"))
        try Data(TestSecret.text().utf8).write(to: URL(fileURLWithPath: given + "/key"))
        let keyring: CredentialsKeyring = .credentials(at: given)
        disclose(try await keyring.read(id) as Any)
        disclose(keyring)
        try await disclosingError("read-only") { try await keyring.write(TestSecret.secret(), for: id, label: "l") }
        let wrapper = SecurelyStoredValue<Int>(key: "token", service: "s", keyring: keyring)
        try await disclosingError("no number") { _ = try await wrapper.load() }
        let fallback = FallbackKeyring([keyring, InMemoryKeyring()])
        disclose(fallback)
        try await disclosingError("hidden") { try await fallback.write(TestSecret.secret(), for: id, label: "l") }
        try await disclosingError("not moved") { try await keyring.moveSecrets(inService: "s", to: InMemoryKeyring()) }
    }

    func otherKeyrings() async throws {
        let one = InMemoryKeyring(), two = InMemoryKeyring()
        try await one.write(TestSecret.secret("one"), for: id, label: "l")
        try await two.write(TestSecret.secret("two"), for: id, label: "l")
        try await disclosingError("conflict") { try await one.moveSecrets(inService: "s", to: two) }
        disclose(try await one.moveSecrets(inService: "s", to: two, overwriting: true))
        disclose(SystemKeyring.selection)
        let service = SecretServiceKeyring(busAddress: "unix:path=\(folder)/no-bus")
        disclose(service)
        try await disclosingError("no bus") { try await service.write(TestSecret.secret(), for: id, label: "l") }
        disclose(CommandLine.arguments)
        disclose(ProcessInfo.processInfo.environment.filter { TestSecret.traces(in: $0.value) != [] })
    }
}

extension UseOfSecrets {
    /// The deadline is generous: scrypt takes its time on a busy machine.
    private func encryptedFile(_ path: String, _ key: EncryptedFileKey) -> EncryptedFileKeyring {
        EncryptedFileKeyring(path: path, key: key, deadline: hangLimit)
    }

    func encryptedFiles() async throws {
        disclose(EncryptedFileEntry(id: id, label: "l", modified: 0, secret: TestSecret.secret()))
        // The keys are secret, too.
        try Data(TestSecret.text("a key of more than 32 bytes").utf8).write(to: URL(fileURLWithPath: folder + "/given-key"))
        chmod(folder + "/given-key", 0o600)
        let path = folder + "/store"
        let keyring = encryptedFile(path, .file(folder + "/given-key"))
        try await keyring.write(TestSecret.secret("in a file"), for: id, label: "l")
        disclose(keyring)
        let file = DurableFile(path: path)
        let key = EncryptedFileKey.file(folder + "/given-key")
        let vault = EncryptedFileVault(file: file, at: path, key: key)
        disclose(try vault.entries { true })
        disclose(vault)
        try await keyring.rekey(to: .passphrase { TestSecret.secret("passphrase") })
        disclose(keyring)
        let wrong = encryptedFile(path, .passphrase { TestSecret.secret("wrong") })
        try await disclosingError("wrong passphrase") { _ = try await wrong.read(id) }
        struct Refusal: Error { let typed = TestSecret.text("typed") }
        let refused = encryptedFile(path, .passphrase { throw Refusal() })
        try await disclosingError("no passphrase") { _ = try await refused.read(id) }
        try await disclosingError("wrong key") { _ = try await encryptedFile(path, key).read(id) }
        chmod(folder + "/given-key", 0o644)
        try await disclosingError("open key") {
            try await encryptedFile(path + "2", key).write(TestSecret.secret(), for: id, label: "")
        }
        let sound = try Data(contentsOf: URL(fileURLWithPath: path))
        try sound.dropLast().write(to: URL(fileURLWithPath: path))
        try await disclosingError("damaged") { _ = try await keyring.read(id) }
        try await disclosingError("damaged") { try await keyring.write(TestSecret.secret(), for: id, label: "l") }
        try sound.write(to: URL(fileURLWithPath: path))
    }
}
