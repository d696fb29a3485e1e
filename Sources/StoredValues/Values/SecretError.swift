public import FoundationEssentials

/// Why a call of a ``SecurelyStoredValue`` failed, and of which secret. No text of it holds the secret.
///
/// ```swift
/// @SecurelyStoredValue(key: "token") var token: String?
///
/// do {
///     try await $token.set("s3cret")
/// } catch where error.reason == .locked {
///     try await SystemKeyring().unlock()
/// } catch {
///     print(error)  // The secret "com.example.Editor/token" in the desktop's keyring (Secret Service): No program on …
/// }
/// ```
///
/// The description is for the programmer. `errorDescription`, which is what `localizedDescription` says, is for the program's user.
/// Where other errors may be caught, too, it is `catch let error as SecretError where error.reason == .locked`.
public struct SecretError: Error, Hashable {
    /// What the keyring said.
    public let reason: KeyringError
    /// Which secret it is about.
    public let id: SecretIdentifier
    /// What the keyring says of itself.
    public let keyring: String
}

extension SecretError: CustomStringConvertible, LocalizedError {
    /// Which secret in which keyring, what happened and what to do, for the programmer.
    public var description: String { "\(subject): \(reason)" }

    /// The same for the program's user.
    public var errorDescription: String? { "\(subject): \(reason.textForUser)" }

    private var subject: String { "The secret \"\(id)\" in \(keyring)" }
}
