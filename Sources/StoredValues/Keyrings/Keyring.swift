import StoredValuesSupport

/// A place that stores secrets: the desktop's keyring, an encrypted file, memory.
///
/// The contract, which `KeyringRule` of the product `StoredValuesTesting` checks, for every keyring of this package and for yours:
///
/// - **Three answers.** ``read(_:)`` returns the secret, returns `nil` if the keyring answered that it has none, or throws. A
///   locked or unreachable keyring throws; it never returns `nil`.
/// - **No write while unavailable.** An operation that throws has changed nothing, with three exceptions: after
///   ``KeyringError/timedOut(after:)``, ``KeyringError/cancelled`` and ``KeyringError/other(domain:code:message:)`` it is
///   unknown whether a write happened; read to find out.
/// - **Update in place.** Writing a secret that exists replaces its bytes; there is no moment without a secret.
/// - **Removal is idempotent.** Removing a secret that does not exist succeeds.
/// - **Any name, any bytes.** Services and accounts may be any text and are compared as bytes. A secret may be any bytes up to 1 MiB; a
///   larger one is refused with ``KeyringError/tooLarge``.
/// - **Bounded.** Every call ends within the keyring's deadline, and soon after its task is cancelled. In a task that is cancelled
///   already it throws ``KeyringError/cancelled`` and changes nothing. Only ``unlock()`` may prompt the user, and a prompt has its
///   own time limit; a keyring in which something else may prompt says so.
/// - **Any thread.** Nothing runs for long on the caller's thread or on Swift's cooperative pool. `read` does not wait for
///   unstructured tasks: a getter may be blocking every thread that they could run on.
///
/// - **Identity.** Wrappers of one key and service share one value if their keyrings are the same: of one type, with equal
///   ``identity``. That is the keyring itself if the type is `Hashable`, else the object. A type that is neither does not
///   compile until it declares its identity. Equality compares what is fixed when the keyring is made, and makes no calls.
/// - **Locking.** Under ``locked(for:)`` a secret is read and written as without it, and nobody else who takes that lock changes
///   the secret meanwhile.
///
/// A keyring is passed where a wrapper is declared:
///
/// ```swift
/// @SecurelyStoredValue(key: "token", keyring: .encryptedFile("/var/lib/app/secrets", key: .file("/etc/app/key")))
/// var token: String?
/// ```
///
/// A custom keyring needs ``read(_:)``, ``write(_:for:label:)`` and ``remove(_:)``; everything else has a default.
public protocol Keyring: Sendable, CustomStringConvertible {
    /// The secret stored under `id`, or `nil` if the keyring has none.
    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret?

    /// Stores `secret` under `id`, replacing the old one. `label` is the name that keyring programs display.
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError)

    /// Removes the secret stored under `id`; succeeds if there is none.
    func remove(_ id: SecretIdentifier) async throws(KeyringError)

    /// The secrets stored under `service`, sorted by account. Reads no secret. By default it throws, because the keyring may
    /// not know.
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier]

    /// Opens a locked keyring, prompting the user if necessary. Returns at once if it is open. By default it does nothing.
    func unlock() async throws(KeyringError)

    /// Changes in the keyring, whoever makes them, as far as the keyring can detect them; by default none.
    var changes: KeyringChanges { get }

    /// Makes ``changes`` report the secret `id` as long as the returned object exists, for a keyring that cannot watch all of its
    /// secrets: wrappers call it for those that they use. Nil by default.
    func watch(_ id: SecretIdentifier) -> (any Sendable)?

    /// This keyring, holding the lock of the secret `id` as long as the returned keyring exists: `update` of a
    /// ``SecurelyStoredValue`` reads and writes with that one, and so loses no change of another process.
    ///
    /// Throws as a write does, and ``KeyringError/timedOut(after:)`` if another process holds the lock until the deadline. By
    /// default the keyring itself, which then has no lock: another process may overwrite an update, or be overwritten by it.
    func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring

    /// This keyring with the result of `system` in place of each ``SystemKeyring`` that it passes calls to; by default the keyring
    /// itself. A keyring around others calls it on each of them, so that it has secrets of its own in each `withTemporaryStorage`.
    func replacingSystem(with system: () -> any Keyring) -> any Keyring

    /// Identifies this keyring among others of its type: by default the keyring itself if it is `Hashable`, else the object.
    /// Other types declare it, such as by the address of a server.
    var identity: any Hashable & Sendable { get }
}

