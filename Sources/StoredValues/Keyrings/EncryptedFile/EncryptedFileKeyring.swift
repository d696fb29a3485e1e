import Dispatch
import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// A keyring in one encrypted file, for machines without a desktop: servers, containers, command line tools.
///
/// The file is encrypted and authenticated as a whole (ChaCha20-Poly1305), so that neither the names of secrets nor their
/// number can be read, and none can be changed, dropped or moved unnoticed. Putting an older copy of the whole file back
/// cannot be noticed, nor that another file sealed with the same key was put in its place: give each file a key of its own.
/// A wrong key (``KeyringError/wrongKey``) and a damaged file (``KeyringError/damaged(path:)``) are told
/// apart, and both before anything is written.
///
/// Any number of instances, threads and processes may use one file: each change is made under a lock and is on the disk
/// when the call returns. A missing file is an empty keyring; the first write makes it, with mode 0600. An
/// `update` of a ``SecurelyStoredValue`` makes the lock file beside it, and its folder, even when it stores nothing in the end:
/// the lock comes before the reading.
///
/// ``changes`` tells of what any process changes in the file, except on file systems where inotify(7) sees nothing.
public final class EncryptedFileKeyring: Keyring {
    private let vault: EncryptedFileVault
    /// The real paths of the file and its key, found once: what a key in a dictionary is compared by must not change.
    private let place: String
    private let keyPlace: String?
    private let deadline: Duration
    /// The file's lock, where somebody holds it and changes the file through this.
    private let heldLock: HeldLock?
    // Apart, so that a reader does not wait for a writer that waits for the lock.
    private let readers = DispatchQueue(label: "StoredValues.EncryptedFileKeyring.readers")
    private let writers = DispatchQueue(label: "StoredValues.EncryptedFileKeyring.writers")

    /// The keyring in the file at `path`, which is not touched yet. No call takes longer than `deadline`.
    public convenience init(path: String, key: EncryptedFileKey, deadline: Duration = .seconds(5)) {
        self.init(file: DurableFile(path: path), key: key, deadline: deadline)
    }

    init(file: DurableFile, key: EncryptedFileKey, deadline: Duration = .seconds(5)) {
        place = file.place
        keyPlace = key.place
        vault = EncryptedFileVault(file: file, changes: .shared(for: file, at: place), key: key)
        self.deadline = deadline
        heldLock = nil
    }

    /// The same keyring under its lock. It has queues of its own: those of `keyring` may be waiting for the lock.
    private init(_ keyring: EncryptedFileKeyring, under lock: HeldLock) {
        place = keyring.place
        keyPlace = keyring.keyPlace
        vault = keyring.vault
        deadline = keyring.deadline
        heldLock = lock
    }

    /// What it is, where it is, and where its key comes from.
    public var description: String { "the encrypted file \(vault.file.path), opened with \(vault.key.description)" }

    /// What any process changes in the file. A change through a keyring of this process says which secret it was.
    public var changes: KeyringChanges { vault.changes.changes }

    /// Decrypts the file and returns the secret, or nil when it has none. Waits for no writer. Throws ``KeyringError/wrongKey`` and
    /// ``KeyringError/damaged(path:)``.
    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        try await readers.perform(deadline: deadline) { [vault] _ throws(KeyringError) in try vault.entries()[id]?.secret }
    }

    /// Throws ``KeyringError/tooLarge`` for a secret over 1 MiB, a name or label over 64 KiB, or a file over 64 MiB.
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let entry = EncryptedFileEntry(id: id, label: label, modified: now, secret: secret)
        guard entry.fits else { throw .tooLarge }
        try await change(id, makingFile: true) { entries in
            entries[id] = entry
            return true
        }
    }

    /// Removes the secret, durably when this returns; makes no file where there is none.
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        try await change(id, makingFile: false) { entries in entries.removeValue(forKey: id) != nil }
    }

    /// The secrets of `service`, sorted by account.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await readers.perform(deadline: deadline) { [vault] _ throws(KeyringError) in
            try vault.entries().keys.filter { $0.service.isIdentical(to: service) }.sorted { $0.account < $1.account }
        }
    }

    /// Tries the key on the file, and returns when it opens it or there is no file yet. Asks nobody, except through the
    /// closure of a passphrase.
    public func unlock() async throws(KeyringError) {
        try await readers.perform(deadline: deadline) { [vault] _ throws(KeyringError) in _ = try vault.entries() }
    }

    /// Seals the file with `key` and a new salt, in one step: it is the old file or the new one, whatever happens. This
    /// keyring uses the new key from then on. Every other keyring with the old one, in any process, gets
    /// ``KeyringError/wrongKey``, and must be opened with the new one.
    ///
    /// Nothing is changed when the old key is wrong. After ``KeyringError/timedOut(after:)``, ``KeyringError/cancelled`` or
    /// ``KeyringError/other(domain:code:message:)`` either key may be the right one. A missing file stays missing, and is made
    /// with the new key.
    ///
    /// Whoever has an old copy of the file and the old key reads that copy still: change the secrets too if the key got out.
    /// A generated key file has to be a new one, for two files cannot be replaced in one step.
    public func rekey(to key: EncryptedFileKey) async throws(KeyringError) {
        try await writers.perform(deadline: deadline) { [vault, deadline] isWanted throws(KeyringError) in
            try vault.rekey(to: key, deadline: deadline, isWanted: isWanted)
        }
    }

    private func change(
        _ id: SecretIdentifier, makingFile: Bool,
        _ change: @escaping @Sendable (inout EncryptedFileVault.Entries) -> Bool
    ) async throws(KeyringError) {
        try await writers.perform(deadline: deadline) { [vault, heldLock, deadline] isWanted throws(KeyringError) in
            try vault.change(
                under: heldLock, makingFile: makingFile, telling: .secret(id), deadline: deadline, isWanted: isWanted, change)
        }
    }
}

extension EncryptedFileKeyring: LockableKeyring {
    func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
        let lock = try await writers.perform(deadline: deadline) { [vault, deadline] isWanted throws(KeyringError) in
            try vault.lock(deadline: deadline, isWanted: isWanted)
        }
        return EncryptedFileKeyring(self, under: lock)
    }
}

extension EncryptedFileKeyring: Hashable {
    /// Whether both were made for the same file and the same key file, however their paths are spelled, so that a secret in
    /// them is one live value; whatever became of the key since (``rekey(to:)``). A keyring with a passphrase equals only itself.
    public static func == (left: EncryptedFileKeyring, right: EncryptedFileKeyring) -> Bool {
        if left === right { return true }
        guard left.place.isIdentical(to: right.place), let key = left.keyPlace else { return false }
        return right.keyPlace?.isIdentical(to: key) == true
    }

    /// Hashes the file's real path.
    public func hash(into hasher: inout Hasher) { hasher.combine(place) }
}

extension Keyring where Self == EncryptedFileKeyring {
    /// An ``EncryptedFileKeyring`` in the file at `path`, opened with `key`.
    public static func encryptedFile(_ path: String, key: EncryptedFileKey) -> EncryptedFileKeyring {
        EncryptedFileKeyring(path: path, key: key)
    }
}
