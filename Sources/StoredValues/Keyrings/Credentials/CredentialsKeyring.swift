import Dispatch
import StoredValuesFiles
import StoredValuesSupport

/// Secrets that are provided in a folder, one file each: by systemd (`LoadCredential=`), Docker and Podman (`/run/secrets`),
/// Kubernetes (a mounted secret). Read-only.
///
/// ```swift
/// @SecurelyStoredValue(key: "token", keyring: .credentials) var token: String?
/// @SecurelyStoredValue(key: "password", keyring: .credentials(at: "/run/secrets")) var password: String?
/// ```
///
/// - **Names.** The secret `token` of the service `com.example.Editor` is the file `com.example.Editor.token`, or else the file
///   `token`. The first form is for folders that several programs share. A name that no file can have (a slash, over 255 bytes)
///   throws ``KeyringError/other(domain:code:message:)``.
/// - **Bytes.** The secret is all of the file's bytes, at most 1 MiB; otherwise ``KeyringError/tooLarge`` is thrown. A wrapper
///   of a `String` drops one newline at its end, which `echo` writes, unless ``keepingFinalNewlines`` is used; wrappers of
///   other types and ``read(_:)`` drop nothing.
/// - **Three answers.** A missing file is absent. A missing folder, an unset variable and a dangling symlink throw
///   ``KeyringError/other(domain:code:message:)`` with the reason; an unreadable file throws ``KeyringError/accessDenied``.
/// - **Changes** are reported of secrets that a wrapper uses, and of the 64 that were read last; also those of a mounted
///   Kubernetes secret, except on file systems where inotify(7) sees none, and of files that are mounted by
///   themselves.
/// - Mode and owner of the files are not checked: they are up to whoever provides them.
public final class CredentialsKeyring: Keyring, ReadOnlyKeyring {
    /// The variable in which systemd names the folder.
    static let variable = "CREDENTIALS_DIRECTORY"

    private let folder: CredentialsFolder?
    private let changesInFolder: CredentialsChanges?
    private let deadline: Duration
    private let queue = DispatchQueue(label: "StoredValues.CredentialsKeyring")

    /// The credentials that systemd provides for this service: the folder in `$CREDENTIALS_DIRECTORY`. If that is not set,
    /// every call throws the reason.
    public convenience init() { self.init(CredentialsFolder(CredentialsFolder.named)) }

    /// The secrets in the folder at `path`. No call takes longer than `deadline`. Of equal keyrings, all wrappers of one secret use
    /// that of the wrapper that was used first, with its deadline.
    public convenience init(path: String, deadline: Duration = .seconds(5)) { self.init(CredentialsFolder(path), deadline: deadline) }

    init(_ folder: CredentialsFolder?, deadline: Duration = .seconds(5)) {
        self.folder = folder
        changesInFolder = folder.map { .shared(for: $0) }
        self.deadline = deadline
    }

    /// The same credentials, with newlines at the end of files as part of the text: a wrapper of a `String` drops none.
    ///
    /// ```swift
    /// @SecurelyStoredValue(key: "key.pem", keyring: .credentials.keepingFinalNewlines) var key: String?
    /// ```
    public var keepingFinalNewlines: CredentialsKeyring {
        var folder = folder
        folder?.keepsFinalNewlines = true
        return CredentialsKeyring(folder, deadline: deadline)
    }

    /// The kind of keyring and its folder.
    public var description: String {
        folder.map { "the credentials in \($0.path)" } ?? "the credentials of systemd (none)"
    }

    /// Changes of secrets that wrappers use, or that were read lately, whoever makes them.
    public var changes: KeyringChanges { changesInFolder?.changes ?? .none }

    /// The bytes of the credential's file, which is read again each time, or nil if there is none. Throws ``KeyringError`` if
    /// that is unknown.
    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        try await perform { [changesInFolder] folder throws(KeyringError) in
            changesInFolder?.noteReading(of: id)  // before reading, so that no change is missed
            return try folder.secret(for: id)
        }
    }

    /// Watches the secret's file.
    public func watch(_ id: SecretIdentifier) -> (any Sendable)? { changesInFolder?.follow(id) }

    /// One for each file, sorted: those named `service.account`, and all others, which belong to any service.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await perform { folder throws(KeyringError) in try folder.identifiers(inService: service) }
    }

    /// Throws the reason unless the folder exists.
    public func unlock() async throws(KeyringError) {
        try await perform { folder throws(KeyringError) in try folder.requireFolder() }
    }

    private func perform<Answer: Sendable>(
        _ work: @escaping @Sendable (CredentialsFolder) throws(KeyringError) -> Answer
    ) async throws(KeyringError) -> Answer {
        guard let folder else { throw CredentialsFolder.unset }
        return try await queue.perform(deadline: deadline) { _ throws(KeyringError) in try work(folder) }
    }
}

extension CredentialsKeyring: Hashable {
    /// Whether both read the same folder, and treat newlines in the same way.
    public static func == (left: CredentialsKeyring, right: CredentialsKeyring) -> Bool {
        left.folder.map { Array($0.path.utf8) } == right.folder.map { Array($0.path.utf8) }
            && left.folder?.keepsFinalNewlines == right.folder?.keepsFinalNewlines
    }

    /// Hashes the folder's path.
    public func hash(into hasher: inout Hasher) { hasher.combine(folder?.path) }
}

extension Keyring where Self == CredentialsKeyring {
    /// The credentials that systemd provides for this service, in `$CREDENTIALS_DIRECTORY`.
    public static var credentials: CredentialsKeyring { CredentialsKeyring() }

    /// The secrets in the folder at `path`, such as `/run/secrets`.
    public static func credentials(at path: String) -> CredentialsKeyring { CredentialsKeyring(path: path) }
}
