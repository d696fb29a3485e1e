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
    package static let lockTimeout = Duration.seconds(10)
    private static let suffix = ".durable"

    /// What came of an attempt to keep the file's state.
    package enum Outcome: Equatable {
        /// It survives a power cut now; or there is no file, and that does.
        case kept
        /// The file is broken. The last good state stays kept.
        case broken
    }

    private struct Copy: Equatable {
        var target: String
        var identity: FileIdentity
    }

    private let file: DurableFile
    /// What this process copied last.
    private let lastCopy = Guarded<Copy?>(nil)

    /// The generation of `file`. Touches nothing.
    package init(of file: DurableFile) {
        self.file = file
    }

    /// The bytes that are kept; nil when there are none.
    package func read() throws(FileError) -> [UInt8]? {
        try file.read(at: file.resolvedPath + Self.suffix)?.bytes
    }

    /// Whether this process has kept that state of the file, and no other since.
    package func holds(_ identity: FileIdentity?) -> Bool {
        lastCopy.withLock { $0?.identity == identity }
    }

    /// Brings the file's present state to the disk, unless that is broken. Blocks for as long as the disk takes.
    ///
    /// When there is no file, nothing is kept of it either: somebody deleted it, and the old values must not come back.
    ///
    /// - Parameters:
    ///   - replacement: The file as this process last replaced it. Of a replacement a power cut leaves its bytes or broken ones.
    ///     Any other file may have been changed in place, and then a power cut may bring older bytes back, as good as new:
    ///     so that one is brought to the disk itself, too.
    ///   - isWhole: Says whether these are the bytes of a file that is not broken.
    package func keep(_ replacement: FileIdentity?, if isWhole: (FileContents) -> Bool) throws(FileError) -> Outcome {
        let target = try file.resolvedPath
        let identity = try file.currentIdentity()
        let isThere = try file.status(at: target + Self.suffix, followingLinks: false) != nil
        if let identity, isThere, lastCopy.withLock({ $0 == Copy(target: target, identity: identity) }) { return .kept }
        if identity == nil, !isThere {
            try file.syncFolder()
            return .kept
        }
        guard let generation = try lockUnlessGone() else {
            try file.syncFolder()
            return .kept
        }
        return try keep(replacement, in: generation, if: isWhole)
    }

    /// The lock, or nil when somebody has just removed the whole folder.
    private func lockUnlessGone() throws(FileError) -> LockedFile? {
        do throws(FileError) {
            return try lock(timeout: Self.lockTimeout)
        } catch {
            if error.code == .noEntry { return nil }
            throw error
        }
    }

    /// The lock that whoever changes the copy holds.
    package func lock(timeout: Duration?) throws(FileError) -> LockedFile {
        try file.lock(Self.suffix + ".lock", toChange: Self.suffix, makingFolder: false, timeout: timeout)
    }

    private func keep(
        _ replacement: FileIdentity?, in generation: borrowing LockedFile, if isWhole: (FileContents) -> Bool
    ) throws(FileError) -> Outcome {
        let target = String(generation.path.dropLast(Self.suffix.count))
        guard let contents = try file.read(at: target) else {
            try generation.remove()
            try file.syncFolder()
            lastCopy.withLock { $0 = nil }
            return .kept
        }
        guard isWhole(contents) else { return .broken }
        if contents.identity != replacement { try file.syncContents() }
        // So once there is a copy, the folders above are known to be on the disk, whoever made them.
        if try generation.identity() == nil { try file.syncAncestors() }
        _ = try generation.replace(with: contents.bytes, durably: true, like: target)
        lastCopy.withLock { $0 = Copy(target: target, identity: contents.identity) }
        return .kept
    }
}
