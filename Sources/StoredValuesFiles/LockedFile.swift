import StoredValuesSupport

/// A ``DurableFile``, or its ``DurableGeneration``, while its lock is held: the only way to change it. The lock is released
/// when this value goes.
package struct LockedFile: ~Copyable {
    /// The real file's path; it stays the same while the lock is held.
    let path: String
    /// What lay there when the lock was taken, or for a ``DurableGeneration``, at the path of the file that it is of.
    let found: FileStatus?
    let file: DurableFile
    let lock: Int32
    /// Whether those who wait for the lock were told when it was taken.
    let isMarked: Bool

    private var operations: any FileOperations { file.operations }
    private var temporaryPath: String { DurableFile.temporaryPath(of: path) }

    deinit {
        // Not left to closing: a child process between fork and exec may still have the descriptor.
        if isMarked { file.operations.markTaken(lock, at: nil) }
        file.operations.unlock(lock)
        file.operations.close(lock)
    }

    /// What the file holds; nil when there is none.
    package func read() throws(FileError) -> FileContents? { try file.read(at: path) }

    /// Which file it was when the lock was taken, and in which state; nil when there was none.
    package var identity: FileIdentity? { found?.identity }

    /// Replaces the file with `bytes` at one instant, and returns what is there then.
    ///
    /// An existing file's owner, mode, access control list and attributes of users are kept (``FileAccess``); a new file is for
    /// nobody but this user, or where root makes it, for the folder's owner. With `durably` it survives a
    /// power cut once this returns, which takes as long as the disk takes. When it throws, the file is as it was, unless
    /// the error's operation is `synchronize` on the folder: then it is replaced, but may not survive a power cut.
    package func replace(with bytes: [UInt8], durably: Bool) throws(FileError) -> FileIdentity {
        // Not what was found with the lock: whoever changes the mode since, while a person's closure runs, is to be heeded.
        let old = try file.regularFile(at: path, for: .replace)
        let access =
            if let old { FileAccess(of: old, at: path, operations) } else {
                try file.ownerOfNew(in: ResolvedPath.folder(of: path))
            }
        return try replace(old, with: bytes, for: access, durably: durably)
    }

    /// The same for another file's people; `old` is what is replaced.
    func replace(
        _ old: FileStatus?, with bytes: [UInt8], for access: FileAccess?, durably: Bool
    ) throws(FileError) -> FileIdentity {
        do {
            return try replaceOnce(old, with: bytes, for: access, durably: durably)
        } catch where error.isLackOfRoom {
            DeferredClosing.finish()  // which may have made room
            return try replaceOnce(old, with: bytes, for: access, durably: durably)
        }
    }

    private func replaceOnce(
        _ old: FileStatus?, with bytes: [UInt8], for access: FileAccess?, durably: Bool
    ) throws(FileError) -> FileIdentity {
        // What is written must be readable again.
        guard bytes.count <= DurableFile.sizeLimit else {
            throw FileError(.replace, path, .tooLarge(limit: DurableFile.sizeLimit))
        }
        // Or renaming would free the old file, for which whoever waits for the disk would wait again.
        let oldDescriptor = durably && old != nil ? try? operations.open(path, for: .readingWithoutLinks) : nil
        defer { if let oldDescriptor { DeferredClosing.close(oldDescriptor, operations) } }
        let temporaryPath = temporaryPath
        let descriptor = try file.attempt(.replace, path) { () throws(SystemErrorCode) in try createTemporary(temporaryPath) }
        defer { operations.close(descriptor) }
        let identity: FileIdentity
        do {
            try fill(descriptor, at: temporaryPath, with: bytes, for: access, durably: durably)
            try operations.rename(temporaryPath, to: path)
            // Not before: renaming changes the time of the last change.
            identity = try operations.status(of: descriptor).identity
        } catch {
            try? operations.unlink(temporaryPath)
            throw FileError(.replace, path, error)
        }
        if durably { try file.synchronizeFolder(of: path) }
        return identity
    }

    /// Replaces the file with `bytes`, and keeps what it was as `<path>.<suffix>`, or `<path>.<suffix>-1`, `-2` …,
    /// whichever is free. Returns that path too. When it throws, everything is as it was.
    ///
    /// At no instant is there no file: one that is killed in between leaves the old one, under both names.
    package func replace(
        with bytes: [UInt8], settingAsideAs suffix: String
    ) throws(FileError) -> (identity: FileIdentity, oldPath: String) {
        let oldPath = try addName(suffix)
        do {
            return (try replace(with: bytes, durably: false), oldPath)
        } catch {
            try? operations.unlink(oldPath)
            throw error
        }
    }

    /// Gives the file a second name beside the first. Overwrites nobody's file.
    private func addName(_ suffix: String) throws(FileError) -> String {
        for attempt in 0..<1000 {
            let candidate = "\(path).\(suffix)" + (attempt == 0 ? "" : "-\(attempt)")
            do {
                try operations.link(path, to: candidate)
                return candidate
            } catch .exists {
                continue
            } catch .notPermitted, .notSupported, .notImplemented, .tooManyNames, .crossDevice {
                // Some file systems have no links, Linux lets nobody link what is not theirs (proc(5), protected_hardlinks), and a
                // file that is mounted by itself lies on another file system than its folder.
                if try copy(to: candidate) { return candidate }
            } catch {
                throw FileError(.setAside, path, error)
            }
        }
        throw FileError(.setAside, path, .noFreeName)
    }

    /// Copies the file, which then survives a power cut there too. Returns false when the name is taken.
    private func copy(to newPath: String) throws(FileError) -> Bool {
        guard let old = try file.regularFile(at: path, for: .setAside), let contents = try read() else {
            throw FileError(.setAside, path, .noEntry)
        }
        do throws(SystemErrorCode) {
            let descriptor = try operations.open(newPath, for: .creating)
            defer { operations.close(descriptor) }
            do throws(SystemErrorCode) {
                let access = FileAccess(of: old, at: path, operations)
                try fill(descriptor, at: newPath, with: contents.bytes, for: access, durably: true)
                return true
            } catch {
                try? operations.unlink(newPath)
                throw error
            }
        } catch .exists {
            return false
        } catch {
            throw FileError(.setAside, path, error)
        }
    }

    /// Removes the file; succeeds when there is none.
    func remove() throws(FileError) { try remove(path) }

    /// Removes what a process left that died while it replaced the file; succeeds when there is nothing.
    package func removeLeftover() throws(FileError) { try remove(temporaryPath) }

    private func remove(_ path: String) throws(FileError) {
        do {
            try operations.unlink(path)
        } catch .noEntry {
            return
        } catch {
            throw FileError(.remove, path, error)
        }
    }

    /// The temporary file. One that is there already was left by a process that died, for only the lock's holder makes one.
    private func createTemporary(_ temporaryPath: String) throws(SystemErrorCode) -> Int32 {
        do {
            return try operations.open(temporaryPath, for: .creating)
        } catch .exists {
            try operations.unlink(temporaryPath)
            return try operations.open(temporaryPath, for: .creating)
        }
    }

    private func fill(
        _ descriptor: Int32, at path: String, with bytes: [UInt8], for access: FileAccess?, durably: Bool
    ) throws(SystemErrorCode) {
        try access?.give(to: descriptor, at: path, now: try operations.status(of: descriptor), operations)
        try writeAll(bytes, to: descriptor)
        if durably { try operations.synchronize(descriptor) }
    }

    private func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemErrorCode) {
        var written = 0
        while written < bytes.count {
            let rest = bytes[written...]
            let count = try rest.withUnsafeBufferPointer { buffer throws(SystemErrorCode) in
                try operations.write(descriptor, from: UnsafeRawBufferPointer(buffer))
            }
            guard count > 0 else { throw .ioFailed }  // or this would go on for ever
            written += count
        }
    }
}
