#if Fleet
    import Dispatch

    /// Runs an agent on its own queue, where it may block on the disk.
    final class AgentExecutor: SerialExecutor {
        private let queue = DispatchQueue(label: "StoredValues.fleet-agent")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }
#endif
