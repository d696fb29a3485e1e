import Foundation
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

/// What is expected of an error's sentences, and the case that comes after it: each `switch` below is without a default, so
/// that a new case does not compile until its expected messages are added.
private struct Expectation<Failure: Error> {
    /// What they name as concerned, such as the file or the secret.
    let about: [String]
    /// What they tell the user to do.
    let advice: String
    let next: Failure?

    init(_ about: String..., advice: String, next: Failure?) {
        self.about = about
        self.advice = advice
        self.next = next
    }
}

@Suite("Messages of public errors")
struct ErrorSentencesTests {}

extension ErrorSentencesTests {
    private static let id = SecretIdentifier(service: "com.example.Editor", account: "token")
    private static let path = "/home/me/.config/editor/preferences.json"

    private func expectation(_ error: PreferencesError) -> Expectation<PreferencesError> {
        switch error {
        case .noHomeFolder:
            Expectation("HOME", "XDG_CONFIG_HOME", advice: "Set one of them", next: .notUTF8(variable: "HOME"))
        case .notUTF8:
            Expectation(
                "HOME", "not UTF-8", advice: "Set it to a path in UTF-8",
                next: .notSaved(
                    path: Self.path, reason: FileError(.replace, Self.path, .system(.noSpace)).description))
        case .notSaved:
            Expectation(
                Self.path, "Could not replace", advice: "Free some space",
                next: .notRead(
                    path: Self.path, reason: FileError(.read, Self.path, .system(.accessDenied)).description))
        case .notRead:
            Expectation(Self.path, "Could not read", advice: "Check the owner", next: .timedOut(path: Self.path, after: .seconds(120)))
        case .timedOut:
            Expectation(Self.path, "120.0 seconds", advice: "whether the disk hangs", next: .cancelled(path: Self.path))
        case .cancelled:
            Expectation(
                Self.path, "task", advice: "flush(), in a task",
                next: .several([
                    .newerVersion(key: "theme", path: Self.path, stored: 4, supported: 2),
                    .tooLarge(key: "font", path: Self.path, limit: 64 << 20),
                ]))
        case .several:
            Expectation(
                "(2)", "\"theme\"", "\"font\"", Self.path, advice: "Update the program",
                next: .notEncodable(
                    key: "theme", path: Self.path, reason: "it encoded nothing"))
        case .notEncodable:
            Expectation(
                "\"theme\"", Self.path, "it encoded nothing", advice: "Correct the item",
                next: .notValid(
                    key: "theme", path: Self.path, reason: "it is too dark"))
        case .notValid:
            Expectation(
                "\"theme\"", Self.path, "it is too dark", advice: "Set another value",
                next: .tooLarge(
                    key: "theme", path: Self.path, limit: 64 << 20))
        case .tooLarge:
            Expectation(
                "\"theme\"", Self.path, "64 MiB", advice: "Keep large data",
                next: .newerVersion(
                    key: "theme", path: Self.path, stored: 3, supported: 2))
        case .newerVersion:
            Expectation(
                "\"theme\"", Self.path, "3", "2", advice: "Update the program",
                next: .notImported(
                    path: "/home/me/.config/editor.plist", reason: "It is not a property list of keys and values. Correct it, or move it away."))
        case .notImported:
            Expectation("/home/me/.config/editor.plist", "UserDefaults", advice: "Correct it", next: .notName("../evil"))
        case .notName:
            Expectation("\"../evil\"", "slash", advice: "Choose another name", next: .overridden(key: "limit", by: "EDITOR_LIMIT"))
        case .overridden: Expectation("\"limit\"", "EDITOR_LIMIT", advice: "Change or unset the variable", next: nil)
        }
    }

    private func expectation(_ error: KeyringError) -> Expectation<KeyringError> {
        switch error {
        case .notBuiltIn: Expectation("keyring", advice: "Build StoredValues with the trait for it", next: .noSessionBus)
        case .noSessionBus: Expectation("session bus", advice: "Log in on the desktop", next: .noSecretService)
        case .noSecretService: Expectation("Secret Service", advice: "Install and start gnome-keyring", next: .cancelled)
        case .cancelled: Expectation("cancelled", advice: "load() says", next: .locked)
        case .locked: Expectation("keyring", advice: "Unlock it", next: .dismissed)
        case .dismissed: Expectation("keyring", advice: "unlock() prompts again", next: .timedOut(after: .seconds(5)))
        case .timedOut:
            Expectation("5.0 seconds", "restart the keyring's program", "may hold its lock", advice: "no process is stopped", next: .noDefaultCollection)
        case .noDefaultCollection: Expectation("default collection", advice: "Create a keyring", next: .tooLarge)
        case .tooLarge: Expectation("secret", "1 MiB", advice: "Store large data in an encrypted file", next: .wrongKey)
        case .wrongKey: Expectation("encrypted keyring", advice: "Use the one it was made with", next: .damaged(path: "/a/b"))
        case .damaged: Expectation("/a/b", advice: "Restore it from a copy", next: .accessDenied)
        case .accessDenied: Expectation("keyring", "did not confirm the change", advice: "Allow it", next: .notDecodable)
        case .notDecodable: Expectation("stored secret", advice: "Declare the type that it was stored as", next: .notEncodable)
        case .notEncodable: Expectation("secret", "nothing was changed", advice: "Correct the item", next: .notStored)
        case .notStored: Expectation("secret", advice: "Call set() first", next: .readOnly)
        case .readOnly:
            Expectation(
                "keyring", advice: "put a writable keyring before this one",
                next: .other(
                    domain: "g-io-error-quark", code: 7, message: "No such file"))
        case .other: Expectation("keyring", "No such file", advice: "It is error 7 of g-io-error-quark.", next: nil)
        }
    }

