#if Fleet
    import Dispatch

    /// Runs an agent on a queue of its own, which may wait for the disk.
    final class AgentExecutor: SerialExecutor {
        private let queue = DispatchQueue(label: "StoredValues.fleet-agent")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }
#endif
