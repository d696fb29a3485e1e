import Dispatch
import Synchronization

/// The queues on which stores wait for the disk and for writers, so that no thread of a caller or of the cooperative pool does.
///
/// The first files have separate queues; later ones share them, because a busy queue occupies a thread, and a program may open
/// thousands of files. A disk that hangs then delays the files of its queue.
struct StoreQueues: Sendable {
    /// Waits for the disk.
    let disk = DispatchQueue(label: "StoredValues.preferences")
    /// Reads what others have written. Separate, so that it does not wait for the disk.
    let watching = DispatchQueue(label: "StoredValues.watch")

    private static let all = (0..<8).map { _ in StoreQueues() }
    private static let count = Atomic(0)

    /// The queues for another file.
    static func next() -> StoreQueues { all[count.add(1, ordering: .relaxed).oldValue % all.count] }
}
