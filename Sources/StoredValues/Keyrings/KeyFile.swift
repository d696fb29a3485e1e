/// A file that holds nothing but a key. Read anew for each derivation, and never kept.
struct KeyFile {
    private static let leastByteCount = 32
    private static let mostByteCount = 1 << 16

    let path: String
    let operations: any FileOperations

    /// The key; throws unless the file is a regular one, long enough, of this user or root, and open to nobody else.
    func read() throws(KeyringError) -> Secret {
        let descriptor: Int32
        let status: FileStatus
        do {
            descriptor = try operations.open(path, for: .readingWithoutLinks)
        } catch .linkCircle {
            throw failure(2, "is a symbolic link; name the file itself")
        } catch .noEntry {
            throw failure(1, "is missing; restore it from a copy, or make it as the documentation of EncryptedFileKey says")
        } catch {
            throw KeyringError(FileError(.read, path, error))
        }
        defer { operations.close(descriptor) }
        do {
            status = try operations.status(of: descriptor)
        } catch {
            throw KeyringError(FileError(.read, path, error))
        }
        guard status.kind == .regular else { throw failure(3, "is \(status.kind.rawValue), not a regular file") }
        // The owner first: a stranger may change the mode at any time.
        guard status.user == effectiveUser() || status.user == 0, status.mode & 0o077 == 0 else { throw .accessDenied }
        guard status.identity.size >= Self.leastByteCount else { throw failure(4, "has fewer than 32 bytes") }
        guard status.identity.size <= Self.mostByteCount else { throw failure(5, "has more than 64 KiB") }
        do {
            return try Secret(count: Int(status.identity.size)) { buffer in try fill(buffer, from: descriptor) }
        } catch let code as SystemErrorCode {
            throw KeyringError(FileError(.read, path, code))
        } catch {
            throw failure(6, "could not be read: \(error)")
        }
    }

    /// Makes the key file unless something is there already; whether that is a key, ``read()`` finds out.
    func makeIfMissing() throws(KeyringError) {
        let file = DurableFile(path: path, operations: operations)
        do throws(FileError) {
            guard try file.status(at: file.path, followingLinks: false) == nil else { return }
            // Under a lock and by renaming, so that no process ever sees half a key, not even after a power cut.
            let locked = try file.lock()
            guard try locked.identity() == nil else { return }
            var key = EncryptedFileSeal.randomBytes(Self.leastByteCount)
            defer { key.withUnsafeMutableBytes { wipe($0) } }
            _ = try locked.replace(with: key, durably: true)
        } catch {
            throw KeyringError(error)
        }
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) throws {
        var filled = 0
        while filled < buffer.count {
            let count = try operations.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            guard count > 0 else { throw SystemErrorCode.ioFailed }  // it was cut off meanwhile
            filled += count
        }
    }

    private func failure(_ code: Int, _ what: String) -> KeyringError {
        .other(domain: "EncryptedFileKey", code: code, message: "the key file \"\(path)\" \(what)")
    }
}

extension KeyringError {
    /// What a keyring that keeps a file says when that file fails.
    init(_ error: FileError) {
        self =
            switch error.reason {
            case .system(.accessDenied), .system(.notPermitted): .accessDenied
            case .system(.readOnly): .readOnly
            case .lockTimedOut(let time): .timedOut(after: time)
            default: .other(domain: "file", code: Int(error.code?.rawValue ?? 0), message: error.description)
            }
    }
}
