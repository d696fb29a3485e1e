/// A keyring that processes with this library change one after another, under a shared lock.
protocol LockableKeyring: Keyring {
    /// This keyring with that lock held: as long as the returned keyring exists, no other change of the secret `id` begins.
    ///
    /// Throws as a write does, and ``KeyringError/timedOut(after:)`` if another process holds the lock until the deadline.
    func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring
}

extension Keyring {
    /// ``LockableKeyring/locked(for:)``, or this keyring itself if it has no lock.
    func lockedIfPossible(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
        guard let lockable = self as? any LockableKeyring else { return self }
        return try await lockable.locked(for: id)
    }
}
