import Dispatch
import StoredValuesFiles
import StoredValuesSupport

/// A keyring in one encrypted file, for machines without a desktop: servers, containers, command line tools.
///
/// The file is encrypted and authenticated as a whole (ChaCha20-Poly1305), so that neither the names of secrets nor their
/// number can be read, and none can be changed, dropped or moved unnoticed. Only two things are not detected: an older copy
/// of the whole file, and another file sealed with the same key in its place. So use a separate key for each file. A wrong key
/// (``KeyringError/wrongKey``) and a damaged file (``KeyringError/damaged(path:)``) are distinguished, and detected before
/// anything is written.
///
/// Any number of instances, threads and processes may use one file: each change is made under a lock and is on the disk when
/// the call returns. A missing file is an empty keyring; the first write creates it, with mode 0600. An `update` of a
/// ``SecurelyStoredValue`` creates the lock file beside it, and its folder, even if it stores nothing, because it takes the
/// lock before it reads.
///
/// ``changes`` reports changes of the file by any process, except on file systems where inotify(7) sees none.
///
/// If it was built without the trait `EncryptedFile`, every call throws ``KeyringError/notBuiltIn`` and no file is touched.
public final class EncryptedFileKeyring: Keyring {
    let vault: EncryptedFileVault
    /// The real paths of the file and its key, resolved once: the identity of a dictionary key must not change.
    private let place: String
    private let keyPlace: String?
    let deadline: Duration
    /// The file's lock, if this instance is used to change the file under it.
    let heldLock: HeldLock?
    // Separate, so that a reader does not wait for a writer that waits for the lock.
    let readers = DispatchQueue(label: "StoredValues.EncryptedFileKeyring.readers")
    let writers = DispatchQueue(label: "StoredValues.EncryptedFileKeyring.writers")

    /// The keyring in the file at `path`, which is not touched yet. No call takes longer than `deadline`. Of equal keyrings, all
    /// wrappers of one secret use that of the wrapper that was used first, with its deadline.
    public convenience init(path: String, key: EncryptedFileKey, deadline: Duration = .seconds(5)) {
        self.init(file: DurableFile(path: path), key: key, deadline: deadline)
    }

    init(file: DurableFile, key: EncryptedFileKey, deadline: Duration = .seconds(5)) {
        place = file.place
        keyPlace = key.place
        vault = EncryptedFileVault(file: file, at: place, key: key)
        self.deadline = deadline
        heldLock = nil
    }

    /// The same keyring with another deadline or under its lock. It has separate queues: those of `keyring` may be waiting for the lock.
    init(_ keyring: EncryptedFileKeyring, deadline: Duration? = nil, under lock: HeldLock? = nil) {
        place = keyring.place
        keyPlace = keyring.keyPlace
        vault = keyring.vault
        self.deadline = max(.zero, deadline ?? keyring.deadline)
        heldLock = lock
    }

    /// The kind of keyring, its path, and the source of its key.
    public var description: String { "the encrypted file \(vault.file.path), opened with \(vault.key.description)" }
}

extension EncryptedFileKeyring: Hashable {
    /// Whether both were created for the same file and the same key file, however their paths are written, so that a secret in
    /// them is one live value; even if the key was changed since (``rekey(to:)``). A keyring with a passphrase equals only
    /// itself.
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
