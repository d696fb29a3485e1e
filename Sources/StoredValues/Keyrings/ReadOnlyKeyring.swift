/// A keyring that only others change.
protocol ReadOnlyKeyring: Keyring {}

extension ReadOnlyKeyring {
    /// Throws ``KeyringError/readOnly``.
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw .readOnly }
    /// Throws ``KeyringError/readOnly``.
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw .readOnly }
    /// Throws ``KeyringError/readOnly``.
    public func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { throw .readOnly }
}
