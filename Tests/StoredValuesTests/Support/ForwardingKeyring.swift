import StoredValues

/// A keyring of somebody's own around one in memory. All say the same of themselves.
protocol ForwardingKeyring: Keyring {
    var inner: InMemoryKeyring { get }
}

extension ForwardingKeyring {
    var description: String { "the company's secrets" }
    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { try await inner.read(id) }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await inner.write(secret, for: id, label: label)
    }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { try await inner.remove(id) }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await inner.identifiers(inService: service)
    }
}
