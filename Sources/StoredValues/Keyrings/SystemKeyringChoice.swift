import StoredValuesSupport

extension SystemKeyring {
    /// Which keyring ``SystemKeyring`` stands for, and why, for a log, an "about" window or a support request.
    public struct Choice: Sendable, CustomStringConvertible {
        /// The selected keyring.
        public let keyring: any Keyring
        /// Why it was selected, in a sentence.
        public let reason: String

        /// The keyring's own description and the reason.
        public var description: String { "\(keyring): \(reason)" }
    }

    /// The environment variable that selects a keyring.
    static let variable = "STORED_VALUES_KEYRING"

    /// Which keyring `.system` stands for in the calling task, and why. Calls no keyring.
    ///
    /// Determined once per process, in this order: inside `withTemporaryStorage` its keyring; the one that the program passed
    /// to `StorageSystem.bootstrap`; the one that the environment variable `STORED_VALUES_KEYRING` names (`secret-service`,
    /// `file:<path>` for an encrypted file whose key file is created at `<path>.key`, `credentials:<path>` for a folder of
    /// files); else the desktop's keyring. An invalid value gives a keyring whose every call throws an error that says so. It
    /// never falls back to a file.
    public static var selection: Choice { choose(in: nil) }

    /// Renamed to ``selection``.
    @available(*, deprecated, renamed: "selection")
    public static func choose() -> Choice { selection }

    /// ``selection`` for a wrapper that was made in `scope`.
    static func choose(in scope: TemporaryScope?) -> Choice {
        guard let scope = TemporaryScope.current ?? scope else { return machine }
        return Choice(keyring: keyring(of: scope), reason: "withTemporaryStorage provides it.")
    }

    /// Determined once, so that all secrets of a process are in one place.
    private static let machine: Choice = {
        if let keyring = StorageSystem.part((any Keyring).self) {
            return Choice(keyring: keyring, reason: "The program passed it to StorageSystem.bootstrap(keyring:).")
        }
        do {
            return choose(try environmentVariable(variable))
        } catch {
            return Choice(keyring: MisnamedKeyring(setting: "(not UTF-8)"), reason: "\(variable) is not UTF-8.")
        }
    }()

    /// The keyring for the variable's value `setting`.
    package static func choose(_ setting: String?) -> Choice {
        guard let setting, !setting.isEmpty else {
            return Choice(keyring: SecretServiceKeyring(), reason: "It is the default, because \(variable) is not set.")
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

/// The keyring for an invalid `STORED_VALUES_KEYRING`: every call throws an error with the valid values.
private struct MisnamedKeyring: Keyring, Hashable {
    let setting: String

    var description: String { "no keyring" }
    var changes: KeyringChanges { .none }

    private var error: KeyringError {
        .other(
            domain: SystemKeyring.variable, code: 0,
            message: "\"\(setting)\" is not a valid keyring; set it to secret-service, file:<path> or credentials:<path>, or unset it")
    }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { throw error }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw error }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw error }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] { throw error }
    func unlock() async throws(KeyringError) { throw error }
}
