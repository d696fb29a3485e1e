import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// Why a keyring call failed. No text of it contains a secret.
///
/// `description` is for the program's user: what happened and what to do. `debugDescription` adds what the programmer can do, and the
/// domain and code of an ``other(domain:code:message:)``.
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
    /// The keyring refused access to this program, or its user did not confirm the change; or the system refused access to the keyring's
    /// file; or its key file is not private.
    case accessDenied
    /// The stored secret does not decode as the declared type.
    case notDecodable
    /// The item to store cannot be encoded; the stored secret is unchanged.
    case notEncodable
    /// The operation requires a stored secret, and there is none.
    case notStored
    /// The keyring cannot be written: a ``CredentialsKeyring``, a ``FleetKeyring``, or a file on a read-only file system.
    case readOnly
    /// Another failure, with the message of the component that failed.
    case other(domain: String, code: Int, message: String)
}

extension KeyringError: StoredValuesError {
    /// What happened and what to do, for the program's user.
    public var description: String { texts.user }

    /// The description, then what only the programmer can do.
    public var debugDescription: String { [texts.user, texts.programmer].compactMap(\.self).joined(separator: " ") }

    /// The exit status of a command line program for this error, as `stored-values` uses it: 1 if nothing is stored, else one of
    /// sysexits(3).
    public var exitStatus: Int32 {
        switch self {
        case .notStored: 1
        case .tooLarge, .damaged, .notDecodable, .notEncodable: 65
        case .notBuiltIn, .noSessionBus, .noSecretService, .locked, .dismissed, .noDefaultCollection: 69
        case .timedOut, .cancelled: 75
        case .wrongKey, .accessDenied, .readOnly: 77
        // etcd's codes are gRPC's: invalid argument 3, deadline exceeded 4, permission denied 7, resource exhausted 8, aborted 10.
        case .other("STORED_VALUES_KEYRING", _, _), .other("etcd", 3, _): 78
        case .other("etcd", 4, _), .other("etcd", 10, _): 75
        case .other("etcd", 7, _): 77
        case .other("etcd", 8, _), .other(Self.terminalDomain, _, _): 74
        case .other: 69
        }
    }

    private var texts: (user: String, programmer: String?) {
        switch self {
        case .notBuiltIn:
            ("This program was built without this keyring. Ask those who provide the program, or name another keyring.", "Build StoredValues with the trait for it: Libsecret for the desktop's keyring, EncryptedFile for an encrypted file.")
        case .noSessionBus:
            ("There is no D-Bus session bus, so the desktop's keyring cannot be reached. Log in on the desktop, or name another keyring, such as STORED_VALUES_KEYRING=file:<path>.", "Or run the program under dbus-run-session.")
        case .noSecretService:
            ("No program on the session bus provides the Secret Service. Install and start gnome-keyring, KWallet or KeePassXC, or name another keyring, such as STORED_VALUES_KEYRING=file:<path>.", "Or pass another keyring.")
        case .cancelled:
            ("This was cancelled before the keyring answered. It is unknown whether a change was made: check before you repeat it.", "load() says what is stored.")
        case .locked:
            ("The keyring is locked. Unlock it, and try again.", "Call unlock() where the user can answer a prompt.")
        case .dismissed:
            ("The keyring is still locked, because the password prompt was dismissed. Try again, and answer it.", "unlock() prompts again.")
        case .timedOut(let limit):
            ("The keyring did not answer within \(limit). Try again; it is unknown whether a change was made. If this persists, restart the keyring's program; if it is a file, another program may hold its lock (fuser shows who has the .lock file beside it open), or its disk hangs (dmesg).", "load() says what is stored. Check that no process is stopped that was changing the secret.")
        case .noDefaultCollection:
            ("The Secret Service has no default collection. Create a keyring named \"login\" in the keyring's program.", nil)
        case .tooLarge:
            ("The secret is larger than 1 MiB, or the keyring has no room for it. Use a smaller one.", "Store large data in an encrypted file, and only its key here.")
        case .wrongKey:
            ("The key or passphrase does not open the encrypted keyring; nothing was changed. Use the one it was made with.", nil)
        case .damaged(let path):
            ("The encrypted keyring \(path) is damaged; nothing was changed. Restore it from a copy, or move it away to start with an empty one.", nil)
        case .accessDenied:
            ("The keyring refused access to this program, or its user did not confirm the change. Allow it in the keyring's program, or check the owner and mode of its files and their folders (namei -l): a key file must belong to the program's user or root, and be readable by no other (chmod 600).", nil)
        case .notDecodable:
            ("This program cannot read the stored secret. Remove it and set it again, or use the program that stored it.", "Declare the type that it was stored as, or reset() it.")
        case .notEncodable:
            ("The program could not encode the new secret; nothing was changed. Report this to those who provide the program.", "Correct the item, or its encode(to:).")
        case .notStored:
            ("No secret is stored. Set it first, for instance by signing in.", "Call set() first, or load(), which returns nil where there is none.")
        case .readOnly:
            ("This keyring is read-only. Change the secret at its source.", "Or put a writable keyring before this one: FallbackKeyring.")
        case .other(Self.terminalDomain, _, let message):
            (message, nil)
        case .other(let domain, let code, let message):
            ("The keyring failed: \(message)\(message.hasSuffix(".") ? "" : ".") Correct that, or try again.", "It is error \(code) of \(domain).\(Self.isOfProgram(domain) ? " The log of the keyring's program may say more." : "")")
        }
    }

    /// The domain of ``Secret/ask(_:)``, whose messages are whole sentences.
    static let terminalDomain = "terminal"

    /// The code of a ``FleetKeyring`` before an agent has read the settings.
    static let fleetIsUnread = 1

    /// Whether the messages of this domain come from another program, through D-Bus or libsecret.
    private static func isOfProgram(_ domain: String) -> Bool {
        ["g-dbus-error-quark", "g-io-error-quark", "secret-error", "stored-values"].contains { $0.isIdentical(to: domain) }
    }
}

extension KeyringError {
    /// The error of a keyring whose file failed.
    init(_ error: FileError) {
        self =
            switch error.reason {
            // Perhaps only the folder is not synced and the file is replaced, so the error must not say that nothing has changed.
            case .system where error.operation == .synchronize:
                .other(domain: "file", code: Int(error.code?.rawValue ?? 0), message: error.description)
            case .system(.accessDenied), .system(.notPermitted): .accessDenied
            case .system(.readOnly): .readOnly
            case .lockTimedOut(let time): .timedOut(after: time)
            default: .other(domain: "file", code: Int(error.code?.rawValue ?? 0), message: error.description)
            }
    }
}

extension KeyringError: WaitError {}
