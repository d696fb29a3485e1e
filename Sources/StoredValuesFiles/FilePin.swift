import Synchronization

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
            LateClosing.close(descriptor, operations)
        } else {
            operations.close(descriptor)
        }
    }

    /// Notes that this process has replaced the file, so that the pin's end is likely to free it.
    package func noteReplaced() { isReplaced.store(true, ordering: .relaxed) }
}
