#if Fleet
    import NIOCore
    import StoredValuesSupport

    /// The cluster: asks one of its members, and the next one if that does not answer, or not as the cluster does: only what all
    /// members say, or most of them refuse, is the cluster's answer (``MemberFailures``). Who belongs to it ``ClusterVote`` decides.
    final class EtcdGateway: Sendable {
        /// How long one member may take for one answer at first (an election takes about a second). When all have failed it is
        /// doubled: a large answer may take longer by a slow network.
        static let attemptLimit = Duration.seconds(2)
        /// How long all attempts together may take, if the caller names no other time.
        static let patience = Duration.seconds(15)

        /// The largest request that is sent.
        private static let requestLimit = 16 << 20

        private struct State {
            /// The position of the member that answered last.
            var preferred: Int
            var vote: ClusterVote
            var token: String?
            var connection: EtcdConnection
        }

        let endpoints: [EtcdEndpoint]
        private let access: FleetAccess
        private let state: Guarded<State>

        init(_ endpoints: [EtcdEndpoint], _ access: FleetAccess) throws(FleetError) {
            guard !endpoints.isEmpty else {
                throw .misconfigured("No member of the cluster is named. Name at least one, such as https://db1.example.com:2379.")
            }
            (self.endpoints, self.access) = (endpoints, access)
            // Not always the first: a thousand machines with one list would all ask the same member.
            state = Guarded(
                State(
                    preferred: .random(in: endpoints.indices), vote: ClusterVote(members: endpoints.count),
                    connection: try Self.connect(endpoints, access)))
        }

        /// What this machine has is of the cluster with this id: another one counts only if most members belong to it.
        func expect(cluster: String) { state.withLock { $0.vote.expect(cluster) } }

        /// The answer to a request that may be repeated without harm. Asks each member in turn, at most until `patience` is over.
        ///
        /// `mayHaveHappened` of the error is true if it holds for any of the attempts.
        func ask<Answer: EtcdAnswer>(
            _ path: String, _ request: some EtcdRequest, for type: Answer.Type = Answer.self, patience: Duration = patience
        ) async throws(EtcdError) -> Answer {
            let body = try EtcdCoding.bytes(of: request)
            // etcd warns of a limit above 10 MiB. On a slow machine so much does not arrive in time, which would look like no answer.
            guard body.count <= Self.requestLimit else {
                throw EtcdError(reason: .tooLarge, sentence: "the request has \(body.count >> 20) MiB, more than any cluster takes")
            }
            let end = ContinuousClock.now + patience
            var failures = MemberFailures(members: endpoints.count)
            var backoff = Backoff(first: .milliseconds(50), longest: .seconds(1))
            while true {
                let member = state.withLock { $0.preferred }
                let limit = Self.attemptLimit * (1 << min(failures.count / endpoints.count, 10))
                do throws(EtcdError) {
                    if try await isKnown(member, request, limit: limit, end: end) {
                        return try await askOnce(member, path, body, limit: limit, end: end)
                    }
                    turn(awayFrom: member)
                } catch {
                    failures.add(error, from: member, wasCutShort: ContinuousClock.now >= end)
                    if error.reason == .cancelled { throw failures.error(for: .cancelled) }
                    turn(awayFrom: member, because: error)
                    guard !failures.isFinal, ContinuousClock.now < end else { throw failures.error }
                    guard failures.isRound else { continue }
                    guard await pause(for: min(backoff.next(), end - .now)) else { throw failures.error(for: .cancelled) }
                }
            }
        }

        /// Whether the member may be asked: who knows no cluster yet asks the others too, and only members of the cluster get a change,
        /// which no error would undo.
        private func isKnown(
            _ member: Int, _ request: some EtcdRequest, limit: Duration, end: ContinuousClock.Instant
        ) async throws(EtcdError) -> Bool {
            func isKnown(_ vote: ClusterVote) -> Bool { vote.cluster != nil && (!request.isChange || vote.isOurs(member)) }
            if endpoints.count == 1 || state.withLock({ isKnown($0.vote) }) { return true }
            do throws(EtcdError) {
                let body = try EtcdCoding.bytes(of: request.introduction)
                let _: EtcdRangeAnswer = try await askOnce(member, "/v3/kv/range", body, limit: limit, end: end)
            } catch {
                throw error.asReading
            }
            return state.withLock { isKnown($0.vote) }
        }

        /// What a member answers to this one request, within the time of one attempt, whichever cluster it belongs to.
        func askOnce<Answer: EtcdAnswer>(
            _ endpoint: EtcdEndpoint, _ path: String, _ request: some Encodable & Sendable, for type: Answer.Type = Answer.self
        ) async throws(EtcdError) -> Answer {
            try await answer(endpoint, path, EtcdCoding.bytes(of: request), limit: Self.attemptLimit, end: .now + Self.attemptLimit)
        }

        /// Sends a request to the member that answered last, or the next one that begins to answer it, and passes each part of the stream
        /// to `receive`. Before the first part, what that throws of the member's answer turns to the next one, too.
        func stream(
            _ path: String, _ request: some Encodable, isolation: isolated (any Actor)? = #isolation,
            _ receive: (_ member: Int, [UInt8]) async throws -> Void
        ) async throws {
            let body = try EtcdCoding.bytes(of: request)
            var failures = MemberFailures(members: endpoints.count)
            while true {
                let member = state.withLock { $0.preferred }
                var hasBegun = false
                do {
                    let token = try await token(endpoints[member], within: Self.attemptLimit)
                    try await connection.stream(path, body, to: endpoints[member], token: token) { part in
                        try await receive(member, Array(part.readableBytesView))
                        hasBegun = true
                    }
                    return turn(awayFrom: member)  // it has ended, which a member does that is stopped
                } catch let error as EtcdError {
                    // What is cancelled before it has begun was silent for too long.
                    if error.reason != .cancelled || !hasBegun { turn(awayFrom: member, because: error) }
                    guard error.reason != .cancelled, !hasBegun else { throw error }
                    failures.add(error, from: member)
                    guard !failures.isRound else { throw failures.error }
                } catch {
                    // The receiver refuses what this member says; another one may say something else.
                    turn(awayFrom: member)
                    throw error
                }
            }
        }

        /// Throws if the member answers for another cluster than the one that is meant.
        func check(_ header: EtcdHeader, of member: Int) throws(EtcdError) {
            let isOurs = state.withLock { $0.vote.hear(header.cluster_id, from: member) }
            guard !isOurs else { return }
            throw EtcdError(
                reason: .otherCluster,
                sentence: "\(endpoints[member]) belongs to another cluster (\(header.cluster_id.asOneLine(upTo: 20))) than the other members or the last settings",
                mayHaveHappened: true)
        }

        private func turn(awayFrom member: Int, because error: EtcdError? = nil) {
            if error?.reason == .untrusted { renewConnection() }
            if error?.reason == .notLoggedIn { forgetToken() }
            state.withLock { state in
                // What it said of its cluster was of then.
                if let error, error.reason != .otherCluster { state.vote.hear(nil, from: member) }
                if state.preferred == member { state.preferred = (member + 1) % endpoints.count }
            }
        }

        private func askOnce<Answer: EtcdAnswer>(
            _ member: Int, _ path: String, _ body: [UInt8], limit: Duration, end: ContinuousClock.Instant
        ) async throws(EtcdError) -> Answer {
            let answer: Answer = try await answer(endpoints[member], path, body, limit: limit, end: end)
            try check(answer.header, of: member)
            return answer
        }

        private func answer<Answer: Decodable>(
            _ endpoint: EtcdEndpoint, _ path: String, _ body: [UInt8], limit longest: Duration, end: ContinuousClock.Instant
        ) async throws(EtcdError) -> Answer {
            func limit() -> Duration { max(.milliseconds(1), min(longest, end - .now)) }
            let token = try await token(endpoint, within: limit())
            do throws(EtcdError) {
                return try await post(endpoint, path, body, token: token, within: limit())
            } catch {
                guard error.reason == .notLoggedIn, access.user != nil else { throw error }
                // Once more with a new token: tokens are forgotten by a member that was started again, and expire.
                forgetToken()
                let token = try await self.token(endpoint, within: limit())
                return try await post(endpoint, path, body, token: token, within: limit())
            }
        }

        private func post<Answer: Decodable>(
            _ endpoint: EtcdEndpoint, _ path: String, _ body: [UInt8], token: String?, within limit: Duration
        ) async throws(EtcdError) -> Answer {
            let (status, answer) = try await connection.post(path, body, to: endpoint, token: token, within: limit)
            guard status == 200 else { throw EtcdError(status: status, EtcdCoding.problem(answer), from: endpoint) }
            guard let answer = EtcdCoding.answer(Answer.self, from: answer) else { throw .unintelligible(endpoint) }
            return answer
        }

        // MARK: The connection

        private var connection: EtcdConnection { state.withLock { $0.connection } }

        private static func connect(_ endpoints: [EtcdEndpoint], _ access: FleetAccess) throws(FleetError) -> EtcdConnection {
            try EtcdConnection(access, isPlain: endpoints.allSatisfy(\.isPlain))
        }

        /// Reads the certificates again, which may have been renewed. If they cannot be read, the old ones stay.
        private func renewConnection() {
            guard let new = try? Self.connect(endpoints, access) else { return }
            state.withLock { $0.connection = new }
        }

        // MARK: Logging in

        /// The token of this user; nil if there is none. Logging in takes etcd a tenth of a second, so it is done once.
        private func token(_ endpoint: EtcdEndpoint, within limit: Duration) async throws(EtcdError) -> String? {
            if let token = state.withLock({ $0.token }) { return token }
            let login: EtcdLogin?
            do { login = try access.login() } catch { throw EtcdError(reason: .accessDenied, sentence: error.sentence.withoutFullStop) }
            guard let login else { return nil }
            do throws(EtcdError) {
                let body = try EtcdCoding.bytes(of: login)
                let answer: EtcdLoginAnswer = try await post(endpoint, "/v3/auth/authenticate", body, token: nil, within: limit)
                // It becomes a header of later requests.
                guard answer.token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .unintelligible(endpoint) }
                state.withLock { $0.token = answer.token }
                return answer.token
            } catch {
                var error = error
                error.mayHaveHappened = false  // what was to be done with the token was not even sent
                throw error
            }
        }

        /// The next request logs in again.
        func forgetToken() { state.withLock { $0.token = nil } }
    }

    extension String {
        fileprivate var withoutFullStop: String { utf8.last == UInt8(ascii: ".") ? String(dropLast()) : self }
    }
#endif
