/// A keyring that this library's processes change one after another, under a lock that they share.
protocol LockableKeyring: Keyring {
    /// This keyring with that lock held: as long as somebody has what is returned, no other change of the secret `id` begins.
    ///
    /// Throws as a write does, ``KeyringError/timedOut(after:)`` when another keeps the lock until the deadline.
    func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring
}

extension Keyring {
    /// ``LockableKeyring/locked(for:)``, or just this keyring where it has no lock.
    func lockedIfPossible(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
        guard let lockable = self as? any LockableKeyring else { return self }
        return try await lockable.locked(for: id)
    }
}
