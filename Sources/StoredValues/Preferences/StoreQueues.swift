import Dispatch
import Synchronization

/// Where the stores of all files wait for the disk and for writers, so that no caller's thread and no thread of the cooperative
/// pool does.
///
/// Each of the first files has queues of its own; from then on files share them, for a queue that has work has a thread, and a
/// program may open thousands of files. A disk that hangs then holds up the files of its queue.
struct StoreQueues: Sendable {
    /// Runs what waits for the disk.
    let disk = DispatchQueue(label: "StoredValues.preferences")
    /// Reads what others have written. Apart, so that it does not wait for the disk.
    let watching = DispatchQueue(label: "StoredValues.watch")
    /// Waits for what the disk takes too long for.
    let deadlines = DispatchQueue(label: "StoredValues.flush")

    private static let all = (0..<8).map { _ in StoreQueues() }
    private static let count = Atomic(0)

    /// Those of another file.
    static func next() -> StoreQueues { all[count.add(1, ordering: .relaxed).oldValue % all.count] }
}
