import StoredValuesSupport

/// A live secret, as whoever listens to its keyring sees it.
protocol ListeningSecret: AnyObject, Sendable {
    /// Takes note of a change that may concern the secret. Does not wait for the keyring.
    func hear(_ change: KeyringChange)

    /// Takes over what was stored under another type, nil for a removal.
    func follow(_ secret: Secret?)
}

/// Listens to one keyring for all its secrets that this process holds live.
///
/// Every secret holds its listener, which holds none of them: listening ends when the last one goes.
final class KeyringListener: Sendable {
    private struct Member {
        weak var secret: (any ListeningSecret)?
    }

    /// One for each form in which a secret is read: as an item, as a ``RawSecret``.
    private let members = Guarded<[SecretIdentifier: [Member]]>([:])
    private let listening = Guarded<Task<Void, Never>?>(nil)

    /// Begins to listen: changes after this are heard.
    init(to keyring: any Keyring) {
        let changes = keyring.changes.subscribe()
        // Detached, so that it keeps no task-local storage of whoever uses a secret first.
        let task = Task.detached { [weak self] in
            for await change in changes { self?.hear(change) }
        }
        listening.withLock { $0 = task }
    }

    deinit {
        listening.withLock { $0 }?.cancel()
    }

    /// Lets `secret` hear what may concern `id`. Returns those that hear already, to be let go when no lock is held: one of
    /// them may go then.
    func add(_ secret: any ListeningSecret, for id: SecretIdentifier) -> [any AnyObject & Sendable] {
        members.withLock { members in
            let living = members.mapValues { $0.compactMap(\.secret) }.filter { !$0.value.isEmpty }
            members = living.mapValues { $0.map(Member.init) }
            members[id, default: []].append(Member(secret: secret))
            return living.values.flatMap(\.self)
        }
    }

    /// Tells those that read `id` in another form than `source` what `source` has stored there, nil for a removal.
    func pass(_ secret: Secret?, of id: SecretIdentifier, from source: any ListeningSecret) {
        for reader in members.withLock({ $0[id]?.compactMap(\.secret) }) ?? [] where reader !== source { reader.follow(secret) }
    }

    private func hear(_ change: KeyringChange) {
        let concerned = members.withLock { members in
            if case .secret(let id) = change { return members[id]?.compactMap(\.secret) ?? [] }
            return members.values.flatMap { $0.compactMap(\.secret) }
        }
        for secret in concerned { secret.hear(change) }
    }
}
