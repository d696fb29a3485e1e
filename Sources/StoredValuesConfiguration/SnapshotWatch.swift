#if Configuration
    import StoredValuesSupport
    import StoredValues

    /// Follows the file and all secrets of a provider for one reader of snapshots, as long as it exists.
    final class SnapshotWatch: Sendable {
        /// An element after each change; a slow reader gets only one.
        let hints: AsyncStream<Void>
        private let heard = Guarded<[String: StoredValuesSnapshot.Answer]>([:])
        private let secretCount: Int
        private let following = Guarded<[Task<Void, Never>]>([])

        init(_ provider: StoredValuesProvider) {
            let (hints, hint) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            self.hints = hints
            secretCount = provider.secrets.count
            let changes = provider.storage.changes  // before the first snapshot, so that no change is missed
            var tasks = [Task { for await _ in changes { hint.yield() } }]
            for (name, secret) in provider.secrets {
                tasks.append(
                    Task { [weak self] in
                        for await answer in secret.answers {
                            guard let self else { return }
                            self.heard.withLock { $0[name] = answer }
                            hint.yield()
                        }
                    })
            }
            following.withLock { [tasks] in $0 = tasks }
        }

        deinit {
            for task in following.withLock({ $0 }) { task.cancel() }
        }

        /// The newest answer about each secret; nil while one is missing.
        var answers: [String: StoredValuesSnapshot.Answer]? {
            let answers = heard.withLock { $0 }
            return answers.count == secretCount ? answers : nil
        }
    }
#endif
