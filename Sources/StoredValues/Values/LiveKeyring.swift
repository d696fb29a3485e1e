import Dispatch
import StoredValuesSupport

/// A live secret, as seen by the listener of its keyring.
protocol ListeningSecret: AnyObject, Sendable {
    /// The type that it is read as.
    var itemType: any Any.Type { get }

    /// Handles a change that may concern the secret. Does not wait for the keyring.
    func hear(_ change: KeyringChange)

    /// Takes over the bytes stored by a wrapper of another type; nil for a removal.
    func follow(_ secret: Secret?)
}

/// A keyring in use by this process: one live value per secret, and one listener for all of them. Secrets retain this object, which retains
/// none of them: listening ends when the last secret is released.
final class LiveKeyring: Sendable {
    private static let inUse = WeakTable<KeyringIdentity, LiveKeyring>()

    /// The shared instance for `keyring`, or for what it stands for in `scope`, looked up once: each time it may be another object.
    static func of(_ keyring: any Keyring, in scope: TemporaryScope? = nil) -> LiveKeyring {
        let identity = KeyringIdentity(keyring, in: scope)
        return inUse.object(for: identity) { LiveKeyring(scope == nil ? keyring : keyring.resolved(in: scope), identity) }
    }

    private let keyring: any Keyring
    private let identity: KeyringIdentity
    private let secrets = WeakTable<SecretIdentifier, any AnyObject & Sendable>()
    /// Secrets that are read as ``RawSecret``, which may be in use beside another type.
    private let rawSecrets = WeakTable<SecretIdentifier, any AnyObject & Sendable>()
    /// Whether listening has begun, and the task that listens.
    private let listening = Guarded<(hasBegun: Bool, task: Task<Void, Never>?)>((false, nil))
    /// Secrets begin to listen on this queue, because a disk may hang.
    let queue = DispatchQueue(label: "StoredValues.LiveKeyring")

    private init(_ keyring: any Keyring, _ identity: KeyringIdentity) {
        (self.keyring, self.identity) = (keyring, identity)
    }

    deinit {
        listening.withLock { $0.task }?.cancel()
        Self.inUse.remove(identity)
    }

    // MARK: Secrets

    /// The live value of the secret `id`, read from `keyring`, which equals this one; from this one if that is nil. A secret already in
    /// use with another item type traps, except that a ``RawSecret`` may be read beside any type.
    func secret<Item: StorableItem>(_ id: SecretIdentifier, in keyring: (any Keyring)? = nil, as type: Item.Type) -> LiveSecret<Item> {
        let keyring = keyring ?? self.keyring
        let found = table(of: type).object(for: id) { LiveSecret<Item>(id, in: keyring, listener: self) }
        if let secret = found as? LiveSecret<Item> { return secret }
        let types = (found as? any ListeningSecret).map { distinctNames($0.itemType, type) } ?? "another and \(type)"
        programmerError("The secret \"\(id)\" in \(keyring) is declared with two types: \(types). Give one of them another key.")
    }

    /// Call this when the live value is released.
    func forget<Item>(_ id: SecretIdentifier, as type: Item.Type) { table(of: type).remove(id) }

    private func table<Item>(of type: Item.Type) -> WeakTable<SecretIdentifier, any AnyObject & Sendable> {
        type == RawSecret.self ? rawSecrets : secrets
    }

    // MARK: Listening

    /// Begins to listen, unless it already does.
    func listen() {
        guard !listening.withLock({ exchange(&$0.hasBegun, with: true) }) else { return }
        let changes = keyring.changes.subscribe()  // without a lock: a keyring may be a user's own code
        // Detached, so that it does not retain the task-local storage of the first user of a secret.
        let task = Task.detached { [weak self] in
            for await change in changes { self?.hear(change) }
        }
        listening.withLock { $0.task = task }
        // Secrets read in the meantime missed the changes since.
        hear(.anySecret)
    }

    /// Passes the bytes that `source` has stored under `id`, nil for a removal, to the readers of another type.
    func pass(_ secret: Secret?, of id: SecretIdentifier, from source: any ListeningSecret) {
        for case let reader as any ListeningSecret in readers(of: id) where reader !== source { reader.follow(secret) }
    }

    private func hear(_ change: KeyringChange) {
        let concerned = if case .secret(let id) = change { readers(of: id) } else { secrets.objects + rawSecrets.objects }
        for case let secret as any ListeningSecret in concerned { secret.hear(change) }
    }

    /// The live values of a secret: that of its type, and the raw one.
    private func readers(of id: SecretIdentifier) -> [any AnyObject & Sendable] { [secrets[id], rawSecrets[id]].compactMap(\.self) }
}
