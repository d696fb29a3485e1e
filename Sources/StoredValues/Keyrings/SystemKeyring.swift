import Synchronization

/// The keyring of the machine this runs on, settled at the first use.
///
/// It is what the environment variable `STORED_VALUES_KEYRING` names (`secret-service`, or `file:<path>` for an encrypted
/// file), else the desktop's keyring. It never takes a file on its own: where the desktop's keyring is not to be had,
/// every call throws the reason.
public struct SystemKeyring: Keyring, Hashable {
    /// The variable that names another keyring than the desktop's.
    static let variable = "STORED_VALUES_KEYRING"

    /// Settled once, so that all secrets of a process are in one place.
    private static let chosen = choose(environmentVariable(variable))

    /// The keyring that this stands for, in the task that asks.
    var chosen: any Keyring { chosen(in: nil) }

    /// The keyring that this stands for: that of the task's temporary storage, else that of `scope`, else the machine's.
    func chosen(in scope: TemporaryScope?) -> any Keyring {
        (TemporaryScope.current ?? scope).map { Self.inScope($0).keyring } ?? Self.chosen
    }

    /// Makes `keyring` the system's inside `scope`.
    static func put(_ keyring: any Keyring, into scope: TemporaryScope) {
        _ = scope.object("keyring") { TemporaryKeyring(keyring: keyring) }
    }

    private static func inScope(_ scope: TemporaryScope) -> TemporaryKeyring {
        scope.object("keyring") { TemporaryKeyring(keyring: InMemoryKeyring()) }
    }

    /// A handle on the one system keyring.
    public init() {}

    /// What `setting`, the variable's value, stands for.
    static func choose(_ setting: String?) -> any Keyring {
        guard let setting, !setting.isEmpty, setting != "secret-service" else { return SecretServiceKeyring() }
        guard setting.hasPrefix("file:"), setting.count > "file:".count else { return MisnamedKeyring(setting: setting) }
        let path = String(setting.dropFirst("file:".count))
        return EncryptedFileKeyring(path: path, key: .generatedFile(path + ".key"))
    }

    public var description: String { chosen.description }
    public var changes: KeyringChanges { chosen.changes }

    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        try await chosen.read(id)
    }
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await chosen.write(secret, for: id, label: label)
    }
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        try await chosen.remove(id)
    }
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await chosen.identifiers(inService: service)
    }
    public func unlock() async throws(KeyringError) {
        try await chosen.unlock()
    }
}

extension Keyring where Self == SystemKeyring {
    /// The keyring of the machine: the desktop's, unless `STORED_VALUES_KEYRING` names another.
    public static var system: SystemKeyring { SystemKeyring() }
}

/// A keyring as an object, which a temporary scope can keep.
private final class TemporaryKeyring: Sendable {
    let keyring: any Keyring
    init(keyring: any Keyring) { self.keyring = keyring }
}

/// What `STORED_VALUES_KEYRING` names when nobody knows it: every call throws a sentence that says what it may name.
private struct MisnamedKeyring: Keyring {
    let setting: String

    var description: String { "no keyring: \(SystemKeyring.variable) is \"\(setting)\"" }
    var changes: KeyringChanges { .none }

    private var error: KeyringError {
        .other(
            domain: SystemKeyring.variable, code: 0,
            message: "\"\(setting)\" names no keyring; set it to secret-service or file:<path>, or unset it")
    }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { throw error }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw error }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw error }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] { throw error }
    func unlock() async throws(KeyringError) { throw error }
}
