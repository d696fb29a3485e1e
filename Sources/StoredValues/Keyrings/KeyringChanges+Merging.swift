extension KeyringChanges {
    /// What any of `sequences` tells, those of each one in its order. Ends when all have ended.
    init(merging sequences: [KeyringChanges]) {
        self.init {
            // Subscribed before this returns, so that nothing is missed until the task below runs.
            let streams = sequences.map { $0.subscribe() }
            let (merged, continuation) = AsyncStream.makeStream(of: KeyringChange.self)
            let merging = Task.detached {
                await withTaskGroup { group in
                    for stream in streams {
                        group.addTask {
                            for await change in stream { continuation.yield(change) }
                        }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in merging.cancel() }
            return merged
        }
    }
}
