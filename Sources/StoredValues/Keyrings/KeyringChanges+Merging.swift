extension KeyringChanges {
    /// What any of `sequences` tells, as `transform` puts it, those of each one in its order. Ends when all have ended.
    init(merging sequences: [KeyringChanges], _ transform: @escaping @Sendable (KeyringChange) -> KeyringChange) {
        self.init {
            // Subscribed before this returns, so that nothing is missed until the task below runs.
            let streams = sequences.map { $0.subscribe() }
            let (merged, continuation) = AsyncStream.makeStream(of: KeyringChange.self)
            let merging = Task.detached {
                await withTaskGroup { group in
                    for stream in streams {
                        group.addTask {
                            for await change in stream { continuation.yield(transform(change)) }
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
