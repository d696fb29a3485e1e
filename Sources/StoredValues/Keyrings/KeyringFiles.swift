import StoredValuesFiles
import StoredValuesSupport

/// A file, open for reading, that contains a secret in plaintext. Closed when this value is destroyed.
struct SecretFile: ~Copyable {
    let path: String
    let status: FileStatus
    private let descriptor: Int32
    private let operations: any FileOperations

    init(_ path: String, openedFor purpose: OpenPurpose, operations: any FileOperations) throws(SystemErrorCode) {
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

    deinit { operations.close(descriptor) }

    /// All of its bytes, read directly into the secret, without another copy. Throws if their number differs from `status`,
    /// because then the file is being written, and a partial secret is useless.
    ///
    /// - Parameter isLine: See ``Secret/isLine``.
    func contents(isLine: Bool = false) throws(KeyringError) -> Secret {
        do {
            return try Secret(count: Int(status.identity.size), isLine: isLine) { buffer in
                var filled = 0
                while filled < buffer.count {
                    let count = try operations.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                    guard count > 0 else { throw IsChanging() }
                    filled += count
                }
                try requireEnd()
            }
        } catch let code as SystemErrorCode {
            throw KeyringError(FileError(.read, path, code))
        } catch {
            throw .other(domain: "file", code: 0, message: "\"\(path)\" was being changed while it was read; read it again")
        }
    }

    private func requireEnd() throws {
        try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
            defer { wipe(byte) }
            guard try operations.read(descriptor, into: byte) == 0 else { throw IsChanging() }
        }
    }

    private struct IsChanging: Error {}
}

/// The lock of a file, held until the last reference to this is released, on any thread.
final class HeldLock: Sendable {
    /// The file, which can be changed as long as this object exists.
    let file: LockedFile

    init(_ file: consuming LockedFile) { self.file = file }
}

extension DurableFile {
    /// The lock, or nil if another process has it or has waited for it for long.
    func holdIfFree() throws(KeyringError) -> HeldLock? {
        do {
            // With a timeout of zero it would not let waiting processes go first.
            return HeldLock(try lock(timeout: .nanoseconds(1)))
        } catch {
            guard error.isLockTimeout else { throw KeyringError(error) }
            return nil
        }
    }

    /// Waits for the lock until `deadline` has passed, or `isWanted` returns false: a caller that gave up must not delay those
    /// behind it.
    func hold(deadline: Duration, isWanted: () -> Bool) throws(KeyringError) -> HeldLock {
        let end = ContinuousClock.now + deadline
        do {
            return HeldLock(try lock(timeout: deadline) { isWanted() && ContinuousClock.now < end })
        } catch {
            guard error.isLockTimeout else { throw KeyringError(error) }
            throw isWanted() || ContinuousClock.now >= end ? .timedOut(after: deadline) : .cancelled
        }
    }
}
