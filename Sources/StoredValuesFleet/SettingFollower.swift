#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    /// Passes on what is set for one target, and each change of it.
    ///
    /// As an agent does with all settings: it reads, watches, and asks on another connection whether it has missed anything.
    actor SettingFollower {
        private let fleet: Fleet
        private let place: FleetKeys.Place
        private let key: Data
        private let receive: @Sendable (FleetRecord?) -> Void
        private var replica: SettingsReplica?
        /// Whether the cluster has refused the watch; the login may only have been too old for it.
        private var isRefused = false
        private var last: FleetRecord??

        init(_ fleet: Fleet, _ place: FleetKeys.Place, _ receive: @escaping @Sendable (FleetRecord?) -> Void) {
            (self.fleet, self.place, self.receive) = (fleet, place, receive)
            key = fleet.keys.key(of: place)
        }

        /// Ends when the task is cancelled; throws where waiting is of no use.
        func run() async throws(FleetError) {
            var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
            repeat {
                let begin = ContinuousClock.now
                do {
                    try await read()
                    try await withThrowingTaskGroup { group in
                        group.addTask { try await self.watch() }
                        group.addTask { try await self.confirm() }
                        try await group.next()
                        group.cancelAll()
                    }
                } catch let error as EtcdError {
                    if error.reason == .cancelled { return }
                    guard error.isTransient else { throw FleetError(error.asReading, "watch \"\(place.key.text)\"") }
                } catch {}  // nothing else is thrown
                // Once it has worked for a while, the next failure is another one.
                if ContinuousClock.now - begin > .seconds(10) { backoff.reset() }
            } while await pause(for: backoff.next())
        }

        private func read() async throws {
            let answer: EtcdRangeAnswer = try await fleet.gateway.ask("/v3/kv/range", EtcdRangeRequest(key: key), patience: .seconds(5))
            replica = SettingsReplica(answer, fleet.keys)
            show()
        }

        /// Passes on what is there, unless that is what was there before, or no record of ours.
        private func show() {
            let record: FleetRecord?
            switch replica?.entries[key]?.content {
            case .setting(_, let found): record = found
            case nil: record = nil
            case .broken, .other: return
            }
            guard last != .some(record) else { return }
            last = .some(record)
            receive(record)
        }

        private func watch() async throws {
            guard let replica else { return }
            do {
                try await fleet.gateway.watchKey(key, from: replica.revision + 1) { try self.take($0) }
            } catch let error as EtcdError where error.reason == .accessDenied || error.reason == .notLoggedIn {
                guard !isRefused else { throw error }
                isRefused = true
                fleet.gateway.forgetToken()
                throw EtcdError(reason: .unreachable, sentence: error.sentence)
            }
        }

        private func take(_ answer: EtcdWatchMessage.Answer) throws {
            guard let replica else { return }
            switch WatchVerdict(answer, after: replica.revision, in: replica.cluster) {
            case .nothing: isRefused = false
            case .readAgain(let why): throw EtcdError(reason: .unreachable, sentence: why)
            case .refused(let why): throw EtcdError(reason: .accessDenied, sentence: why)
            case .changes(let events, let revision):
                isRefused = false
                // One after another, so that each is shown.
                for event in events {
                    self.replica?.apply([event], revision: revision)
                    show()
                }
            }
        }

        /// Asks again and again whether all that the cluster has is here. Throws if it is not, or cannot be asked.
        private func confirm() async throws {
            var request = EtcdRangeRequest(key: key)
            request.keys_only = true
            var isUnanswered = false
            while await pause(for: FleetAgent.interval) {
                guard let asked = replica?.revision else { return }
                let answer: EtcdRangeAnswer
                do throws(EtcdError) {
                    answer = try await fleet.gateway.ask("/v3/kv/range", request, patience: .seconds(4))
                } catch {
                    guard error.isTransient, !isUnanswered else { throw error }
                    isUnanswered = true
                    continue
                }
                isUnanswered = false
                if case .readAgain(let why) = replica?.confirm(answer, askedAt: asked) {
                    throw EtcdError(reason: .unreachable, sentence: why)
                }
            }
        }
    }
#endif
