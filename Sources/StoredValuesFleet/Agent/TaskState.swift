#if Fleet
    import Synchronization

    /// Whether a task was cancelled, for a thread that works for it.
    final class TaskState: Sendable {
        private let flag = Atomic(false)

        var isCancelled: Bool { flag.load(ordering: .relaxed) }

        func cancel() { flag.store(true, ordering: .relaxed) }
    }
#endif
