public import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// Why a keyring call failed. No text of it contains a secret.
///
/// `description` is for the programmer: what happened and what to do. `errorDescription`, and so `localizedDescription`, is for
/// the program's user.
public enum KeyringError: Error, Hashable {
    /// The library was built without the trait that this keyring needs: `Libsecret` or `EncryptedFile`.
    case notBuiltIn
    /// This process has no D-Bus session bus.
    case noSessionBus
    /// The session bus exists, but no program on it provides the Secret Service.
    case noSecretService
    /// The calling task was cancelled.
    case cancelled
    /// The keyring is locked.
    case locked
    /// The user dismissed the prompt to unlock the keyring.
    case dismissed
    /// There was no answer within this time.
    case timedOut(after: Duration)
    /// The Secret Service runs, but has no default collection to write to.
    case noDefaultCollection
    /// The secret is larger than the maximum of 1 MiB; or those that many machines share are, all together.
    case tooLarge
    /// The key or passphrase does not open this encrypted file.
    case wrongKey
    /// The file at this path is not as it was written.
    case damaged(path: String)
    /// The keyring refused access to this program.
    case accessDenied
    /// The stored secret does not decode as the declared type.
    case notDecodable
    /// The item to store cannot be encoded; the stored secret is unchanged.
    case notEncodable
    /// The operation requires a stored secret, and there is none.
    case notStored
    /// The keyring cannot be written: a ``CredentialsKeyring``, a ``FleetKeyring``, or a file on a read-only file system.
    case readOnly
    /// Another failure, in the words of the part that failed.
    case other(domain: String, code: Int, message: String)
}

extension KeyringError: CustomStringConvertible, LocalizedError {
    /// What happened and what to do, for the programmer.
    public var description: String { texts.forProgrammer }

    /// What happened and what to do, for the program's user.
    public var errorDescription: String? { texts.forUser }

    package var textForUser: String { texts.forUser }

    private var texts: (forProgrammer: String, forUser: String) {
        switch self {
        case .notBuiltIn:
            (
                """
                This program was built without this keyring. Build StoredValues with the trait for it (Libsecret for the desktop's keyring, \
                EncryptedFile for an encrypted file), or pass another keyring.
                """,
                "This program was built without this keyring. Ask those who provide the program, or name another keyring."
            )
        case .noSessionBus:
            (
                """
                There is no D-Bus session bus, so the desktop's keyring cannot be reached. Run inside a login session (or under dbus-run-session), \
                or choose another keyring, such as STORED_VALUES_KEYRING=file:<path>.
                """,
                """
                There is no D-Bus session bus, so the desktop's keyring cannot be reached. Log in on the desktop, or name another keyring, such as \
                STORED_VALUES_KEYRING=file:<path>.
                """
            )
        case .noSecretService:
            (
                """
                No program on the session bus provides the Secret Service. Install and start gnome-keyring, KWallet or KeePassXC, or choose \
                another keyring, such as STORED_VALUES_KEYRING=file:<path>.
                """,
                "No keyring is running. Install and start gnome-keyring, KWallet or KeePassXC, or name another keyring, such as STORED_VALUES_KEYRING=file:<path>."
            )
        case .cancelled:
            (
                "The task was cancelled before the keyring answered. It is unknown whether a write happened: find out with load().",
                "This was cancelled before the keyring answered. It is unknown whether the change was made: check before you repeat it."
            )
        case .locked:
            (
                "The keyring is locked. Unlock it, or call unlock() where the user can answer a prompt.",
                "The keyring is locked. Unlock it, and try again."
            )
        case .dismissed:
            (
                "The user dismissed the prompt to unlock the keyring. Call unlock() to prompt again.",
                "The keyring is still locked, because the password prompt was dismissed. Try again, and answer it."
            )
        case .timedOut(let limit):
            (
                """
                The keyring did not answer within \(limit). Check that its daemon runs, and that neither it nor a process that was changing the \
                secret is stopped. It is unknown whether a write happened: find out with load().
                """,
                "The keyring did not answer within \(limit). Try again; it is unknown whether a change was made. If this persists, restart the keyring's program."
            )
        case .noDefaultCollection:
            (
                "The Secret Service has no default collection. Create one (a keyring named \"login\") in the keyring's program, or unlock it at login.",
                "There is no default keyring. Create one named \"login\" in the keyring's program."
            )
        case .tooLarge:
            (
                "The secret is larger than 1 MiB, or the keyring has no room for it. Store large data in an encrypted file and only its key here.",
                "The secret is larger than 1 MiB, or the keyring has no room for it. Use a smaller one."
            )
        case .wrongKey:
            (
                "The key or passphrase does not open the encrypted keyring; nothing was written. Use the one it was made with.",
                "The key or passphrase does not open the encrypted keyring; nothing was changed. Use the one it was made with."
            )
        case .damaged(let path):
            (
                "The encrypted keyring \(path) is damaged; nothing was written. Restore it from a copy, or move it away to start with an empty one.",
                "The encrypted keyring \(path) is damaged; nothing was changed. Restore it from a copy, or move it away to start with an empty one."
            )
        case .accessDenied:
            (
                "The keyring refused access. Allow this program in the keyring's settings, or check the owner and mode of its files.",
                "The keyring refused access to this program. Allow it in the keyring's settings, or check the owner and mode of its files."
            )
        case .notDecodable:
            (
                "The stored secret does not decode as the declared type. Declare the type it was stored as, or reset() it.",
                "This program cannot read the stored secret. Remove it and set it again, or use the program that stored it."
            )
        case .notEncodable:
            (
                "The item cannot be encoded as JSON; nothing was written. Correct the item, or its encode(to:).",
                "The program could not encode the new secret; nothing was changed. Report this to those who provide the program."
            )
        case .notStored:
            (
                "There is no stored secret, and this operation requires one. Call set() first, or use load() if there may be none.",
                "No secret is stored. Set it first, for instance by signing in."
            )
        case .readOnly:
            (
                "This keyring is read-only. Change the secret at its source, or put a writable keyring before this one.",
                "This keyring is read-only. Change the secret at its source."
            )
        case .other(let domain, let code, let message):
            (
                """
                The keyring failed: \(message) (\(domain) \(code)). Correct that, or try \
                again\(Self.isOfProgram(domain) ? "; the log of the keyring's program may say more" : "").
                """,
                "The keyring failed: \(message) (\(domain) \(code)). Correct that, or try again."
            )
        }
    }

    /// Whether errors of this domain are in the words of another program, through D-Bus or libsecret.
    private static func isOfProgram(_ domain: String) -> Bool {
        ["g-dbus-error-quark", "g-io-error-quark", "secret-error", "stored-values"].contains { $0.isIdentical(to: domain) }
    }
}

extension KeyringError {
    /// The error of a keyring whose file failed.
    init(_ error: FileError) {
        self =
            switch error.reason {
            case .system(.accessDenied), .system(.notPermitted): .accessDenied
            case .system(.readOnly): .readOnly
            case .lockTimedOut(let time): .timedOut(after: time)
            default: .other(domain: "file", code: Int(error.code?.rawValue ?? 0), message: error.description)
            }
    }
}

extension KeyringError: WaitError {
    static func withoutThread(_ code: SystemErrorCode) -> KeyringError {
        .other(domain: "system", code: Int(code.rawValue), message: code.withoutThread)
    }
}
