import Dispatch
import Synchronization

/// Which file it is and in which state, as cheaply as the system can tell. While a ``FilePin`` holds the file, two equal
/// identities mean the same bytes.
///
/// The exception is a program that writes in place, the same number of bytes, twice within one tick of the kernel's
/// clock (at most 10 ms).
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    // Times as the file system keeps them: nanoseconds since 1970.
    package var modified: Int64
    var changed: Int64

    /// Whether both are one file that nobody wrote in between. That it got another name does not count.
    package func isUnwritten(since earlier: FileIdentity?) -> Bool {
        guard let earlier else { return false }
        return device == earlier.device && inode == earlier.inode && size == earlier.size && modified == earlier.modified
    }
}

/// The bytes of a file and its identity just before they were read.
package struct FileContents: Equatable, Sendable {
    package var bytes: [UInt8]
    package var identity: FileIdentity
}

/// Keeps a file's number from being given to another file: while this lives, an equal ``FileIdentity`` is the same file.
///
/// File systems reuse the number of a file that is gone at once (seen on ext4: every other replacement has the same one),
/// and their clocks tick in milliseconds, so without it two states of a much written file may look equal.
package final class FilePin: Sendable {
    package let identity: FileIdentity
    private let descriptor: Int32
    private let operations: any FileOperations
    private let isReplaced = Atomic(false)

    /// Pins the file at `path`, if that is still the one that `identity` tells of.
    package init?(_ identity: FileIdentity, at path: String, _ operations: any FileOperations) {
        guard let descriptor = try? operations.open(path, for: .reading) else { return nil }
        self.identity = identity
        self.descriptor = descriptor
        self.operations = operations
        guard (try? operations.status(of: descriptor))?.identity == identity else { return nil }
    }

    deinit {
        if isReplaced.load(ordering: .relaxed) {
            DeferredClosing.close(descriptor, operations)
        } else {
            operations.close(descriptor)
        }
    }

    /// Notes that this process has replaced the file, so that the pin's end is likely to free it.
    package func noteReplaced() { isReplaced.store(true, ordering: .relaxed) }
}

/// Closes descriptors of files that were replaced, on another thread.
///
/// With the last descriptor of a file that has no name any more, the file system frees the file. On ext4 that takes a third of
/// the time of a whole replacement, and as long as an fsync where others use the disk; nobody needs to wait for it but who finds
/// the disk full.
enum DeferredClosing {
    /// How many descriptors may wait. A program that replaces files faster than they are freed closes them itself.
    static let limit = 16
    private static let waiting = Atomic(0)
    private static let queue = DispatchQueue(label: "StoredValues.close")

    static func close(_ descriptor: Int32, _ operations: any FileOperations) {
        guard waiting.add(1, ordering: .relaxed).newValue <= limit else {
            waiting.subtract(1, ordering: .relaxed)
            operations.close(descriptor)
            return
        }
        queue.async {
            operations.close(descriptor)
            waiting.subtract(1, ordering: .relaxed)
        }
    }

    /// Returns when those that wait now are closed.
    static func finish() { queue.sync {} }
}
