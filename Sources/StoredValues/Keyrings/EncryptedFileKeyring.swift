import Dispatch
import FoundationEssentials
import Locking

/// A keyring in one encrypted file, for machines without a desktop: servers, containers, command line tools.
///
/// The file is encrypted and authenticated as a whole (ChaCha20-Poly1305), so that neither the names of secrets nor their
/// number can be read, and none can be changed, dropped or moved unnoticed. Putting an older copy of the whole file back
/// cannot be noticed. A wrong key (``KeyringError/wrongKey``) and a damaged file (``KeyringError/damaged(path:)``) are told
/// apart, and both before anything is written.
///
/// Any number of instances, threads and processes may use one file: each change is made under a lock and is on the disk
/// when the call returns. A missing file is an empty keyring; the first write makes it, with mode 0600.
///
/// ``changes`` tells of the changes that this process makes, through any instance with the same path.
public final class EncryptedFileKeyring: Keyring {
    private let vault: EncryptedFileVault
    private let deadline: Duration
    private let broadcaster: ChangeBroadcaster
    // Apart, so that a reader does not wait for a writer that waits for the lock.
    private let readers = DispatchQueue(label: "StoredValues.EncryptedFileKeyring.readers")
    private let writers = DispatchQueue(label: "StoredValues.EncryptedFileKeyring.writers")

    /// The keyring in the file at `path`, which is not touched yet. No call takes longer than `deadline`.
    public convenience init(path: String, key: EncryptedFileKey, deadline: Duration = .seconds(5)) {
        self.init(file: DurableFile(path: path), key: key, deadline: deadline)
    }

    init(file: DurableFile, key: EncryptedFileKey, deadline: Duration = .seconds(5)) {
        self.vault = EncryptedFileVault(file: file, key: key)
        self.deadline = deadline
        self.broadcaster = .shared(forPath: file.path)
    }

    /// What it is, where it is, and where its key comes from.
    public var description: String {
        "the encrypted file \(vault.file.path), opened with \(vault.key.description)"
    }

    public var changes: KeyringChanges { broadcaster.changes }

    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        try await KeyringRequest.perform(on: readers, deadline: deadline) { [vault] _ throws(KeyringError) in
            try vault.entries()[id]?.secret
        }
    }

    /// Throws ``KeyringError/tooLarge`` for a secret over 1 MiB, a name or label over 64 KiB, or a file over 64 MiB.
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        let entry = EncryptedFileEntry(
            id: id, label: label, modified: Int64(Date().timeIntervalSince1970 * 1000), secret: secret)
        guard entry.fits else { throw .tooLarge }
        try await change(id) { entries in
            entries[id] = entry
            return true
        }
    }

    public func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        try await change(id, inMissingFile: false) { entries in entries.removeValue(forKey: id) != nil }
    }

    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await KeyringRequest.perform(on: readers, deadline: deadline) { [vault] _ throws(KeyringError) in
            try vault.entries().keys.filter { $0.service == service }.sorted { $0.account < $1.account }
        }
    }

    /// Tries the key on the file, and returns when it opens it or there is no file yet. Asks nobody, except through the
    /// closure of a passphrase.
    public func unlock() async throws(KeyringError) {
        try await KeyringRequest.perform(on: readers, deadline: deadline) { [vault] _ throws(KeyringError) in
            _ = try vault.entries()
        }
    }

    private func change(
        _ id: SecretIdentifier, inMissingFile: Bool = true,
        _ change: @escaping @Sendable (inout EncryptedFileVault.Entries) -> Bool
    ) async throws(KeyringError) {
        try await KeyringRequest.perform(on: writers, deadline: deadline) {
            [vault, deadline, broadcaster] isWanted throws(KeyringError) in
            // What is not there need not be removed: making the lock file's folder for that would be a surprise.
            if !inMissingFile, try vault.isMissing() { return }
            if try vault.change(deadline: deadline, isWanted: isWanted, change) { broadcaster.announce(.secret(id)) }
        }
    }
}

extension EncryptedFileKeyring: Hashable {
    /// Whether both are the same file opened with the same key file, so that a secret in them is one live value. A keyring
    /// with a passphrase equals only itself.
    public static func == (left: EncryptedFileKeyring, right: EncryptedFileKeyring) -> Bool {
        if left === right { return true }
        guard let key = left.vault.key.path, key == right.vault.key.path else { return false }
        return left.vault.file.path == right.vault.file.path
    }

    /// Hashes the file's path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(vault.file.path)
    }
}

extension Keyring where Self == EncryptedFileKeyring {
    /// An ``EncryptedFileKeyring`` in the file at `path`, opened with `key`.
    public static func encryptedFile(_ path: String, key: EncryptedFileKey) -> EncryptedFileKeyring {
        EncryptedFileKeyring(path: path, key: key)
    }
}

extension ChangeBroadcaster {
    private struct Weak { weak var broadcaster: ChangeBroadcaster? }
    private static let byPath = Guarded<[String: Weak]>([:])

    /// The one that all keyrings of this process with the file at `path` announce to.
    fileprivate static func shared(forPath path: String) -> ChangeBroadcaster {
        byPath.withLock { known in
            if let broadcaster = known[path]?.broadcaster { return broadcaster }
            let broadcaster = ChangeBroadcaster()
            known = known.filter { $0.value.broadcaster != nil }
            known[path] = Weak(broadcaster: broadcaster)
            return broadcaster
        }
    }
}
