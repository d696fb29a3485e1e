import FoundationEssentials

/// Why a call of a ``SecurelyStoredValue`` failed, and for which secret. No text of it contains the secret.
///
/// ```swift
/// @SecurelyStoredValue(key: "token") var token: String?
///
/// do {
///     try await $token.set("s3cret")
/// } catch .locked {
///     try await SystemKeyring().unlock()  // asks the user; then try again
/// } catch {
///     print(error)  // The secret "com.example.Editor/token" in the desktop's keyring (Secret Service): No program on …
/// }
/// ```
///
/// `description` is for the program's user, and `debugDescription` adds what the programmer can do. If other errors may be thrown in the
/// same `do`, use `catch let error as SecretError where error.reason == .locked`.
///
/// End with a `catch` for every other error, as above, if only `catch { throw error }`: without it, the compiler of Swift 6.3.1
/// may crash ("MandatoryAllocBoxToStack") if the function also has a `var`.
public struct SecretError: Error, Hashable {
    /// Why it failed.
    public let reason: KeyringError
    /// The secret.
    public let id: SecretIdentifier
    /// The keyring's own description.
    public let keyring: String

    /// Whether the error has this reason. With it, `catch .locked` and `case .locked:` match the reason of an error.
    public static func ~= (reason: KeyringError, error: SecretError) -> Bool { error.reason == reason }
}

extension SecretError: StoredValuesError {
    /// Which secret in which keyring, what happened and what to do, for the program's user.
    public var description: String { "\(subject): \(reason)" }

    /// The description, then what only the programmer can do.
    public var debugDescription: String { "\(subject): \(reason.debugDescription)" }

    /// The status with which a command line program ends by this error: that of its ``reason``.
    public var exitStatus: Int32 { reason.exitStatus }

    private var subject: String { "The secret \"\(id)\" in \(keyring)" }
}
