package import StoredValuesFiles
package import StoredValuesSupport

/// A file, open for reading, that contains a secret in plaintext. Closed when this value is destroyed.
package struct SecretFile: ~Copyable {
    /// Who provides a file, which decides who else may read it. Nobody else may write it.
    package enum Provider: Sendable {
        /// The user or this package, for this user only.
        case own
        /// systemd, in a folder that only the service can enter. The mode's group bits are then the mask of the access list
        /// (acl(5)) by which systemd admits the service's user.
        case credential
        /// A container's runtime, by symbolic links or readable for all: there are no other users inside.
        case mounted

        fileprivate var purpose: OpenPurpose { self == .mounted ? .reading : .readingWithoutLinks }
        fileprivate var forbiddenMode: UInt32 {
            switch self {
            case .own: 0o077
            case .credential: 0o037
            case .mounted: 0o022
            }
        }
    }

    /// Why a file was refused.
    package enum Refusal: Error {
        /// It cannot be opened: `.noEntry` if it is missing, `.linkCircle` if it is a link and must not be one.
        case system(SystemErrorCode)
        case notRegular(FileKind)
        /// Others than its provider permits may read or write it, or it is another user's.
        case notPrivate
    }

    let path: String
    package let status: FileStatus
    private let descriptor: Int32
    private let operations: FileOperations

    init(_ path: String, openedFor purpose: OpenPurpose, operations: FileOperations) throws(SystemErrorCode) {
        let descriptor = try operations.open(path, for: purpose)
        do {
            status = try operations.status(of: descriptor)
        } catch {
            operations.close(descriptor)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
        self.operations = operations
    }

    /// Opens a file of which only its provider's users can know the content.
    package static func open(
        _ path: String, from provider: Provider, operations: FileOperations = .posix
    ) throws(Refusal) -> SecretFile {
        let file: SecretFile
        do { file = try SecretFile(path, openedFor: provider.purpose, operations: operations) } catch { throw .system(error) }
        guard file.status.kind == .regular else { throw .notRegular(file.status.kind) }
        // The owner first: another owner may change the mode at any time.
        guard file.isTrusted(provider), file.status.mode & provider.forbiddenMode == 0 else { throw .notPrivate }
        return file
    }

    /// Whether its owner may own it. Root accepts the owner of the folder, because files that root creates there belong to them.
    private func isTrusted(_ provider: Provider) -> Bool {
        let reader = effectiveUser()
        if status.user == reader || status.user == 0 { return true }
        guard reader == 0, provider == .own else { return false }
        let folder = ResolvedPath.folder(of: DurableFile(path: path, operations: operations).path)
        return (try? operations.status(at: folder, followingLinks: true))?.user == status.user
    }

    deinit { operations.close(descriptor) }

    /// All of its bytes, read directly into the secret, without another copy. Throws if their number differs from `status`,
    /// because then the file is being written.
    package func contents(isLine: Bool = false) throws(KeyringError) -> Secret {
        do {
            return try Secret(count: Int(status.identity.size), isLine: isLine) { buffer in
                var filled = 0
                while filled < buffer.count {
                    let count = try operations.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                    guard count > 0 else { throw IsChanging() }
                    filled += count
                }
                // One more byte means that the file is growing.
                try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
                    defer { wipe(byte) }
                    guard try operations.read(descriptor, into: byte) == 0 else { throw IsChanging() }
                }
            }
        } catch let code as SystemErrorCode {
            throw KeyringError(FileError(.read, path, code))
        } catch {
            throw .other(domain: "file", code: 0, message: "\"\(path)\" was being changed while it was read; read it again")
        }
    }

    private struct IsChanging: Error {}
}

/// The result of `call`. Its error becomes that of the keyring that the file belongs to.
func translatingErrors<Result>(_ call: @autoclosure () throws(FileError) -> Result) throws(KeyringError) -> Result {
    do { return try call() } catch { throw KeyringError(error) }
}

extension DurableFile {
    /// Waits for the lock as long as `isWanted`: a caller that gave up must not delay those behind it.
    func hold(within limit: Duration = .seconds(1 << 32), while isWanted: () -> Bool) throws(KeyringError) -> HeldLock {
        do { return HeldLock(try lock(timeout: limit, while: isWanted)) } catch {
            throw error.isLockTimeout && !isWanted() ? .cancelled : KeyringError(error)
        }
    }
}
