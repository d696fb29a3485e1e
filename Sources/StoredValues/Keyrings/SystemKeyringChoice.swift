import StoredValuesFiles
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
    /// files, `fleet:<key file>` for the fleet's secrets); else the desktop's keyring. An invalid value gives a keyring whose every call throws an error that says so.
    ///
    /// In a Flatpak (`/.flatpak-info`) the last of these is the desktop's keyring if the manifest lets the program talk to it
    /// (`--talk-name=org.freedesktop.secrets`), else the encrypted file `$XDG_DATA_HOME/<application id>/secrets` with
    /// ``EncryptedFileKey/portal``. Once that file exists, it stays in use, whatever the manifest says later.
    ///
    /// A failed call changes none of this, and it never falls back to a file whose key is stored beside it.
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
            return choose(try environmentVariable(variable), in: Flatpak())
        } catch {
            return Choice(keyring: MisnamedKeyring(setting: "(not UTF-8)"), reason: "\(variable) is not UTF-8.")
        }
    }()

    /// The keyring for the variable's value `setting`, outside a sandbox.
    package static func choose(_ setting: String?) -> Choice { choose(setting, in: nil) }

    /// The keyring for `setting` in `flatpak`.
    static func choose(_ setting: String?, in flatpak: Flatpak?) -> Choice {
        guard let setting, !setting.isEmpty else {
            if let flatpak { return choose(in: flatpak) }
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
        if let path = setting.after(prefix: "fleet:"), !path.isEmpty {
            return Choice(keyring: FleetKeyring(key: .file(path)), reason: reason)
        }
        return Choice(keyring: MisnamedKeyring(setting: setting), reason: reason)
    }

    /// The default in `flatpak`. It depends on the manifest, never on whether a service answers.
    private static func choose(in flatpak: Flatpak) -> Choice {
        func say(_ text: String) -> String { "This is the Flatpak \(flatpak.id), \(text)" }
        let path = flatpak.secretsFile
        if let path, exists(path) {
            return Choice(
                keyring: EncryptedFileKeyring(path: path, key: .portal), reason: say("whose secrets are in that file already."))
        }
        let permission = "org.freedesktop.secrets"
        guard !flatpak.mayUseSecretService, let path else {
            let why = flatpak.mayUseSecretService ? "whose manifest lets it talk to \(permission)." : "which has no data folder: neither XDG_DATA_HOME nor HOME is set."
            return Choice(keyring: SecretServiceKeyring(), reason: say(why))
        }
        return Choice(
            keyring: EncryptedFileKeyring(path: path, key: .portal),
            reason: say("whose manifest does not let it talk to \(permission)."))
    }

    /// Whether there is something that may be our file; if that is unknown, its keyring reports why.
    private static func exists(_ path: String) -> Bool {
        do {
            _ = try POSIXFileOperations().status(at: path, followingLinks: true)
            return true
        } catch {
            return error != .noEntry
        }
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
            message: "\"\(setting)\" is not a valid keyring; set it to secret-service, file:<path>, credentials:<path> or fleet:<key file>, or unset it")
    }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { throw error }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw error }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw error }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] { throw error }
    func unlock() async throws(KeyringError) { throw error }
}
