import StoredValuesSupport

/// The path of a real file, and those beside it that a change uses.
final class FilePaths: Sendable {
    let file: String
    let lock: String
    let temporary: String

    init(of file: String) { (self.file, lock, temporary) = (file, file + ".lock", DurableFile.temporaryPath(of: file)) }
}

/// One file that is replaced as a whole, under a lock among processes.
///
/// Readers need no lock: they see the bytes before or after a replacement. Writers call ``lock(toChange:at:timeout:while:)`` and change the file
/// through the ``LockedFile``. Symbolic links are resolved each time; the file they lead to is replaced, and the links are kept.
///
/// Beside the real file are `<name>.lock`, which is removed only when the file is deleted for good (a process that waited for it notices,
/// and opens the new one), `.<name>.stored-values.tmp` during a replacement, and possibly the ``DurableGeneration``. Files that root
/// creates there belong to the owner of the file or the folder, who would otherwise be locked out.
package final class DurableFile: Sendable {
    /// The maximum size. Real files are far smaller; a mistaken path must not fill the memory.
    package static let sizeLimit = 64 << 20

    /// The given path, made absolute; unchanged if there is no working folder, and then every use fails.
    package let path: String
    package let operations: FileOperations

    /// Folders in which we created a folder and that were not synced since.
    private let unsynchronizedFolders = Guarded<Set<String>>([])
    /// Those of the given path, which usually is the real one. Kept, because composing them takes longer than the rest of a lock.
    private let ownPaths: FilePaths

    /// The file at `path`; a relative path is resolved against the current working folder. Touches nothing.
    package init(path: String, operations: FileOperations = .posix) {
        // The system would truncate the path there.
        requireProperUse(!path.utf8.contains(0), "DurableFile(path:): the path contains a NUL character")
        self.path = path.begins(with: "/") ? path : workingFolder().map { "\($0)/\(path)" } ?? path
        ownPaths = FilePaths(of: self.path)
        self.operations = operations
    }

    /// The real file's path, with all links resolved.
    package var resolvedPath: String {
        get throws(FileError) {
            let (target, _, obstacle) = ResolvedPath.follow(path, operations: operations)
            if let obstacle { throw obstacle }
            return target
        }
    }

    /// The real file's path if it can be resolved, else the given path: identifies the file.
    package var place: String { (try? resolvedPath) ?? path }

    /// The current content; nil if there is no file. Refuses anything but a regular file, without blocking on it.
    package func read() throws(FileError) -> FileContents? {
        try ResolvedPath.requireAbsolute(path)
        return try read(at: path)
    }

    /// The identity and state of the file; nil if there is none.
    package func currentIdentity() throws(FileError) -> FileIdentity? {
        try ResolvedPath.requireAbsolute(path)
        return try regularFile(at: path, followingLinks: true, for: .examine)?.identity
    }

    /// Whether a replacement is under way, or a process was killed during one and left its bytes.
    package func hasLeftover() throws(FileError) -> Bool {
        try status(at: Self.temporaryPath(of: resolvedPath), followingLinks: false) != nil
    }

    func paths(of target: String) -> FilePaths { target.isIdentical(to: path) ? ownPaths : FilePaths(of: target) }

    /// The path of the bytes that are to replace `target`, the real file's path. The name is reserved, so the holder of the
    /// lock may remove what is there.
    static func temporaryPath(of target: String) -> String {
        let suffix = ".stored-values.tmp", start = ResolvedPath.nameStart(of: target), name = String(target[start...])
        let isTooLong = 1 + name.utf8.count + suffix.utf8.count > 255
        return "\(target[..<start]).\(isTooLong ? shortName(for: name) : name)\(suffix)"
    }

    /// Replaces a name that is too long; collisions are unlikely (FNV-1a, 64 bits).
    package static func shortName(for name: String) -> String {
        String(name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }

    /// Creates an empty file that only its owner may read, and missing folders, unless there is a file. The file survives a power cut once
    /// this returns.
    package func createIfMissing() throws(FileError) {
        let target = try resolvedPath, folder = ResolvedPath.folder(of: target)
        guard try regularFile(at: target, for: .create) == nil else { return }
        try makeFolders(folder)
        do throws(SystemErrorCode) {
            let descriptor = try operations.open(target, for: .creating)
            defer { operations.close(descriptor) }
            // If the folder was replaced by a link meanwhile, this would give away a file in another folder. For the same reason the empty
            // file stays where its owner cannot be changed: to remove it by its path may be to remove another one.
            if let owner = try? ownerOfNew(in: folder), FileAccess.isOpen(descriptor, at: target, operations) {
                try operations.changeOwner(of: descriptor, user: owner.user, group: owner.group)
            }
        } catch {
            guard error == .exists else { throw FileError(.create, target, error) }  // another process was faster
        }
        try syncFolder(of: target)
        try syncAncestors(of: target)  // whoever made the folders
    }

    /// Syncs the current state to the disk: the file, then the folders that contain it. Needs no lock.
    package func sync() throws(FileError) {
        try syncContents()
        try syncFolder(of: resolvedPath)
    }

    /// Syncs the file's bytes, if there is a file. After a power cut an older file may still be there.
    package func syncContents() throws(FileError) { try synchronize(resolvedPath, openedFor: .reading) }

    /// Syncs which file is at `target`, the real file's path, or that there is none, and the parents of folders created for it.
    func syncFolder(of target: String) throws(FileError) {
        try synchronize(ResolvedPath.folder(of: target), openedFor: .folder)
        for folder in unsynchronizedFolders.withLock({ $0 }) { try synchronize(folder, openedFor: .folder) }
    }

    /// Syncs that the folder of `target` and those above it exist; another process may have just created them.
    package func syncAncestors(of target: String) throws(FileError) {
        var folder = ResolvedPath.folder(of: target)
        while folder != "/" {
            folder = ResolvedPath.folder(of: folder)
            // One that cannot be read cannot be synced; nothing more can be done there.
            do { try synchronize(folder, openedFor: .folder) } catch { guard error.code == .accessDenied else { throw error } }
        }
    }

    /// Syncs what is at `path`, if there is anything.
    func synchronize(_ path: String, openedFor purpose: OpenPurpose) throws(FileError) {
        do throws(SystemErrorCode) {
            let descriptor = try operations.open(path, for: purpose)
            defer { operations.close(descriptor) }
            try operations.synchronize(descriptor)
        } catch .noEntry {
            // There is nothing to sync.
        } catch {
            // Some file systems do not sync folders; nothing more can be done there.
            guard purpose == .folder, error == .invalidArgument else { throw FileError(.synchronize, path, error) }
        }
        unsynchronizedFolders.withLock { _ = $0.remove(path) }
    }
}

// Used by LockedFile and the lock.
extension DurableFile {
    func read(at path: String) throws(FileError) -> FileContents? {
        let descriptor: Int32
        do { descriptor = try operations.open(path, for: .reading) } catch {
            if error == .noEntry { return nil }
            throw error == .noDeviceOrPeer ? FileError(.read, path, .notRegular(.socket)) : FileError(.read, path, error)
        }
        defer { operations.close(descriptor) }
        let status = try attempt(.read, path) { () throws(SystemErrorCode) in try operations.status(of: descriptor) }
        guard status.kind == .regular else { throw FileError(.read, path, .notRegular(status.kind)) }
        guard status.identity.size <= Self.sizeLimit else { throw FileError(.read, path, .tooLarge(limit: Self.sizeLimit)) }
        // One byte more than expected, so that the end is found without reading again. A growing file is read to its end.
        var bytes: [UInt8] = []
        var chunk = Int(status.identity.size) + 1
        while true {
            let part = try attempt(.read, path) { () throws(SystemErrorCode) in
                try [UInt8](unsafeUninitializedCapacity: chunk) { buffer, count throws(SystemErrorCode) in
                    count = try operations.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
                }
            }
            if bytes.isEmpty { bytes = part } else { bytes += part }
            guard bytes.count <= Self.sizeLimit else { throw FileError(.read, path, .tooLarge(limit: Self.sizeLimit)) }
            if part.isEmpty { return FileContents(bytes: bytes, identity: status.identity) }
            chunk = max(4096, chunk - part.count)
        }
    }

    package func status(at path: String, followingLinks: Bool) throws(FileError) -> FileStatus? {
        do { return try operations.status(at: path, followingLinks: followingLinks) } catch {
            guard error == .noEntry else { throw FileError(.examine, path, error) }
            return nil
        }
    }

    /// The status of the file at `path`, which must be regular; nil if there is nothing.
    func regularFile(
        at path: String, followingLinks: Bool = false, for operation: FileError.Operation
    ) throws(FileError) -> FileStatus? {
        guard let status = try status(at: path, followingLinks: followingLinks) else { return nil }
        guard status.kind == .regular else { throw FileError(operation, path, .notRegular(status.kind)) }
        return status
    }

    /// Creates `folder` and missing parents, accessible only to this user or, if root creates them, to the parent's owner.
    func makeFolders(_ folder: String) throws(FileError) {
        guard try status(at: folder, followingLinks: true) == nil else { return }
        let parent = ResolvedPath.folder(of: folder)
        try makeFolders(parent)
        do { try operations.makeFolder(folder, mode: 0o700) } catch {
            guard error == .exists else { throw FileError(.createFolder, folder, error) }
            return  // another process was faster
        }
        if let owner = try ownerOfNew(in: parent) { giveNewFolder(folder, to: owner) }
        unsynchronizedFolders.withLock { _ = $0.insert(parent) }
    }

    /// The owner of what root creates in `folder`; nil if it is this user.
    func ownerOfNew(in folder: String) throws(FileError) -> FileAccess? {
        guard effectiveUser() == 0, let owner = try status(at: folder, followingLinks: false), owner.user != 0 else { return nil }
        return FileAccess(user: owner.user, group: owner.group)
    }

    /// Gives away a folder that root has just created, unless it was replaced, or a link on the way retargeted: such a folder
    /// was renamed long after its last entry changed. In doubt it stays root's.
    private func giveNewFolder(_ folder: String, to owner: FileAccess) {
        guard let descriptor = try? operations.open(folder, for: .folder) else { return }
        defer { operations.close(descriptor) }
        guard let status = try? operations.status(of: descriptor), status.user == 0, status.mode & 0o777 == 0o700,
            status.identity.changed - status.identity.modified < 1_000_000_000, FileAccess.isOpen(descriptor, at: folder, operations)
        else { return }
        try? operations.changeOwner(of: descriptor, user: owner.user, group: owner.group)
    }

    func attempt<Result>(
        _ operation: FileError.Operation, _ path: String, _ call: () throws(SystemErrorCode) -> Result
    ) throws(FileError) -> Result {
        do { return try call() } catch { throw FileError(operation, path, error) }
    }
}