extension Keyring {
    /// The keyring's type. Override it to say what the keyring is and where.
    public var description: String { "the keyring \(Self.self)" }

    /// Throws that this keyring does not know, which is not the same as none.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        throw .other(
            domain: "StoredValues", code: 1,
            message: "\(self) cannot list its secrets, because its type does not implement identifiers(inService:)")
    }

    /// Returns at once.
    public func unlock() async throws(KeyringError) {}

    /// No changes: it ends at once.
    public var changes: KeyringChanges { .none }

    /// Nil: there is nothing to watch for one secret.
    public func watch(_ id: SecretIdentifier) -> (any Sendable)? { nil }

    /// The keyring itself, without a lock.
    public func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { self }

    /// The keyring itself.
    public func replacingSystem(with system: () -> any Keyring) -> any Keyring { self }
}

extension Keyring where Self: Hashable {
    /// The keyring itself.
    public var identity: any Hashable & Sendable { self }
}

extension Keyring where Self: AnyObject {
    /// The object's identity.
    public var identity: any Hashable & Sendable { ObjectIdentifier(self) }
}

extension Keyring where Self: AnyObject & Hashable {
    /// The keyring itself.
    public var identity: any Hashable & Sendable { self }
}

extension Keyring {
    /// Removes all secrets of `service`, and returns which.
    ///
    /// Throws the first reason why one could not be removed: those before it are removed then, and another call continues. If
    /// the keyring cannot list its secrets, that is thrown and none is removed.
    @discardableResult
    public func removeAll(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        let ids = try await identifiers(inService: service)
        for id in ids { try await remove(id) }
        return ids
    }
}

// MARK: Which keyrings are the same

extension Keyring {
    /// This keyring with the one that ``SystemKeyring`` stands for in its place: in the task's temporary storage, else in `scope`,
    /// else outside of any.
    func resolved(in scope: TemporaryScope? = nil) -> any Keyring {
        replacingSystem { SystemKeyring.choose(in: scope).keyring }
    }

    /// Whether it is ``SystemKeyring``, or passes calls to it.
    var asksSystem: Bool {
        var isAsked = false
        _ = replacingSystem {
            isAsked = true
            return self
        }
        return isAsked
    }
}

/// Decides whether two keyrings are the same: their type and their ``Keyring/identity``, with what ``SystemKeyring`` stands for in its place.
struct KeyringIdentity: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let value: any Hashable & Sendable  // `AnyHashable` is not `Sendable`
    /// What ``SystemKeyring`` stands for, unless `value` includes it.
    private let system: [KeyringIdentity]
    /// The keyring that `value` identifies. Retained, so that no other object gets its address.
    private let keyring: any Keyring

    /// `scope` is the one in which the keyring's wrapper was created.
    init(_ keyring: any Keyring, in scope: TemporaryScope? = nil) {
        let keyring = keyring is SystemKeyring ? keyring.resolved(in: scope) : keyring
        let resolved = keyring.resolved(in: scope), again = keyring.resolved(in: scope)
        let identities = (resolved.identity, again.identity)
        if let fallback = keyring as? FallbackKeyring {
            (value, system, self.keyring) = (fallback.identities(in: scope), [], keyring)
        } else if AnyHashable(identities.0) == AnyHashable(identities.1) {
            (value, system, self.keyring) = (identities.0, [], resolved)
        } else {
            // Resolving makes a new object each time: the original one identifies it.
            (value, system, self.keyring) = (keyring.identity, keyring.asksSystem ? [KeyringIdentity(SystemKeyring(), in: scope)] : [], keyring)
        }
        type = ObjectIdentifier(Swift.type(of: self.keyring))
        withExtendedLifetime((resolved, again)) {}  // two objects at one address would be equal
    }

    static func == (left: KeyringIdentity, right: KeyringIdentity) -> Bool {
        left.type == right.type && AnyHashable(left.value) == AnyHashable(right.value) && left.system == right.system
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(AnyHashable(value))
        hasher.combine(system)
    }
}
