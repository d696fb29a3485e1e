import Dispatch
import Synchronization

/// Closes descriptors of files that were replaced, on another thread.
///
/// With the last descriptor of a file that has no name any more, the file system frees the file. On ext4 that takes a third of
/// the time of a whole replacement, and nobody needs to wait for it but who finds the disk full.
package enum LateClosing {
    /// How many descriptors may wait. A program that replaces files faster than they are freed closes them itself.
    package static let limit = 16
    private static let waiting = Atomic(0)
    private static let queue = DispatchQueue(label: "StoredValues.close")

    package static func close(_ descriptor: Int32, _ operations: any FileOperations) {
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
    package static func finish() { queue.sync {} }
}
