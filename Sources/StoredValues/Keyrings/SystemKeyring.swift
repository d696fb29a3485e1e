/// The keyring of this machine, determined at the first use: the one that the program passed to `StorageSystem.bootstrap`, else
/// the one that the environment variable `STORED_VALUES_KEYRING` names, else the desktop's keyring; in a Flatpak that may not
/// talk to that, an encrypted file with a key from the desktop (``EncryptedFileKey/portal``). ``selection`` returns which it is
/// and why.
///
/// It never falls back: if the desktop's keyring is unavailable, every call throws the reason.
public struct SystemKeyring: Keyring, StandInKeyring, Hashable {
    /// The keyring that this stands for, in the calling task.
    private var chosen: any Keyring { resolved(in: nil) }

    func resolved(in scope: TemporaryScope?) -> any Keyring { Self.choose(in: scope).keyring }

    var asksSystem: Bool { true }

    /// Makes `keyring` the system's keyring inside `scope`.
    static func put(_ keyring: any Keyring, into scope: TemporaryScope) {
        _ = scope.object("keyring") { ScopedKeyring(keyring) }
    }

    /// The system's keyring inside `scope`.
    static func keyring(of scope: TemporaryScope) -> any Keyring {
        scope.object("keyring") { ScopedKeyring(InMemoryKeyring()) }.keyring
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
}

/// The keyring of a temporary storage.
private final class ScopedKeyring: Sendable {
    let keyring: any Keyring

    init(_ keyring: any Keyring) { self.keyring = keyring }
}

extension SystemKeyring: SelectiveKeyring, LockableKeyring {
    func interest(in id: SecretIdentifier) -> (any Sendable)? { chosen.interestIfSelective(in: id) }

    func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
        try await chosen.lockedIfPossible(for: id)
    }
}

extension Keyring where Self == SystemKeyring {
    /// The keyring of this machine: the desktop's, unless the program or `STORED_VALUES_KEYRING` names another. See
    /// ``SystemKeyring/selection`` for what it is in a Flatpak.
    public static var system: SystemKeyring { SystemKeyring() }
}
