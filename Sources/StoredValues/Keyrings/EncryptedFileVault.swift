import Crypto
import FoundationEssentials
import Locking

/// The encrypted file as a set of entries: what ``EncryptedFileKeyring`` does on its threads, without any waiting task.
///
/// Entries are decrypted for each call and not kept; of the key, only the derived one is.
final class EncryptedFileVault: Sendable {
    typealias Entries = [SecretIdentifier: EncryptedFileEntry]

    private struct KnownKey {
        var derivation: KeyDerivation
        var mainKey: SymmetricKey
    }

    let file: DurableFile
    let key: EncryptedFileKey
    /// Set only once it opened a file, or for a file about to be made: a mistyped passphrase is asked for again.
    private let knownKey = Guarded<KnownKey?>(nil)

    init(file: DurableFile, key: EncryptedFileKey) {
        self.file = file
        self.key = key
    }

    /// The entries, none when there is no file. Makes nothing, and needs no lock.
    func entries() throws(KeyringError) -> Entries {
        guard let contents = try reading({ () throws(FileError) in try file.read() }) else { return [:] }
        return try open(contents.bytes).entries
    }

    /// Whether there is no file.
    func isMissing() throws(KeyringError) -> Bool {
        try reading { () throws(FileError) in try file.currentIdentity() } == nil
    }

    /// Reads the entries, lets `change` alter them, and replaces the file durably if `change` says that it did.
    ///
    /// All of that under the lock, so that no other process's change is lost; `isWanted` ends the waiting for it.
    /// A file that is damaged or made with another key is left as it is.
    func change(
        deadline: Duration, isWanted: () -> Bool, _ change: (inout Entries) -> Bool
    ) throws(KeyringError) -> Bool {
        try prepareKey()
        let locked = try lock(deadline: deadline, isWanted: isWanted)
        var entries: Entries = [:]
        var generation: UInt64 = 0
        let known: KnownKey
        if let contents = try reading({ () throws(FileError) in try locked.read() }) {
            let opened = try open(contents.bytes)
            (entries, generation, known) = (opened.entries, opened.header.generation, opened.key)
        } else {
            known = try keyForNewFile()
        }
        guard change(&entries) else { return false }
        let bytes = try EncryptedFileSeal.seal(
            entries.values, generation: generation &+ 1, derivation: known.derivation, mainKey: known.mainKey)
        guard bytes.count <= DurableFile.sizeLimit else { throw .tooLarge }
        guard isWanted() else { throw .cancelled }
        _ = try reading { () throws(FileError) in try locked.replace(with: bytes, durably: true) }
        return true
    }

    /// Derives the key before the lock is taken, so that others do not wait for scrypt.
    private func prepareKey() throws(KeyringError) {
        if let contents = try reading({ () throws(FileError) in try file.read() }) {
            _ = try open(contents.bytes)
        } else if case .generatedFile = key.source {
            // Only under the lock is it certain that there is no file, and that a key may be made.
        } else {
            _ = try keyForNewFile()
        }
    }

    private func keyForNewFile() throws(KeyringError) -> KnownKey {
        // A key file is read again, however well its key is known: a file made with a key that is gone could never be
        // opened. A passphrase stays in somebody's head, and scrypt takes its time.
        if case .passphrase = key.source, let known = knownKey.withLock({ $0 }) { return known }
        let derivation = KeyDerivation(new: key.method)
        let material = try key.material(forNewFile: true, operations: file.operations)
        let known = KnownKey(derivation: derivation, mainKey: try derivation.mainKey(from: material))
        knownKey.withLock { $0 = known }
        return known
    }

    private func open(
        _ bytes: [UInt8]
    ) throws(KeyringError) -> (entries: Entries, header: EncryptedFileHeader, key: KnownKey) {
        do {
            let header = try EncryptedFileHeader(ofFile: bytes)
            guard key.fits(header.derivation) else { throw KeyringError.wrongKey }
            let known = try knownKey(for: header)
            return (try EncryptedFileSeal.open(bytes, header: header, mainKey: known.mainKey), header, known)
        } catch let error as KeyringError {
            throw error
        } catch EncryptedFileFormatError.newerVersion(let version) {
            throw .other(
                domain: "EncryptedFileKeyring", code: 3,
                message: "\(file.path) was written by a newer version of StoredValues (format \(version)); use that one")
        } catch {
            throw .damaged(path: file.path)
        }
    }

    private func knownKey(for header: EncryptedFileHeader) throws(KeyringError) -> KnownKey {
        if let known = knownKey.withLock({ $0 }), known.derivation == header.derivation {
            guard EncryptedFileSeal.isKey(known.mainKey, of: header) else { throw .wrongKey }
            return known
        }
        let material = try key.material(forNewFile: false, operations: file.operations)
        let known = KnownKey(derivation: header.derivation, mainKey: try header.derivation.mainKey(from: material))
        guard EncryptedFileSeal.isKey(known.mainKey, of: header) else { throw .wrongKey }
        knownKey.withLock { $0 = known }
        return known
    }

    /// The lock, tried for in short turns: whoever gave up must not keep those behind waiting until the deadline.
    private func lock(deadline: Duration, isWanted: () -> Bool) throws(KeyringError) -> LockedFile {
        let start = ContinuousClock.now
        while true {
            do {
                return try file.lock(timeout: min(deadline, .milliseconds(50)))
            } catch {
                guard error.isLockTimeout else { throw KeyringError(error) }
                guard ContinuousClock.now - start < deadline else { throw .timedOut(after: deadline) }
                guard isWanted() else { throw .cancelled }
            }
        }
    }

    private func reading<Result>(_ call: () throws(FileError) -> Result) throws(KeyringError) -> Result {
        do { return try call() } catch { throw KeyringError(error) }
    }
}
