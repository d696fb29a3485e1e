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
/// - **Which keyrings are one.** Wrappers of one key and service are one value where their keyrings are the same: equal ones if
///   the type is `Hashable`, an object and itself if it is a class that is not, any two if the type stores nothing. Of all others
///   nobody can tell whether two reach the same place, whatever they say of themselves, so each wrapper has a value of its own,
///   and sees what the others change only as far as ``changes`` tells of it. Make a keyring that has properties `Hashable` or a
///   class. `==` and `hash(into:)` compare what is settled when the keyring is made, and call nobody.
///
/// A keyring made for the purpose is passed where a wrapper is declared:
///
/// ```swift
/// @SecurelyStoredValue<String>(key: "token", keyring: .encryptedFile("/var/lib/app/secrets", key: .file("/run/key")))
/// var token
/// ```
public protocol Keyring: Sendable, CustomStringConvertible {
    /// The secret stored under `id`, or `nil` when the keyring has none.
    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret?

    /// Stores `secret` under `id`, replacing what was there. `label` is what keyring programs show to people.
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError)

    /// Removes what is stored under `id`; succeeds when nothing is.
    func remove(_ id: SecretIdentifier) async throws(KeyringError)

    /// What is stored under `service`, sorted by account. Reads no secret.
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier]

    /// Opens a locked keyring, asking the person if that is what it takes. Returns at once when it is open.
    func unlock() async throws(KeyringError)

    /// What changes in the keyring, whoever changes it, as far as this keyring can hear it.
    var changes: KeyringChanges { get }
}
