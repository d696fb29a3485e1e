/// A place that keeps secrets: the desktop's keyring, an encrypted file, memory.
///
/// The contract, which one test suite checks on every keyring of this package (`KeyringContractTests`):
///
/// - **Three answers.** ``read(_:)`` returns the secret, returns `nil` when the keyring was asked and has none, or
///   throws. A locked or unreachable keyring throws; it never returns `nil`.
/// - **No write while unavailable.** An operation that throws has changed nothing, except that
///   ``KeyringError/timedOut(after:)``, ``KeyringError/cancelled`` and ``KeyringError/other(domain:code:message:)``
///   say of a write only that nobody knows whether it happened: read to find out.
/// - **Update in place.** Writing a secret that exists replaces its bytes; there is no moment without a secret.
/// - **Removal is idempotent.** Removing what is not there succeeds.
/// - **Bounded.** Every call ends within the keyring's deadline and soon after its task is cancelled. Only
///   ``unlock()`` may ask the person, and a question has a limit of its own.
/// - **Any thread.** Nothing runs for long on the caller's thread or on Swift's cooperative pool. `read` does not wait
///   for unstructured tasks: a getter may be blocking every thread those could run on.
///
/// - **Which keyrings are one.** Wrappers of one key and service are one value where their keyrings are the same: of one type, and
///   with equal ``identity``. That is the keyring itself if the type is `Hashable`, and else the object. A type that is neither
///   does not compile until it states its identity. Equality compares what is settled when the keyring is made, and calls nobody.
///
/// A keyring made for the purpose is passed where a wrapper is declared:
///
/// ```swift
/// @SecurelyStoredValue(key: "token", keyring: .encryptedFile("/var/lib/app/secrets", key: .file("/run/key")))
/// var token: String?
/// ```
///
/// A keyring of your own needs ``read(_:)``, ``write(_:for:label:)`` and ``remove(_:)``; everything else has a default.
public protocol Keyring: Sendable, CustomStringConvertible {
    /// The secret stored under `id`, or `nil` when the keyring has none.
    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret?

    /// Stores `secret` under `id`, replacing what was there. `label` is what keyring programs show to people.
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError)

    /// Removes what is stored under `id`; succeeds when nothing is.
    func remove(_ id: SecretIdentifier) async throws(KeyringError)

    /// What is stored under `service`, sorted by account. Reads no secret. Unless a keyring can tell, it throws.
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier]

    /// Opens a locked keyring, asking the person if that is what it takes. Returns at once when it is open, as one always is that
    /// has no such method.
    func unlock() async throws(KeyringError)

    /// What changes in the keyring, whoever changes it, as far as this keyring can hear it; nothing unless it says more.
    var changes: KeyringChanges { get }

    /// What makes this keyring and another one of the same type the same: the keyring itself where it is `Hashable`, and else the
    /// object. Others state it, such as by the address of a server.
    var identity: any Hashable & Sendable { get }
}

extension Keyring {
    /// Its type. Say more: what the keyring is and where, for people.
    public var description: String { "the keyring \(Self.self)" }

    /// Throws that this keyring cannot tell, which is not that there are none.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        throw .other(
            domain: "StoredValues", code: 1,
            message: "\(self) cannot tell which secrets it has, for its type has no identifiers(inService:)")
    }

    /// Returns at once.
    public func unlock() async throws(KeyringError) {}

    /// None: it ends at once.
    public var changes: KeyringChanges { .none }
}

extension Keyring where Self: Hashable {
    /// The keyring itself.
    public var identity: any Hashable & Sendable { self }
}

extension Keyring where Self: AnyObject {
    /// Which object it is.
    public var identity: any Hashable & Sendable { ObjectIdentifier(self) }
}

extension Keyring where Self: AnyObject & Hashable {
    /// The keyring itself.
    public var identity: any Hashable & Sendable { self }
}

extension Keyring {
    /// Removes all secrets of `service`, and returns which.
    ///
    /// Throws the first reason for which one could not be removed: those before it are gone then, and calling it again goes on.
    /// Where the keyring cannot tell which there are, it throws that, and none is removed.
    @discardableResult
    public func removeAll(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        let ids = try await identifiers(inService: service)
        for id in ids { try await remove(id) }
        return ids
    }
}
