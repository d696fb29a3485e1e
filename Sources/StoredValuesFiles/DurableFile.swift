import StoredValuesSupport

/// One file that is replaced as a whole, under a lock that other processes respect too.
///
/// - Readers need no lock: they see the bytes before a replacement or those after it, never a mixture.
/// - Writers call ``lock(timeout:while:)`` and change the file through the ``LockedFile``.
/// - Symbolic links are followed anew each time; the file they lead to is replaced and the links are kept.
///
/// Beside the real file lie `<name>.lock`, which is never removed (whoever waits for it would wait for another file
/// than the next one), for the time of a replacement `.<name>.stored-values.tmp`, and where one is kept the
/// ``DurableGeneration``. What root makes there is for whoever owns the file or the folder, or it would lock them out.
package final class DurableFile: Sendable {
    /// The most that is read. What is kept in such files is far smaller; a mistaken path need not fill the memory.
    package static let sizeLimit = 64 << 20

    /// The path as it was given, made absolute; as it was given where there is no folder to begin at, and then every use fails.
    package let path: String
    package let operations: any FileOperations

    /// Folders that gained a folder of ours and were not synchronised since.
    private let unsynchronizedFolders = Guarded<Set<String>>([])

    /// The file at `path`; a relative one begins at the folder the process works in now. Touches nothing.
    package init(path: String, operations: any FileOperations = POSIXFileOperations()) {
        // The system would take what stands before it for the whole path.
        requireProperUse(!path.utf8.contains(0), "DurableFile(path:): the path contains a NUL character")
        self.path = path.begins(with: "/") ? path : workingFolder().map { "\($0)/\(path)" } ?? path
        self.operations = operations
    }

    /// The real file's path, all links followed.
    package var resolvedPath: String {
        get throws(FileError) { try resolve().target }
    }

    /// The real file's path where it can be told, else the path as it was given: what makes two paths one file.
    package var place: String { (try? resolvedPath) ?? path }

    /// The real file's path and the links that lead there.
    func resolve() throws(FileError) -> ResolvedPath {
        let (way, obstacle) = ResolvedPath.follow(path, operations: operations)
        if let obstacle { throw obstacle }
        return way
    }

    /// What the file holds now; nil when there is none. Refuses anything but a regular file, without waiting for it.
    package func read() throws(FileError) -> FileContents? {
        try ResolvedPath.requireAbsolute(path)
        return try read(at: path)
    }

    /// Which file it is and in which state; nil when there is none.
    package func currentIdentity() throws(FileError) -> FileIdentity? {
        try ResolvedPath.requireAbsolute(path)
        return try regularFile(at: path, followingLinks: true, for: .examine)?.identity
    }

    /// Whether a replacement is going on, or a process died in the middle of one and left its bytes.
    package func hasLeftover() throws(FileError) -> Bool {
        try status(at: Self.temporaryPath(of: resolvedPath), followingLinks: false) != nil
    }

    /// Where the bytes lie that are to replace `target`, the real file's path. Nobody else has a use for that name, so what
    /// lies there may be removed by whoever holds the lock.
    static func temporaryPath(of target: String) -> String {
        let name = ResolvedPath.name(of: target), suffix = ".stored-values.tmp", longest = 255
        let folder = target.utf8.dropLast(name.utf8.count)
        let isTooLong = 1 + name.utf8.count + suffix.utf8.count > longest
        return "\(Substring(folder)).\(isTooLong ? shortName(for: name) : name)\(suffix)"
    }

    /// Stands for a name that is too long; hardly any two share it (FNV-1a, 64 bits).
    package static func shortName(for name: String) -> String {
        String(name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }

    /// Brings what is there now to the disk: the file, then the folders that name it. Needs no lock.
    package func sync() throws(FileError) {
        try syncContents()
        try syncFolder(of: resolvedPath)
    }

    /// Brings the file's bytes to the disk, if there is a file. What is there after a power cut may still be an older one.
    package func syncContents() throws(FileError) { try syncContents(of: resolvedPath) }

    func syncContents(of target: String) throws(FileError) {
        do { try synchronize(target, openedFor: .reading) } catch { guard error.code == .noEntry else { throw error } }
    }

    /// Brings to the disk which file is there at `target`, the real file's path, or that there is none.
    func syncFolder(of target: String) throws(FileError) {
        // A folder that is gone leaves nothing to do.
        do { try synchronizeFolder(of: target) } catch { guard error.code == .noEntry else { throw error } }
    }

    /// Brings to the disk that the folder of `target` and those above it exist; another process may have made them just now.
    func syncAncestors(of target: String) throws(FileError) {
        var folder = ResolvedPath.folder(of: target)
        while folder != "/" {
            folder = ResolvedPath.folder(of: folder)
            do {
                try synchronize(folder, openedFor: .folder)
                unsynchronizedFolders.withLock { _ = $0.remove(folder) }
            } catch {
                // In what may not be read, or is gone, none of ours has made a folder.
                guard error.code == .accessDenied || error.code == .noEntry else { throw error }
            }
        }
    }
}

// What LockedFile and the lock are made of.
extension DurableFile {
    func read(at path: String) throws(FileError) -> FileContents? {
        let descriptor: Int32
        do {
            descriptor = try operations.open(path, for: .reading)
        } catch .noEntry {
            return nil
        } catch .noDeviceOrPeer {
            throw FileError(.read, path, .notRegular(.socket))
        } catch {
            throw FileError(.read, path, error)
        }
        defer { operations.close(descriptor) }
        let status = try attempt(.read, path) { () throws(SystemErrorCode) in try operations.status(of: descriptor) }
        guard status.kind == .regular else { throw FileError(.read, path, .notRegular(status.kind)) }
        guard status.identity.size <= Self.sizeLimit else { throw FileError(.read, path, .tooLarge(limit: Self.sizeLimit)) }
        // One byte more than expected, so that the end is found without reading again. A file that grows is read on.
        var bytes: [UInt8] = []
        var chunk = Int(status.identity.size) + 1
        while true {
            let part = try attempt(.read, path) { () throws(SystemErrorCode) in try read(descriptor, atMost: chunk) }
            if bytes.isEmpty { bytes = part } else { bytes += part }
            guard bytes.count <= Self.sizeLimit else { throw FileError(.read, path, .tooLarge(limit: Self.sizeLimit)) }
            if part.isEmpty { return FileContents(bytes: bytes, identity: status.identity) }
            chunk = max(4096, chunk - part.count)
        }
    }

    private func read(_ descriptor: Int32, atMost limit: Int) throws(SystemErrorCode) -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: limit) { buffer, count throws(SystemErrorCode) in
            count = try operations.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// What lies at `path`, or nil.
    package func status(at path: String, followingLinks: Bool) throws(FileError) -> FileStatus? {
        do {
            return try operations.status(at: path, followingLinks: followingLinks)
        } catch .noEntry {
            return nil
        } catch {
            throw FileError(.examine, path, error)
        }
    }

    /// What lies at `path`, which must be a file; nil when there is nothing.
    func regularFile(
        at path: String, followingLinks: Bool = false, for operation: FileError.Operation
    ) throws(FileError) -> FileStatus? {
        guard let status = try status(at: path, followingLinks: followingLinks) else { return nil }
        guard status.kind == .regular else { throw FileError(operation, path, .notRegular(status.kind)) }
        return status
    }

    /// Makes `folder` and the parents it lacks, for nobody but this user or, where root makes them, the parent's owner.
    func makeFolders(_ folder: String) throws(FileError) {
        guard try status(at: folder, followingLinks: true) == nil else { return }
        let parent = ResolvedPath.folder(of: folder)
        try makeFolders(parent)
        do {
            try operations.makeFolder(folder, mode: 0o700)
        } catch .exists {
            return  // another process was faster
        } catch {
            throw FileError(.createFolder, folder, error)
        }
        if let owner = try ownerOfNew(in: parent) { giveNewFolder(folder, to: owner) }
        unsynchronizedFolders.withLock { _ = $0.insert(parent) }
    }

    /// Whose it is to be what root makes in `folder`; nil when it is to be this user's.
    func ownerOfNew(in folder: String) throws(FileError) -> FileAccess? {
        guard effectiveUser() == 0, let owner = try status(at: folder, followingLinks: false), owner.user != 0 else { return nil }
        return FileAccess(user: owner.user, group: owner.group)
    }

    /// Gives away a folder that root has just made, unless somebody has put another in its place, or turned one on the way. That
    /// one was renamed long after its last entry came or went. Where it cannot be told, it stays root's.
    private func giveNewFolder(_ folder: String, to owner: FileAccess) {
        guard let descriptor = try? operations.open(folder, for: .folder) else { return }
        defer { operations.close(descriptor) }
        guard let status = try? operations.status(of: descriptor), status.user == 0, status.mode & 0o777 == 0o700,
            status.identity.changed - status.identity.modified < 1_000_000_000, FileAccess.lies(descriptor, at: folder, operations)
        else { return }
        try? operations.changeOwner(of: descriptor, user: owner.user, group: owner.group)
    }

    /// Brings to the disk the folder of `target`, and the parents of folders that were made for it.
    func synchronizeFolder(of target: String) throws(FileError) {
        try synchronize(ResolvedPath.folder(of: target), openedFor: .folder)
        for folder in unsynchronizedFolders.withLock({ $0 }) {
            try synchronize(folder, openedFor: .folder)
            unsynchronizedFolders.withLock { _ = $0.remove(folder) }
        }
    }

    private func synchronize(_ path: String, openedFor purpose: OpenPurpose) throws(FileError) {
        try attempt(.synchronize, path) { () throws(SystemErrorCode) in
            let descriptor = try operations.open(path, for: purpose)
            defer { operations.close(descriptor) }
            do throws(SystemErrorCode) {
                try operations.synchronize(descriptor)
            } catch {
                // Some file systems synchronise no folders; there is nothing more to be had there.
                guard purpose == .folder, error == .invalidArgument else { throw error }
            }
        }
    }

    func attempt<Result>(
        _ operation: FileError.Operation, _ path: String, _ call: () throws(SystemErrorCode) -> Result
    ) throws(FileError) -> Result {
        do { return try call() } catch { throw FileError(operation, path, error) }
    }
}
