import Dispatch

/// Runs the tasks of a test on a queue of their own, one after the other.
final class QueueExecutor: TaskExecutor {
    let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Returns when what was begun before it waits for something else: a call whose task was just made is under way then.
    func allWaiting() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
