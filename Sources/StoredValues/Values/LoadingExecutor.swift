import Dispatch

/// A thread on which a secret is loaded for a getter that blocks.
///
/// The getter may be blocking the very threads that tasks run on by default, all of them at once; a task that prefers this
/// executor makes progress all the same (SE-0417).
final class LoadingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "StoredValues.keyring")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
