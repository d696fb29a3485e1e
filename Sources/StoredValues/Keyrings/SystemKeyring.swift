import StoredValuesSupport

/// The keyring of this machine, determined at the first use. ``selection`` returns which it is and why.
///
/// It never falls back: if the desktop's keyring is unavailable, every call throws the reason.
public struct SystemKeyring: Keyring, Hashable {
    /// The keyring that this stands for, in the calling task.
    private var chosen: any Keyring { Self.selection.keyring }

    /// The system's keyring inside `scope`: `new` if it has none yet.
    @discardableResult
    static func keyring(of scope: TemporaryScope, orElse new: any Keyring) -> any Keyring {
        scope.object("keyring") { Box(new) }.value
    }

    /// A handle on the one system keyring.
    public init() {}

    /// The description of the selected keyring.
    public var description: String { chosen.description }
    /// The changes of the selected keyring.
    public var changes: KeyringChanges { chosen.changes }
    /// Calls the selected keyring.
    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { try await chosen.read(id) }
    /// Calls the selected keyring.
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await chosen.write(secret, for: id, label: label)
    }
    /// Calls the selected keyring.
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) { try await chosen.remove(id) }
    /// Calls the selected keyring.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await chosen.identifiers(inService: service)
    }
    /// Calls the selected keyring.
    public func unlock() async throws(KeyringError) { try await chosen.unlock() }
    /// Calls the selected keyring.
    public func watch(_ id: SecretIdentifier) -> (any Sendable)? { chosen.watch(id) }
    /// Calls the selected keyring.
    public func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { try await chosen.locked(for: id) }

    /// The result of `system`.
    public func replacingSystem(with system: () -> any Keyring) -> any Keyring { system() }
}

extension Keyring where Self == SystemKeyring {
    /// The keyring of this machine: the desktop's, unless the program or `STORED_VALUES_KEYRING` names another. See
    /// ``SystemKeyring/selection`` for what it is in a Flatpak.
    public static var system: SystemKeyring { SystemKeyring() }
}

// MARK: Which one it is

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
    /// Determined once per process, in this order: inside `withTemporaryStorage` its keyring; the one that the program passed to
    /// `StorageSystem.bootstrap`; the one that the environment variable `STORED_VALUES_KEYRING` names (`secret-service`, `file:<path>`
    /// for an encrypted file whose key file is created at `<path>.key`, `credentials:<path>` for a folder of files, `fleet:<key file>`
    /// for the fleet's secrets); else the desktop's keyring. An invalid value gives a keyring whose every call throws an error that
    /// says so.
    ///
    /// In a Flatpak (`/.flatpak-info`) the last of these is the desktop's keyring if the manifest lets the program talk to it
    /// (`--talk-name=org.freedesktop.secrets`), else the encrypted file `$XDG_DATA_HOME/<application id>/secrets` with
    /// ``EncryptedFileKey/portal``. Once that file exists, it stays in use, whatever the manifest says later.
    ///
    /// A failed call changes none of this, and it never falls back to a file whose key is stored beside it.
    public static var selection: Choice { choose(in: nil) }

    /// ``selection`` for a wrapper that was made in `scope`.
    static func choose(in scope: TemporaryScope?) -> Choice {
        guard let scope = TemporaryScope.current ?? scope else { return machine }
        return Choice(keyring: keyring(of: scope, orElse: InMemoryKeyring()), reason: "withTemporaryStorage provides it.")
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
            if let flatpak { return flatpak.choice }
            return Choice(keyring: SecretServiceKeyring(), reason: "It is the default, because \(variable) is not set.")
        }
        func path(after prefix: String) -> String? { setting.after(prefix: prefix).flatMap { $0.isEmpty ? nil : $0 } }
        let keyring: any Keyring =
            if setting.isIdentical(to: "secret-service") {
                SecretServiceKeyring()
            } else if let path = path(after: "file:") {
                EncryptedFileKeyring(path: path, key: .generatedFile(path + ".key"))
            } else if let path = path(after: "credentials:") {
                CredentialsKeyring(path: path)
            } else if let path = path(after: "fleet:") {
                FleetKeyring(key: .file(path))
            } else {
                MisnamedKeyring(setting: setting)
            }
        return Choice(keyring: keyring, reason: "\(variable) is \"\(setting)\".")
    }
}

/// The keyring for an invalid `STORED_VALUES_KEYRING`: its error has the valid values.
private struct MisnamedKeyring: UnusableKeyring, Hashable {
    let setting: String

    var description: String { "no keyring" }

    var reason: KeyringError {
        .other(
            domain: SystemKeyring.variable, code: 0,
            message:
                "\(SystemKeyring.variable): \"\(setting)\" is not a valid keyring; set it to secret-service, file:<path>, credentials:<path> or fleet:<key file>, or unset it")
    }
}
