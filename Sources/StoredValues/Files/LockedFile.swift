/// A ``DurableFile`` while its lock is held: the only way to change it. The lock is released when this value goes.
struct LockedFile: ~Copyable {
    /// The real file's path; it stays the same while the lock is held.
    let path: String
    private let file: DurableFile
    private let lock: Int32

    private var operations: any FileOperations { file.operations }
    private var temporaryPath: String { DurableFile.temporaryPath(of: path) }

    init(path: String, file: DurableFile, lock: Int32) {
        self.path = path
        self.file = file
        self.lock = lock
    }

    deinit {
        // Not left to closing: a child process between fork and exec may still have the descriptor.
        file.operations.unlock(lock)
        file.operations.close(lock)
    }

    /// What the file holds; nil when there is none.
    func read() throws(FileError) -> FileContents? {
        try file.read(at: path)
    }

    /// Which file it is and in which state; nil when there is none.
    func identity() throws(FileError) -> FileIdentity? {
        try existing(for: .examine)?.identity
    }

    /// Replaces the file with `bytes` at one instant, and returns what is there then.
    ///
    /// An existing file's mode and owner are kept; a new file is for nobody but this user. With `durably` it survives a
    /// power cut once this returns, which takes as long as the disk takes. When it throws, the file is as it was, unless
    /// the error's operation is `synchronize` on the folder: then it is replaced, but may not survive a power cut.
    func replace(with bytes: [UInt8], durably: Bool) throws(FileError) -> FileIdentity {
        // What is written must be readable again.
        guard bytes.count <= DurableFile.sizeLimit else {
            throw FileError(.replace, path, .tooLarge(limit: DurableFile.sizeLimit))
        }
        let existing = try existing(for: .replace)
        let descriptor = try file.attempt(.replace, path) { () throws(SystemErrorCode) in try createTemporary() }
        defer { operations.close(descriptor) }
        let identity: FileIdentity
        do {
            if let existing { try keepOwnerAndMode(of: existing, on: descriptor) }
            try writeAll(bytes, to: descriptor)
            if durably { try operations.synchronize(descriptor) }
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

    /// Renames the file to `<path>.<suffix>`, or `<path>.<suffix>-1`, `-2` …, whichever is free, and returns that path.
    func setAside(as suffix: String) throws(FileError) -> String {
        for attempt in 0..<1000 {
            let candidate = "\(path).\(suffix)" + (attempt == 0 ? "" : "-\(attempt)")
            do {
                // An empty file of our own takes the name first, so that renaming can overwrite nobody else's.
                operations.close(try operations.open(candidate, for: .creating))
            } catch .exists {
                continue
            } catch {
                throw FileError(.setAside, path, error)
            }
            do {
                try operations.rename(path, to: candidate)
                return candidate
            } catch {
                try? operations.unlink(candidate)
                throw FileError(.setAside, path, error)
            }
        }
        throw FileError(.setAside, path, .noFreeName)
    }

    /// Removes the file; succeeds when there is none.
    func remove() throws(FileError) {
        do {
            try operations.unlink(path)
        } catch .noEntry {
            return
        } catch {
            throw FileError(.remove, path, error)
        }
    }

    /// Removes what a process left that died while it replaced the file; succeeds when there is nothing.
    func removeLeftover() throws(FileError) {
        do {
            try operations.unlink(temporaryPath)
        } catch .noEntry {
            return
        } catch {
            throw FileError(.remove, temporaryPath, error)
        }
    }

    /// What lies at the path, if it is a file.
    private func existing(for operation: FileError.Operation) throws(FileError) -> FileStatus? {
        guard let status = try file.status(at: path, followingLinks: false) else { return nil }
        guard status.kind == .regular else { throw FileError(operation, path, .notRegular(status.kind)) }
        return status
    }

    /// The temporary file. One that is there already was left by a process that died, for only the lock's holder makes one.
    private func createTemporary() throws(SystemErrorCode) -> Int32 {
        do {
            return try operations.open(temporaryPath, for: .creating)
        } catch .exists {
            try operations.unlink(temporaryPath)
            return try operations.open(temporaryPath, for: .creating)
        }
    }

    private func keepOwnerAndMode(of old: FileStatus, on descriptor: Int32) throws(SystemErrorCode) {
        let new = try operations.status(of: descriptor)
        var mode = old.mode
        if new.user != old.user || new.group != old.group {
            do {
                try operations.changeOwner(of: descriptor, user: old.user, group: old.group)
            } catch {
                // Only root gives files away, but one may give a file to a group of one's own. Where not even that works,
                // another group must not get what was meant for the old one.
                do {
                    try operations.changeOwner(of: descriptor, user: nil, group: old.group)
                } catch {
                    mode = mode & ~0o070 | (mode & 0o007) << 3 & mode
                }
            }
        }
        try operations.changeMode(of: descriptor, to: mode)
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
