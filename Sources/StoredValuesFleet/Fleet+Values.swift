#if Fleet
    import FoundationEssentials
    public import StoredValues
    import StoredValuesSupport

    extension Fleet {
        /// The item that is set for `target` itself now, then every change of it; nil while none is set.
        ///
        /// While the cluster is unreachable the stream waits, and then continues with the latest state: states in between may be missing. Every
        /// few seconds the cluster is asked whether a change was missed, so a broken connection does not silence the stream. What does
        /// not decode, or is of a newer version, yields nothing. The stream throws a ``FleetError`` only if waiting does not help:
        /// a permission is missing, no certificate is accepted, or an address or file cannot be used.
        public func values<Item: StorableItem>(
            _ key: String, as type: Item.Type = Item.self, for target: FleetTarget = .everyone
        ) -> some AsyncSequence<Item?, any Error> & Sendable {
            AsyncThrowingStream { continuation in
                let task = Task {
                    do {
                        try await SettingFollower(self, try Self.place(key, target)) { record in
                            guard let record else { return _ = continuation.yield(nil) }
                            if let item = try? Self.item(type, in: record, key) { continuation.yield(item) }
                        }.run()
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }
    }

    /// Follows the setting of one target. Like an agent it reads, watches, and asks on another connection whether it has missed a change.
    private actor SettingFollower {
        private let fleet: Fleet
        private let place: FleetKeys.Place
        private let key: Data
        private let receive: @Sendable (FleetRecord?) -> Void
        private var replica: SettingsReplica?
        /// Whether the cluster has refused the watch. The first time, the token may only have been too old.
        private var isRefused = false
        private var last: FleetRecord??

        init(_ fleet: Fleet, _ place: FleetKeys.Place, _ receive: @escaping @Sendable (FleetRecord?) -> Void) {
            (self.fleet, self.place, self.receive, key) = (fleet, place, receive, fleet.keys.key(of: place))
        }

        /// Returns when the task is cancelled; throws if waiting does not help.
        func run() async throws(FleetError) {
            var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
            repeat {
                let begin = ContinuousClock.now
                do {
                    let new = SettingsReplica(try await fleet.gateway.ask(.read(key), timeout: .seconds(5)), fleet.keys)
                    replica = new
                    show()
                    try await untilOneEnds({ try await self.watch(from: new.revision + 1) }, { try await self.confirm() })
                } catch let error as EtcdError {
                    if error.reason == .cancelled { return }
                    guard error.isTransient else { throw FleetError(error.asReading, "watch \"\(place.key.text)\"") }
                } catch {}  // nothing else is thrown
                // After a watch that worked for a while, the next failure is a new one.
                if ContinuousClock.now - begin > .seconds(10) { backoff.reset() }
            } while await pause(for: backoff.next())
        }

        /// Passes the record on, unless it is the same as before or not valid.
        private func show() {
            let entry = replica?.entries[key], record = entry?.record
            guard entry == nil || record != nil, last != .some(record) else { return }
            last = .some(record)
            receive(record)
        }

        private func watch(from revision: Int) async throws {
            do {
                try await fleet.gateway.watch(key, from: revision) { try self.take($0) }
            } catch let error as EtcdError where error.reason == .accessDenied || error.reason == .notLoggedIn {
                guard !isRefused else { throw error }
                isRefused = true
                fleet.gateway.forgetToken()
                throw EtcdError(reason: .unreachable, sentence: error.sentence)
            }
        }

        private func take(_ answer: EtcdAnswer) throws {
            guard let replica else { return }
            switch WatchVerdict(answer, after: replica.revision, in: replica.cluster) {
            case .nothing: isRefused = false
            case .readAgain(let why): throw EtcdError(reason: .unreachable, sentence: why)
            case .refused(let why): throw EtcdError(reason: .accessDenied, sentence: why)
            case .changes(let events, let revision):
                isRefused = false
                // One by one, so that each is passed on.
                for event in events {
                    self.replica?.apply([event], revision: revision)
                    show()
                }
            }
        }

        /// Asks in a loop whether a change was missed. Throws if one was, or if there is no answer twice in a row.
        private func confirm() async throws {
            var isUnanswered = false
            while await pause(for: FleetAgent.interval) {
                guard let asked = replica?.revision else { return }
                let answer: EtcdAnswer
                do throws(EtcdError) { answer = try await fleet.gateway.ask(.read(key, ["keys_only": true]), timeout: .seconds(4)) } catch {
                    guard error.isTransient, !isUnanswered else { throw error }
                    isUnanswered = true
                    continue
                }
                isUnanswered = false
                if case .readAgain(let why) = replica?.confirm(answer, askedAt: asked) { throw EtcdError(reason: .unreachable, sentence: why) }
            }
        }
    }
#endif
