import Dispatch
import Synchronization

/// Identifies a file and its state, as cheaply as the system can. While a ``FilePin`` holds the file, two equal identities mean
/// the same bytes, unless a program writes in place, the same number of bytes, twice within one tick of the kernel's clock (at most
/// 10 ms).
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    // Times in the file system's resolution: nanoseconds since 1970.
    package var modified: Int64
    var changed: Int64

    package func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }

    /// Whether both are one file without a write in between. Renaming does not count.
    package func isUnwritten(since earlier: FileIdentity?) -> Bool {
        guard let earlier else { return false }
        return isSameFile(as: earlier) && size == earlier.size && modified == earlier.modified
    }
}

/// The bytes of a file and its identity just before they were read.
package struct FileContents: Equatable, Sendable {
    package var bytes: [UInt8]
    package var identity: FileIdentity
}

/// Prevents the reuse of a file's inode: while this exists, an equal ``FileIdentity`` is the same file. Without it, two states of a
/// frequently written file may look equal: file systems reuse the inode of a deleted file at once (seen on ext4: every other
/// replacement has the same one), and their clocks tick in milliseconds.
package final class FilePin: Sendable {
    package let identity: FileIdentity
    private let descriptor: Int32
    private let operations: FileOperations
    private let isReplaced = Atomic(false)

    /// Pins the file at `path`, if it still has this identity.
    package init?(_ identity: FileIdentity, at path: String, _ operations: FileOperations) {
        guard let descriptor = try? operations.open(path, for: .reading) else { return nil }
        (self.identity, self.descriptor, self.operations) = (identity, descriptor, operations)
        guard (try? operations.status(of: descriptor))?.identity == identity else { return nil }
    }

    deinit {
        // Only for replaced files: Dispatch may trap if no file descriptors are left (seen when all pins were closed on another thread).
        if isReplaced.load(ordering: .relaxed) { DeferredClosing.close(descriptor, operations) } else { operations.close(descriptor) }
    }

    /// Notes that this process has replaced the file, so that releasing the pin probably frees it.
    package func noteReplaced() { isReplaced.store(true, ordering: .relaxed) }
}

/// Closes the descriptors of replaced files on another thread, because closing the last one frees the file. On ext4 that takes a third of
/// the time of a whole replacement, and as long as an fsync while others use the disk. Only a process that finds the disk full waits for it.
enum DeferredClosing {
    /// How many descriptors may wait. A program that replaces files faster than they are freed closes them itself.
    static let limit = 16
    private static let places = DispatchSemaphore(value: limit)
    private static let queue = DispatchQueue(label: "StoredValues.close")

    static func close(_ descriptor: Int32, _ operations: FileOperations) {
        guard places.wait(timeout: .now()) == .success else { return operations.close(descriptor) }
        queue.async {
            operations.close(descriptor)
            places.signal()
        }
    }

    /// Returns when the currently waiting descriptors are closed.
    static func finish() { queue.sync {} }
}
