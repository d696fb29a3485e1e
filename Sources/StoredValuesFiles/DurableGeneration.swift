import StoredValuesSupport

/// The last state of a ``DurableFile`` that certainly survives a power cut: a copy beside the real file, `<name>.durable`.
///
/// Replacing a file without fsync is fast, but a power cut may leave the new one empty, full of zeros or torn. So a copy is
/// made, with an fsync, when durability is requested, and is read if the file is broken.
///
/// A copy, not a link: some editors write in place, which would change both. It has its own lock, so that writers never wait for the
/// disk. The file is read after that lock is taken: whichever process copies, a later copy never has an earlier state.
package final class DurableGeneration: Sendable {
    /// How long to wait while other processes sync their copies, which may be slow.
    static let lockTimeout = Duration.seconds(10)
    private static let suffix = ".durable"

    /// What was copied, with the file's pin if there is one, so that no later file is mistaken for it.
    private typealias Copy = (target: String, identity: FileIdentity, pin: FilePin?)

    private let file: DurableFile
    /// The last copy by this process.
    private let lastCopy = Guarded<Copy?>(nil)

    /// The generation of `file`. Touches nothing.
    package init(of file: DurableFile) { self.file = file }

    /// The bytes of the copy; nil if there is none.
    package func read() throws(FileError) -> [UInt8]? {
        try file.read(at: file.resolvedPath + Self.suffix)?.bytes
    }

    /// Whether this state of the file is the last one that this process has copied.
    package func holds(_ identity: FileIdentity?) -> Bool { lastCopy.withLock { $0?.identity == identity } }

    /// Forgets the last copy and releases its pin, so that ``keep(_:if:)`` copies again.
    package func forgetCopy() { setLastCopy(nil) }

    /// Syncs the file's current state to the disk. Blocks as long as the disk takes. Returns false if the file is broken; the last good
    /// state is kept then.
    ///
    /// If there is no file, the copy is removed too: the file was deleted, and the old values must not come back.
    ///
    /// - Parameters:
    ///   - written: The file as this process last replaced it, with the bytes it wrote, which need not be read back while that
    ///     is the file. After a replacement, a power cut leaves these bytes or broken ones. Any other file may have been
    ///     changed in place, and a power cut may bring older bytes back, intact: so that file itself is synced, too.
    ///   - isWhole: Whether the content, which another program may have written, is not broken.
    package func keep(
        _ written: (file: FilePin, bytes: [UInt8])?, if isWhole: (FileContents) -> Bool
    ) throws(FileError) -> Bool {
        let target = try file.resolvedPath
        // A write that was not copied yet must be kept, whatever the file is by now.
        if written == nil || holds(written?.file.identity), try isKept(target) { return true }
        let generation: LockedFile
        do { generation = try file.lock(toChange: Self.suffix, at: target, timeout: Self.lockTimeout) } catch {
            guard error.code == .noEntry else { throw error }
            try file.syncFolder(of: target)  // the folder was just removed
            return true
        }
        return try keep(written, in: generation, if: isWhole)
    }

    /// Whether there is nothing to copy; if there is no file, that is synced.
    private func isKept(_ target: String) throws(FileError) -> Bool {
        let identity = try file.regularFile(at: target, for: .examine)?.identity
        let isThere = try file.status(at: target + Self.suffix, followingLinks: false) != nil
        if let identity { return isThere && lastCopy.withLock { $0?.target == target && $0?.identity == identity } }
        if !isThere { try file.syncFolder(of: target) }
        return !isThere
    }

    private func keep(
        _ written: (file: FilePin, bytes: [UInt8])?, in generation: borrowing LockedFile, if isWhole: (FileContents) -> Bool
    ) throws(FileError) -> Bool {
        let target = generation.path.before(suffix: Self.suffix) ?? generation.path
        // The state found under the lock.
        let own = written.flatMap { $0.file.identity == generation.identity ? $0 : nil }
        let contents =
            if let own { FileContents(bytes: own.bytes, identity: own.file.identity) } else { try file.read(at: target) }
        guard let found = generation.found, let contents else {
            try generation.remove()
            setLastCopy(nil)
            // Otherwise it would remain after another process has removed everything. If this user may not remove it, it does no harm.
            try? generation.removeLock()
            try file.syncFolder(of: target)
            return true
        }
        if own == nil {
            guard isWhole(contents) else { return false }
            try file.synchronize(target, openedFor: .reading)
        }
        let copy = try file.regularFile(at: generation.path, for: .replace)
        // So once there is a copy, the folders above are known to be synced, whoever created them.
        if copy == nil { try file.syncAncestors(of: target) }
        let access = FileAccess(of: found, at: target, file.operations)
        _ = try generation.replace(copy, with: contents.bytes, for: access, durably: true)
        setLastCopy((target: target, identity: contents.identity, pin: own?.file))
        return true
    }

    /// Removes the file, the copy, what was set aside, what a killed process left, and last the locks, and syncs that. Blocks as long as
    /// the disk takes.
    ///
    /// Whoever waits for one of the locks finds that it is gone, and takes a new one.
    package func removeAll(with locked: consuming LockedFile) throws(FileError) {
        let target = locked.path
        let setAside = try locked.setAside()  // first: if this fails, nothing has been removed
        // By the path that is locked: a link on the file's own may be turned elsewhere while this waits.
        let generation = try DurableFile(path: target, operations: file.operations).lock(toChange: Self.suffix, timeout: Self.lockTimeout)
        try generation.remove()
        try generation.removeLeftover()
        try locked.removeLeftover()
        for path in setAside { try locked.remove(path) }
        try locked.remove()
        setLastCopy(nil)
        try generation.removeLock()
        try locked.removeLock()
        try file.syncFolder(of: target)
    }

    private func setLastCopy(_ copy: Copy?) {
        let old = lastCopy.withLock { exchange(&$0, with: copy) }
        withExtendedLifetime(old) {}  // released without the lock, because its pin may close a file
    }
}