    private func expectation(_ error: SecretMoveError) -> Expectation<SecretMoveError> {
        switch error {
        case .conflict: Expectation("\"com.example.Editor/token\"", advice: "Remove the one that is wrong", next: .sameKeyring)
        case .sameKeyring: Expectation("keyrings", advice: "Choose another destination", next: .notKept(Self.id))
        case .notKept: Expectation("\"com.example.Editor/token\"", advice: "Check the destination", next: .source(.locked))
        case .source: Expectation("source keyring", advice: "Unlock it", next: .destination(.damaged(path: "/a/b")))
        case .destination: Expectation("destination keyring", "/a/b", advice: "Restore it from a copy", next: nil)
        }
    }

    /// Every case from `first` on.
    private func all<Failure: Error>(
        from first: Failure, _ expectation: (Failure) -> Expectation<Failure>
    ) -> [(error: Failure, expectation: Expectation<Failure>)] {
        var all: [(error: Failure, expectation: Expectation<Failure>)] = []
        var next: Failure? = first
        while let error = next {
            all.append((error, expectation(error)))
            next = all.last?.expectation.next
        }
        return all
    }

    private func check<Failure: StoredValuesError>(_ error: Failure, _ expectation: Expectation<Failure>) {
        let text = error.description
        print("\(Failure.self): \(text)")
        #expect(text.first.map { $0.isUppercase || $0 == "\"" } == true && text.hasSuffix("."), "\(text)")
        for part in expectation.about { #expect(text.contains(part), "does not name \(part): \(text)") }
        #expect((error as any Error).localizedDescription == text, "Foundation says something else")
        // What only who wrote the program could do.
        for word in ["()", "load(", "Libsecret", ".encrypted", "Declare", "overwriting:", "trait", "path:"] {
            #expect(!text.contains(word), "\(text)")
        }
        let debug = error.debugDescription
        print("\(Failure.self), for the programmer: \(debug)")
        #expect(debug.count >= text.count && debug.hasSuffix("."), "\(debug)")
        #expect(debug.contains(expectation.advice), "does not say what to do: \(debug)")
    }

    @Test("Every error names what it concerns and what to do, first for the program's user, then for the programmer; all are printed")
    func sentences() {
        let preferences = all(from: .noHomeFolder) { expectation($0) as Expectation<PreferencesError> }
        let keyrings = all(from: .notBuiltIn) { expectation($0) as Expectation<KeyringError> }
        let moves = all(from: .conflict(Self.id)) { expectation($0) as Expectation<SecretMoveError> }
        for (error, expectation) in preferences { check(error, expectation) }
        for (error, expectation) in keyrings { check(error, expectation) }
        for (error, expectation) in moves {
            check(error, expectation)
            let text = error.description
            #expect(text.first?.isUppercase == true, "\(text)")
            #expect(text.contains(". ") || text.contains("; "), "says only one thing: \(text)")
        }
        let texts = preferences.map(\.error.description) + keyrings.map(\.error.description) + moves.map(\.error.description)
        #expect(Set(texts).count == 14 + 17 + 5, "one reads like another, or is left out")
        // A wrapper's error is its keyring's, and says which secret.
        for (error, expectation) in keyrings {
            let keyring = "the desktop's keyring (Secret Service)"
            let named = SecretError(reason: error, id: Self.id, keyring: keyring)
            check(named, Expectation(Self.id.description, keyring, advice: expectation.advice, next: nil))
            #expect(named.description.hasSuffix(error.description) && named.debugDescription.hasSuffix(error.debugDescription))
            #expect(named.description.contains("\"com.example.Editor/token\" in \(keyring)"))
        }
    }

    @Test("Each error has the exit status of sysexits(3) that fits it, also where it wraps another")
    func exitStatuses() {
        let preferences: [(error: PreferencesError, status: Int32)] = [
            (.notName(""), 65), (.notValid(key: "a", path: Self.path, reason: ""), 65), (.notSaved(path: Self.path, reason: ""), 74),
            (.timedOut(path: Self.path, after: .zero), 75), (.noHomeFolder, 78),
        ]
        for (error, status) in preferences { #expect(error.exitStatus == status, "\(error)") }
        let keyrings: [(error: KeyringError, status: Int32)] = [
            (.notStored, 1), (.damaged(path: "/a"), 65), (.locked, 69), (.timedOut(after: .zero), 75), (.wrongKey, 77), (.accessDenied, 77),
            (.other(domain: "file", code: 28, message: ""), 69),
        ]
        for (error, status) in keyrings {
            #expect(error.exitStatus == status, "\(error)")
            #expect(SecretError(reason: error, id: Self.id, keyring: "").exitStatus == status)
            #expect(SecretMoveError.source(error).exitStatus == status && SecretMoveError.destination(error).exitStatus == status)
        }
        #expect(SecretMoveError.sameKeyring.exitStatus == 64 && SecretMoveError.notKept(Self.id).exitStatus == 74)
    }

    @Test("All public errors are checked here")
    func complete() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sources/StoredValues")
        let paths = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
        let declaration = /public (?:\w+ )*(?:enum|struct|class) (\w+)[^{\n]*\bError\b/
        var found: Set<String> = []
        for path in paths where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            found.formUnion(text.matches(of: declaration).map { String($0.1) })
        }
        #expect(found == ["PreferencesError", "KeyringError", "SecretMoveError", "SecretError"])
    }
}
