#if Fleet
    import FoundationEssentials
    public import StoredValues
    import StoredValuesSupport

    extension Fleet {
        /// What is set for `target` itself now, then every change of it; nil while nothing is.
        ///
        /// While the cluster is away the stream waits, and continues with the latest state: steps between may be missing. What does
        /// not decode, or is of a newer version, yields nothing. The stream throws a ``FleetError`` only where waiting is of no use:
        /// the right is missing, or an address or file cannot be used.
        public func values<Item: StorableItem>(
            _ key: String, as type: Item.Type = Item.self, for target: FleetTarget = .everyone
        ) -> some AsyncSequence<Item?, any Error> & Sendable {
            AsyncThrowingStream { continuation in
                let task = Task {
                    do {
                        try await follow(key, target) { record in
                            guard let record else { return _ = continuation.yield(nil) }
                            if let item = try? Self.item(type, in: record, key) { continuation.yield(item) }
                        }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        /// Passes the record now, and each later one, to `receive`, until the task is cancelled.
        private func follow(_ key: String, _ target: FleetTarget, _ receive: (FleetRecord?) -> Void) async throws {
            let place = try Self.place(key, target), etcdKey = keys.key(of: place)
            var last: FleetRecord??
            func show(_ data: Data?) {
                let record = data.map(FleetRecord.init)
                if case .some(.none) = record { return }  // not a record of ours
                guard last != .some(record ?? nil) else { return }
                last = record ?? nil
                receive(record ?? nil)
            }
            var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
            while !Task.isCancelled {
                do {
                    let answer: EtcdRangeAnswer = try await gateway.ask("/v3/kv/range", EtcdRangeRequest(key: etcdKey), patience: .seconds(5))
                    show(answer.kvs?.first.map { $0.value ?? Data() })
                    backoff.reset()
                    var revision = answer.revision
                    try await gateway.watchKey(etcdKey, from: revision + 1) { message in
                        switch WatchVerdict(message, after: revision, in: answer.header.cluster_id) {
                        case .nothing: break
                        case .readAgain(let why): throw EtcdError(reason: .unreachable, sentence: why)
                        case .refused(let why): throw EtcdError(reason: .accessDenied, sentence: why)
                        case .changes(let events, let new):
                            revision = new
                            for event in events { show(event.isDeletion ? nil : event.kv.value ?? Data()) }
                        }
                    }
                } catch let error as EtcdError {
                    guard error.isTransient else {
                        if error.reason == .cancelled { return }
                        throw FleetError(error.asReading, "watch \"\(key)\"")
                    }
                }
                guard await pause(for: backoff.next()) else { return }
            }
        }
    }
#endif
