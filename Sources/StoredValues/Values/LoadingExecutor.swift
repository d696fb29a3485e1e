import Dispatch

/// A thread that loads a secret for a blocking getter.
///
/// Blocking getters may occupy all threads of the cooperative pool; a task that prefers this executor makes progress all the
/// same (SE-0417).
final class LoadingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "StoredValues.keyring")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
