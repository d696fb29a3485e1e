/// A keyring that only others change.
protocol ReadOnlyKeyring: Keyring {}

extension ReadOnlyKeyring {
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { throw .readOnly }
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) { throw .readOnly }
    public func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { throw .readOnly }
}
