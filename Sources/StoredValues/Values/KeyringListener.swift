import Locking

/// A live secret, as whoever listens to its keyring sees it.
protocol ListeningSecret: AnyObject, Sendable {
    /// Takes note of a change that may concern the secret. Does not wait for the keyring.
    func hear(_ change: KeyringChange)
}

/// Listens to one keyring for all its secrets that this process holds live.
///
/// Every secret holds its listener, which holds none of them: listening ends when the last one goes.
final class KeyringListener: Sendable {
    private struct Member {
        weak var secret: (any ListeningSecret)?
    }

    private let members = Guarded<[SecretIdentifier: Member]>([:])
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
            let living = members.compactMapValues(\.secret)
            members = living.mapValues(Member.init)
            members[id] = Member(secret: secret)
            return Array(living.values)
        }
    }

    private func hear(_ change: KeyringChange) {
        let concerned = members.withLock { members in
            if case .secret(let id) = change { return [members[id]?.secret].compactMap(\.self) }
            return members.values.compactMap(\.secret)
        }
        for secret in concerned { secret.hear(change) }
    }
}
