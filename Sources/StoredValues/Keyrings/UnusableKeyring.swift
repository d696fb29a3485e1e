/// A keyring whose every call throws the same error: one that this program was built without, or that does not exist.
protocol UnusableKeyring: Keyring {
    /// The error.
    var reason: KeyringError { get }
}

extension UnusableKeyring {
    /// Throws the reason.
    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { throw reason }
    /// Throws the reason.
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw reason }
    /// Throws the reason.
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw reason }
    /// Throws the reason.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] { throw reason }
    /// Throws the reason.
    public func unlock() async throws(KeyringError) { throw reason }
    /// Throws the reason.
    public func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { throw reason }
}
