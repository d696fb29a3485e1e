import StoredValuesSupport

extension SystemKeyring {
    /// Which keyring ``SystemKeyring`` stands for, and why: for a log, an "about" window, a support question.
    public struct Choice: Sendable, CustomStringConvertible {
        /// The keyring itself.
        public let keyring: any Keyring
        /// Why it is this one, in a sentence.
        public let reason: String

        /// The keyring's own description and the reason.
        public var description: String { "\(keyring): \(reason)" }
    }

    /// The variable that names another keyring than the desktop's.
    static let variable = "STORED_VALUES_KEYRING"

    /// Which keyring `.system` stands for in the task that asks, and why. Asks no keyring anything.
    ///
    /// Decided once in a process, in this order: inside `withTemporaryStorage` the keyring of that; the one that the program
    /// named in `StorageSystem.bootstrap`; what the environment variable `STORED_VALUES_KEYRING` names (`secret-service`,
    /// `file:<path>` for an encrypted file whose key file is made at `<path>.key`, `credentials:<path>` for a folder of files);
    /// else the desktop's keyring. A value that names nothing gives a keyring whose every call throws a sentence that says so.
    /// Nothing ever falls back to a file on its own.
    public static var selection: Choice { choose(in: nil) }

    /// The same under its former name.
    @available(*, deprecated, renamed: "selection")
    public static func choose() -> Choice { selection }

    /// ``selection`` for a wrapper that was made in `scope`.
    static func choose(in scope: TemporaryScope?) -> Choice {
        guard let scope = TemporaryScope.current ?? scope else { return machine }
        return Choice(keyring: keyring(of: scope), reason: "withTemporaryStorage put it there.")
    }

    /// Settled once, so that all secrets of a process are in one place.
    private static let machine: Choice = {
        if let keyring = StorageSystem.part((any Keyring).self) {
            return Choice(keyring: keyring, reason: "The program named it in StorageSystem.bootstrap(keyring:).")
        }
        do {
            return choose(try environmentVariable(variable))
        } catch {
            return Choice(keyring: MisnamedKeyring(setting: "what is not UTF-8"), reason: "\(variable) is not UTF-8.")
        }
    }()

    /// What `setting`, the variable's value, stands for.
    package static func choose(_ setting: String?) -> Choice {
        guard let setting, !setting.isEmpty else {
            return Choice(keyring: SecretServiceKeyring(), reason: "It is the default, for \(variable) is not set.")
        }
        let reason = "\(variable) is \"\(setting)\"."
        if setting.isIdentical(to: "secret-service") { return Choice(keyring: SecretServiceKeyring(), reason: reason) }
        if let path = setting.after(prefix: "file:"), !path.isEmpty {
            return Choice(keyring: EncryptedFileKeyring(path: path, key: .generatedFile(path + ".key")), reason: reason)
        }
        if let path = setting.after(prefix: "credentials:"), !path.isEmpty {
            return Choice(keyring: CredentialsKeyring(path: path), reason: reason)
        }
        return Choice(keyring: MisnamedKeyring(setting: setting), reason: reason)
    }
}

/// What `STORED_VALUES_KEYRING` names when nobody knows it: every call throws a sentence that says what it may name.
private struct MisnamedKeyring: Keyring, Hashable {
    let setting: String

    var description: String { "no keyring" }
    var changes: KeyringChanges { .none }

    private var error: KeyringError {
        .other(
            domain: SystemKeyring.variable, code: 0,
            message: "\"\(setting)\" names no keyring; set it to secret-service, file:<path> or credentials:<path>, or unset it")
    }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { throw error }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw error }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw error }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] { throw error }
    func unlock() async throws(KeyringError) { throw error }
}
