import StoredValuesSupport

/// A live secret, as whoever listens to its keyring sees it.
protocol ListeningSecret: AnyObject, Sendable {
    /// What it is read as.
    var itemType: any Any.Type { get }

    /// Takes note of a change that may concern the secret. Does not wait for the keyring.
    func hear(_ change: KeyringChange)

    /// Takes over what was stored under another type, nil for a removal.
    func follow(_ secret: Secret?)
}

/// A keyring that this process uses: one live value for each of its secrets, and one ear for all of them.
///
/// Every secret holds its keyring, which holds none of them: listening ends when the last one goes.
final class LiveKeyring: Sendable {
    /// Which secret, and whether it is read as a ``RawSecret``, which does not bind it to a type.
    private struct Address: Hashable {
        let id: SecretIdentifier
        let isRaw: Bool
    }

    private static let inUse = WeakTable<KeyringIdentity, LiveKeyring>()

    /// The one for `keyring`.
    static func of(_ keyring: any Keyring) -> LiveKeyring {
        let identity = KeyringIdentity(keyring)
        return inUse.object(for: identity) { LiveKeyring(keyring, identity) }
    }

    private let keyring: any Keyring
    private let identity: KeyringIdentity
    private let secrets = WeakTable<Address, any AnyObject & Sendable>()
    /// Whether listening has begun, and what listens.
    private let listening = Guarded<(hasBegun: Bool, task: Task<Void, Never>?)>((false, nil))

    private init(_ keyring: any Keyring, _ identity: KeyringIdentity) {
        (self.keyring, self.identity) = (keyring, identity)
    }

    deinit {
        listening.withLock { $0.task }?.cancel()
        Self.inUse.remove(identity)
    }

    // MARK: Secrets

    /// The live value of the secret `id`, which `keyring`, equal to this one, is asked for. A secret in use with another item type
    /// ends the program, except that it may be read as a ``RawSecret`` beside any.
    func secret<Item: StorableItem>(_ id: SecretIdentifier, in keyring: any Keyring, as type: Item.Type) -> LiveSecret<Item> {
        let found = secrets.object(for: Self.address(id, type)) { LiveSecret<Item>(id, in: keyring, heardBy: self) }
        if let secret = found as? LiveSecret<Item> { return secret }
        let types = (found as? any ListeningSecret).map { distinctNames($0.itemType, type) } ?? "another and \(type)"
        misuse("The secret \"\(id)\" in \(keyring) is declared with two types: \(types). Give one of them another key.")
    }

    /// To be called when the live value goes.
    func forget<Item>(_ id: SecretIdentifier, as type: Item.Type) { secrets.remove(Self.address(id, type)) }

    private static func address<Item>(_ id: SecretIdentifier, _ type: Item.Type) -> Address {
        Address(id: id, isRaw: type == RawSecret.self)
    }

    // MARK: Hearing

    /// Begins to listen, unless that was done.
    func listen() {
        let isFirst = listening.withLock { listening in
            defer { listening.hasBegun = true }
            return !listening.hasBegun
        }
        guard isFirst else { return }
        let changes = keyring.changes.subscribe()  // with no lock held: keyrings are anybody's code
        // Detached, so that it keeps no task-local storage of whoever uses a secret first.
        let task = Task.detached { [weak self] in
            for await change in changes { self?.hear(change) }
        }
        listening.withLock { $0.task = task }
        // Who asked meanwhile did not hear what changed since.
        hear(.anySecret)
    }

    /// Tells those that read `id` in another form than `source` what `source` has stored there, nil for a removal.
    func pass(_ secret: Secret?, of id: SecretIdentifier, from source: any ListeningSecret) {
        for reader in readers(of: id) where reader !== source { reader.follow(secret) }
    }

    private func hear(_ change: KeyringChange) {
        let concerned = if case .secret(let id) = change { readers(of: id) } else { secrets.objects.compactMap { $0 as? any ListeningSecret } }
        for secret in concerned { secret.hear(change) }
    }

    /// One for each form in which a secret is read.
    private func readers(of id: SecretIdentifier) -> [any ListeningSecret] {
        [false, true].compactMap { secrets[Address(id: id, isRaw: $0)] as? any ListeningSecret }
    }
}
