#if Fleet
    import FoundationEssentials
    public import StoredValues
    import StoredValuesSupport

    extension Fleet {
        /// What is set for `target` itself now, then every change of it; nil while nothing is.
        ///
        /// While the cluster is away the stream waits, and continues with the latest state: steps between may be missing. Every few
        /// seconds the cluster is asked whether a change was missed, so that no broken connection keeps the stream silent. What does
        /// not decode, or is of a newer version, yields nothing. The stream throws a ``FleetError`` only where waiting is of no use:
        /// the right is missing, no certificate is accepted, or an address or file cannot be used.
        public func values<Item: StorableItem>(
            _ key: String, as type: Item.Type = Item.self, for target: FleetTarget = .everyone
        ) -> some AsyncSequence<Item?, any Error> & Sendable {
            AsyncThrowingStream { continuation in
                let task = Task {
                    do {
                        let follower = SettingFollower(self, try Self.place(key, target)) { record in
                            guard let record else { return _ = continuation.yield(nil) }
                            if let item = try? Self.item(type, in: record, key) { continuation.yield(item) }
                        }
                        try await follower.run()
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }
    }
#endif
