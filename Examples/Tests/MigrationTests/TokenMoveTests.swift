import ExampleProcess
import Foundation
import StoredValues
import Testing

@testable import Migration

/// Each state in which the token may be found.
struct TokenMoveTests {
    static let token = "\(secretMark) plain"

    let home: TemporaryHome
    var file: PlainFile { PlainFile(path: "\(home.path)/token") }
    let keyring = InMemoryKeyring()
    var token: SecurelyStoredValue<String> { SecurelyStoredValue(key: "token", keyring: keyring) }

    init() throws {
        home = try TemporaryHome()
    }

    @Test(
        "A token in the plain file moves, and the file is gone; a second run has nothing to do",
        arguments: ["", "\n", "\r\n"])
    func moved(ending: String) async throws {
        try home.write(Self.token + ending, to: "token")
        #expect(try await TokenMove(from: file, to: token).run() == .moved)
        #expect(try await token.load() == Self.token)
        #expect(home.text(of: "token") == nil)

        #expect(try await TokenMove(from: file, to: token).run() == .nothingToMove)
        #expect(try await token.load() == Self.token)
    }

    @Test("Without a file nothing happens, with a token in the keyring or without", arguments: [nil, "kept"])
    func noFile(stored: String?) async throws {
        if let stored { try await token.set(stored) }
        #expect(try await TokenMove(from: file, to: token).run() == .nothingToMove)
        #expect(try await token.load() == stored)
    }

    @Test("A move that was killed before it removed the file goes on")
    func killedBeforeRemoval() async throws {
        try home.write(Self.token, to: "token")
        try await token.set(Self.token)
        #expect(try await TokenMove(from: file, to: token).run() == .alreadyInKeyring)
        #expect(try await token.load() == Self.token)
        #expect(home.text(of: "token") == nil)
    }

    @Test("A file that was wiped and not removed, or never had a token, is removed", arguments: ["\0\0\0\0", "", "\n"])
    func wiped(text: String) async throws {
        try home.write(text, to: "token")
        try await token.set("kept")
        #expect(try await TokenMove(from: file, to: token).run() == .nothingToMove)
        #expect(try await token.load() == "kept")
        #expect(home.text(of: "token") == nil)
    }

    @Test("Where the keyring has another token, both stay")
    func conflict() async throws {
        try home.write(Self.token, to: "token")
        try await token.set("another")
        await #expect(throws: TokenMoveError.conflict(path: file.path)) { try await TokenMove(from: file, to: token).run() }
        #expect(try await token.load() == "another")
        #expect(home.text(of: "token") == Self.token)
    }

    @Test(
        "While the keyring gives no answer, the file stays",
        arguments: [
            (InMemoryKeyring.Fault.locked, KeyringError.locked), (.gone, .noSecretService),
        ])
    func unavailable(fault: InMemoryKeyring.Fault, error: KeyringError) async throws {
        try home.write(Self.token, to: "token")
        keyring.inject(fault)
        await #expect(throws: TokenMoveError.keyring(error, path: file.path)) {
            try await TokenMove(from: file, to: token).run()
        }
        #expect(home.text(of: "token") == Self.token)

        keyring.inject(nil)
        #expect(try await TokenMove(from: file, to: token).run() == .moved)
    }

    @Test("A keyring that does not keep what it took leaves the file", arguments: ForgetfulKeyring.Habit.allCases)
    func forgetful(habit: ForgetfulKeyring.Habit) async throws {
        try home.write(Self.token, to: "token")
        let token = SecurelyStoredValue<String>(key: "token", keyring: ForgetfulKeyring(habit: habit))
        await #expect(throws: TokenMoveError.self) { try await TokenMove(from: file, to: token).run() }
        #expect(home.text(of: "token") == Self.token)
    }

    @Test("A file that cannot be read stays, and nothing is stored")
    func unreadable() async throws {
        try Data([0xff, 0xfe]).write(to: URL(fileURLWithPath: file.path))
        await #expect(throws: TokenMoveError.unreadable(path: file.path, reason: "it is not UTF-8")) {
            try await TokenMove(from: file, to: token).run()
        }
        #expect(FileManager.default.fileExists(atPath: file.path))
        #expect(try await token.load() == nil)
    }

    @Test("Under its other names nothing of the token is left either")
    func otherNames() async throws {
        try home.write(Self.token, to: "original")
        try FileManager.default.linkItem(atPath: "\(home.path)/original", toPath: "\(home.path)/hard")
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "original")
        #expect(try await TokenMove(from: file, to: token).run() == .moved)
        for name in ["original", "hard", "token"] { #expect(home.text(of: name)?.contains(Self.token) != true, "\(name)") }
    }

    // Both move it when both find it in the file before either has stored it.
    @Test("Of two moves at once, one or both say that they moved it, and neither fails or loses it", arguments: 0..<20)
    func atOnce(round: Int) async throws {
        try home.write(Self.token, to: "token")
        async let first = TokenMove(from: file, to: token).run()
        async let second = TokenMove(from: file, to: token).run()
        let outcomes = try await [first, second]
        #expect(outcomes.contains(.moved))
        #expect(try await token.load() == Self.token)
        #expect(home.text(of: "token") == nil)
    }

    @Test("No error prints the token")
    func silence() async throws {
        try home.write(Self.token, to: "token")
        try await token.set("\(secretMark) other")
        let error = await #expect(throws: TokenMoveError.self) { try await TokenMove(from: file, to: token).run() }
        #expect(!String(describing: error).contains(secretMark))
    }
}

/// A keyring that says it has stored a secret, and has not.
final class ForgetfulKeyring: Keyring {
    enum Habit: CaseIterable {
        case forgets, garbles
    }

    let habit: Habit
    private let memory = InMemoryKeyring()

    init(habit: Habit) {
        self.habit = habit
    }

    var description: String { "a forgetful keyring" }
    var changes: KeyringChanges { memory.changes }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { try await memory.read(id) }

    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        if habit == .garbles { try await memory.write(Secret("garbled".utf8), for: id, label: label) }
    }

    func remove(_ id: SecretIdentifier) async throws(KeyringError) { try await memory.remove(id) }

    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await memory.identifiers(inService: service)
    }

    func unlock() async throws(KeyringError) { try await memory.unlock() }
}
