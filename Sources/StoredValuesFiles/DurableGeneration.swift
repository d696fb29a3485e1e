import StoredValuesSupport

/// The last state of a ``DurableFile`` that is sure to survive a power cut: a copy beside the real file, `<name>.durable`.
///
/// Replacing a file without fsync is quick, and a power cut may leave the new one empty, full of zeros or torn. So the copy
/// is made, with an fsync, when somebody asks for durability, and is read when the file turns out broken.
///
/// - A copy and never a link: some editors write in place, which would change both.
/// - The lock that writers hold is not taken, so they never wait for the disk. The copy has a lock of its own, which is not the
///   copy itself, for whoever may read that could keep it locked. The file is read after the lock is held: whichever process
///   copies, a later copy is never of an earlier state.
package final class DurableGeneration: Sendable {
    /// How long to wait while other processes bring their copies to the disk, which may be slow.
    static let lockTimeout = Duration.seconds(10)
    private static let suffix = ".durable"

    /// What came of an attempt to keep the file's state.
    package enum Outcome: Equatable {
        /// It survives a power cut now; or there is no file, and that does.
        case kept
        /// The file is broken. The last good state stays kept.
        case broken
    }

    private struct Copy {
        var target: String
        var identity: FileIdentity
        /// Where it is known, so that no later file is taken for the one that was copied.
        var pin: FilePin?
    }

    private let file: DurableFile
    /// What this process copied last.
    private let lastCopy = Guarded<Copy?>(nil)

    /// The generation of `file`. Touches nothing.
    package init(of file: DurableFile) { self.file = file }

    /// The bytes that are kept; nil when there are none.
    package func read() throws(FileError) -> [UInt8]? {
        try file.read(at: file.resolvedPath + Self.suffix)?.bytes
    }

    /// Whether this process has kept that state of the file, and no other since.
    package func holds(_ identity: FileIdentity?) -> Bool { lastCopy.withLock { $0?.identity == identity } }

    /// Brings the file's present state to the disk, unless that is broken. Blocks for as long as the disk takes.
    ///
    /// When there is no file, nothing is kept of it either: somebody deleted it, and the old values must not come back.
    ///
    /// - Parameters:
    ///   - written: The file as this process last replaced it, and what it wrote, which need not be read back while that is the
    ///     file. Of a replacement a power cut leaves its bytes or broken ones. Any other file may have been changed in place, and
    ///     then a power cut may bring older bytes back, as good as new: so that one is brought to the disk itself, too.
    ///   - isWhole: Says whether these, which somebody else may have written, are the bytes of a file that is not broken.
    package func keep(
        _ written: (file: FilePin, bytes: [UInt8])?, if isWhole: (FileContents) -> Bool
    ) throws(FileError) -> Outcome {
        let target = try file.resolvedPath
        // What was written and not copied yet is news, whatever lies there by now.
        if written == nil || holds(written?.file.identity), try isKept(target) { return .kept }
        guard let generation = try lockUnlessGone(target) else {
            try file.syncFolder(of: target)
            return .kept
        }
        return try keep(written, in: generation, if: isWhole)
    }

    /// Whether there is nothing to copy; that there is no file is brought to the disk then.
    private func isKept(_ target: String) throws(FileError) -> Bool {
        let identity = try file.regularFile(at: target, for: .examine)?.identity
        let isThere = try file.status(at: target + Self.suffix, followingLinks: false) != nil
        if let identity { return isThere && lastCopy.withLock { $0?.target == target && $0?.identity == identity } }
        if !isThere { try file.syncFolder(of: target) }
        return !isThere
    }

    /// The lock, or nil when somebody has just removed the whole folder.
    private func lockUnlessGone(_ target: String) throws(FileError) -> LockedFile? {
        do {
            return try lock(at: target, timeout: Self.lockTimeout)
        } catch where error.code == .noEntry {
            return nil
        }
    }

    /// The lock that whoever changes the copy holds; `target` is where the path is known to lead.
    func lock(at target: String? = nil, timeout: Duration?) throws(FileError) -> LockedFile {
        try file.lock(Self.suffix + ".lock", toChange: Self.suffix, makingFolder: false, at: target, timeout: timeout)
    }

    private func keep(
        _ written: (file: FilePin, bytes: [UInt8])?, in generation: borrowing LockedFile, if isWhole: (FileContents) -> Bool
    ) throws(FileError) -> Outcome {
        let target = String(generation.path.dropLast(Self.suffix.count))
        // The state that was found with the lock.
        let own = written.flatMap { $0.file.identity == generation.identity ? $0 : nil }
        let contents =
            if let own { FileContents(bytes: own.bytes, identity: own.file.identity) } else { try file.read(at: target) }
        guard let found = generation.found, let contents else {
            try generation.remove()
            try file.syncFolder(of: target)
            setLastCopy(nil)
            return .kept
        }
        if own == nil {
            guard isWhole(contents) else { return .broken }
            try file.syncContents(of: target)
        }
        let copy = try file.regularFile(at: generation.path, for: .replace)
        // So once there is a copy, the folders above are known to be on the disk, whoever made them.
        if copy == nil { try file.syncAncestors(of: target) }
        let access = FileAccess(of: found, at: target, file.operations)
        _ = try generation.replace(copy, with: contents.bytes, for: access, durably: true)
        setLastCopy(Copy(target: target, identity: contents.identity, pin: own?.file))
        return .kept
    }

    private func setLastCopy(_ copy: Copy?) {
        // The old one's pin may close its file, after unlocking.
        let old = lastCopy.withLock { lastCopy in
            defer { lastCopy = copy }
            return lastCopy
        }
        withExtendedLifetime(old) {}
    }
}
