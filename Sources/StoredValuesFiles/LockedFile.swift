import FoundationEssentials
import StoredValuesSupport

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A ``DurableFile``, or its ``DurableGeneration``, while its lock is held, until this is destroyed: the only way to change it.
package struct LockedFile: ~Copyable {
    /// The paths when the lock was taken. They do not change while it is held.
    private let paths: FilePaths
    let file: DurableFile
    let lock: Int32
    /// The status of the file when the lock was taken; for a ``DurableGeneration``, that of the original file.
    var found: FileStatus?
    /// Whether the lock file is marked for processes that wait.
    var isMarked = false

    init(paths: FilePaths, file: DurableFile, lock: Int32) { (self.paths, self.file, self.lock) = (paths, file, lock) }

    private var operations: FileOperations { file.operations }
    var path: String { paths.file }
    private var temporaryPath: String { paths.temporary }

    deinit {
        // Not left to closing: a child process between fork and exec may still have the descriptor.
        if isMarked { file.operations.mark(lock, at: nil) }
        file.operations.unlock(lock)
        file.operations.close(lock)
    }

    package func read() throws(FileError) -> FileContents? { try file.read(at: path) }

    /// Whether the lock is still at its path. If it was removed, perhaps with its folder, another process can take a new one.
    package var isInPlace: Bool {
        guard let held = try? operations.status(of: lock).identity else { return false }
        return (try? operations.status(at: paths.lock, followingLinks: false))?.identity.isSameFile(as: held) ?? false
    }

    /// The file's identity and state when the lock was taken; nil if there was none.
    package var identity: FileIdentity? { found?.identity }

    /// Replaces the file with `bytes` atomically, and returns the new identity.
    ///
    /// An existing file's owner, mode, access control list and user attributes are kept (``FileAccess``). A new file has the mode
    /// `modeIfNew` and belongs to this user, or if root creates it, to the folder's owner. With `durably` it survives a power cut when
    /// this returns, which takes as long as the disk takes. If it throws, the file is unchanged, unless the error's operation
    /// is `synchronize` on the folder: then it is replaced, but may not survive a power cut.
    package func replace(with bytes: [UInt8], durably: Bool, modeIfNew: UInt32 = 0o600) throws(FileError) -> FileIdentity {
        // Not the status found with the lock: a mode changed since, while a user's closure runs, must be respected.
        let old = try file.regularFile(at: path, for: .replace)
        var access =
            if let old { FileAccess(of: old, at: path, operations) } else {
                try file.ownerOfNew(in: ResolvedPath.folder(of: path))
            }
        if old == nil, modeIfNew != 0o600 {
            access = access ?? FileAccess(user: effectiveUser(), group: effectiveGroup())
            access?.mode = modeIfNew
        }
        return try replace(old, with: bytes, for: access, durably: durably)
    }

    /// The same with another file's access; `old` is the file to replace.
    func replace(
        _ old: FileStatus?, with bytes: [UInt8], for access: FileAccess?, durably: Bool
    ) throws(FileError) -> FileIdentity {
        FileWatch.noteOwnChange()
        // What is written must be readable again.
        guard bytes.count <= DurableFile.sizeLimit else { throw FileError(.replace, path, .tooLarge(limit: DurableFile.sizeLimit)) }
        // Kept open: otherwise renaming would free the old file, which waits for the disk once more.
        let oldDescriptor = durably && old != nil ? try? operations.open(path, for: .readingWithoutLinks) : nil
        defer { if let oldDescriptor { DeferredClosing.close(oldDescriptor, operations) } }
        let temporaryPath = temporaryPath
        let identity = try makingRoom { () throws(FileError) -> FileIdentity in
            try file.attempt(.replace, path) { () throws(SystemErrorCode) in
                let descriptor = try createTemporary(temporaryPath)
                return try fill(descriptor, at: temporaryPath, with: bytes, for: access, durably: durably) { () throws(SystemErrorCode) in
                    try operations.rename(temporaryPath, to: path)
                    return try operations.status(of: descriptor).identity  // not earlier: renaming changes the status time
                }
            }
        }
        if durably { try makingRoom { () throws(FileError) in try file.syncFolder(of: path) } }
        return identity
    }

    /// Runs `body`, once more if it fails for lack of room: what is to be closed later may have kept some.
    private func makingRoom<Result>(_ body: () throws(FileError) -> Result) throws(FileError) -> Result {
        do { return try body() } catch let error where error.isLackOfRoom {
            DeferredClosing.finish()
            return try body()
        }
    }

    /// Replaces the file with `bytes`, and keeps the old one as `<path>.<suffix>`, or `<path>.<suffix>-1`, `-2` …, whichever is
    /// free. Returns that path too. If it throws, nothing has changed.
    ///
    /// There is a file at any time: a process killed in between leaves the old one, under both names.
    package func replace(
        with bytes: [UInt8], settingAsideAs suffix: String
    ) throws(FileError) -> (identity: FileIdentity, oldPath: String) {
        let oldPath = try addName(suffix)
        do { return (try replace(with: bytes, durably: false), oldPath) } catch {
            try? operations.unlink(oldPath)
            throw error
        }
    }

    /// Adds a second name for the file beside the first. Never overwrites a file.
    private func addName(_ suffix: String) throws(FileError) -> String {
        for attempt in 0..<1000 {
            let candidate = "\(path).\(suffix)" + (attempt == 0 ? "" : "-\(attempt)")
            do {
                try operations.link(path, to: candidate)
                return candidate
            } catch .exists {
                continue
            } catch .notPermitted, .notSupported, .notImplemented, .tooManyNames, .crossDevice {
                // Some file systems have no hard links, Linux forbids linking other users' files (proc(5),
                // protected_hardlinks), and a file that is a mount point is on another file system than its folder.
                if try copy(to: candidate) { return candidate }
            } catch {
                throw FileError(.setAside, path, error)
            }
        }
        throw FileError(.setAside, path, .noFreeName)
    }

    /// Copies the file durably. Returns false if the name is taken.
    private func copy(to newPath: String) throws(FileError) -> Bool {
        guard let old = try file.regularFile(at: path, for: .setAside), let contents = try read() else {
            throw FileError(.setAside, path, .noEntry)
        }
        do throws(SystemErrorCode) {
            let descriptor = try operations.open(newPath, for: .creating), access = FileAccess(of: old, at: path, operations)
            try fill(descriptor, at: newPath, with: contents.bytes, for: access, durably: true) {}
            return true
        } catch {
            guard error == .exists else { throw FileError(.setAside, path, error) }
            return false
        }
    }

    /// Removes the file; succeeds if there is none.
    package func remove() throws(FileError) { try remove(path) }

    /// Removes what a process left that died while replacing the file; succeeds if there is nothing.
    package func removeLeftover() throws(FileError) { try remove(temporaryPath) }

    /// Removes the lock file. Nothing may be done under the lock after this: another process may take a new one at once.
    func removeLock() throws(FileError) { try remove(paths.lock) }

    /// The paths of all files that were set aside when this one was not readable.
    func setAside() throws(FileError) -> [String] {
        let folder = ResolvedPath.folder(of: path), start = "\(path[ResolvedPath.nameStart(of: path)...]).\(Self.setAsideMark)"
        let names: [String]
        do { names = try fileNames(inFolder: folder) } catch {
            guard error.code != .noEntry else { return [] }
            throw error
        }
        return names.filter { $0.after(prefix: start) != nil }.map { "\(folder)/\($0)" }
    }

    /// The beginning of the suffix of a file that is set aside.
    package static let setAsideMark = "rejected-"

    func remove(_ path: String) throws(FileError) {
        do { try operations.unlink(path) } catch { guard error == .noEntry else { throw FileError(.remove, path, error) } }
    }

    /// The temporary file. An existing one was left by a process that died, because only the lock's holder creates one.
    private func createTemporary(_ temporaryPath: String) throws(SystemErrorCode) -> Int32 {
        do { return try operations.open(temporaryPath, for: .creating) } catch .exists {
            try operations.unlink(temporaryPath)
            return try operations.open(temporaryPath, for: .creating)
        }
    }

    /// Writes the new file at `descriptor`, runs `finish` and closes it. If any of it fails, the file at `path` is removed.
    private func fill<Result>(
        _ descriptor: Int32, at path: String, with bytes: [UInt8], for access: FileAccess?, durably: Bool,
        then finish: () throws(SystemErrorCode) -> Result
    ) throws(SystemErrorCode) -> Result {
        defer { operations.close(descriptor) }
        do throws(SystemErrorCode) {
            try access?.give(to: descriptor, at: path, now: try operations.status(of: descriptor), operations)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = try rest.withUnsafeBufferPointer { buffer throws(SystemErrorCode) in
                    try operations.write(descriptor, from: UnsafeRawBufferPointer(buffer))
                }
                guard count > 0 else { throw .ioFailed }  // otherwise this loop would not end
                rest.removeFirst(count)
            }
            if durably { try operations.synchronize(descriptor) } else { try operations.flush(descriptor) }
            return try finish()
        } catch {
            try? operations.unlink(path)
            throw error
        }
    }
}

/// The lock of a file, held until the last reference to this is released, on any thread.
package final class HeldLock: Sendable {
    package let file: LockedFile

    package init(_ file: consuming LockedFile) { self.file = file }
}

package func fileNames(inFolder path: String) throws(FileError) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch {
        let code = ((error as? CocoaError)?.underlying as? POSIXError).map { SystemErrorCode(rawValue: $0.code.rawValue) } ?? .ioFailed
        throw FileError(.read, path, code)
    }
}
