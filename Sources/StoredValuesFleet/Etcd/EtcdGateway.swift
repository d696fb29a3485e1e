#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    /// A client of the cluster. It asks one member, and the next one after an error. ``MemberFailures`` decides when the members' errors count as the
    /// cluster's answer, ``ClusterVote`` which members belong to the cluster.
    final class EtcdGateway: Sendable {
        /// The time for one attempt at first (an election takes about a second); doubled when all members have failed, for slow networks.
        static let attemptLimit = Duration.seconds(2)
        /// The default time for all attempts together.
        static let timeout = Duration.seconds(15)

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
        /// The maximum length of a line of a watch.
        let lineLimit: Int
        private let state: Guarded<State>

        init(_ endpoints: [EtcdEndpoint], _ access: FleetAccess, lineLimit: Int = EtcdConnection.answerLimit) throws(FleetError) {
            guard !endpoints.isEmpty else {
                throw .misconfigured("No member of the cluster is named. Name at least one, such as https://db1.example.com:2379.")
            }
            (self.endpoints, self.access, self.lineLimit) = (endpoints, access, lineLimit)
            // Random, so that a thousand machines with the same list do not all ask the same member.
            state = Guarded(
                State(
                    preferred: .random(in: endpoints.indices), vote: ClusterVote(members: endpoints.count),
                    connection: try EtcdConnection(endpoints, access)))
        }

        /// Expects the cluster with this id, which this machine's data is from: another one counts only if most members belong to it.
        func expect(cluster: String) { state.withLock { $0.vote.expect(cluster) } }

        /// The answer to an idempotent request. Asks each member in turn until `timeout`, each for at most `attempt`, which doubles after each
        /// round. `mayHaveHappened` of the error is true if it is true for any of the attempts.
        func ask(
            _ request: EtcdRequest, timeout: Duration = timeout, attempt: Duration = attemptLimit
        ) async throws(EtcdError) -> EtcdAnswer {
            // etcd advises against a limit above 10 MiB. A larger request may not arrive in time, which would look like a missing answer.
            guard request.body.count <= Self.requestLimit else {
                throw EtcdError(reason: .tooLarge, sentence: "the request has \(request.body.count >> 20) MiB, more than any cluster takes")
            }
            let end = ContinuousClock.now + timeout
            var failures = MemberFailures(members: endpoints.count)
            var backoff = Backoff(first: .milliseconds(50), longest: .seconds(1))
            while true {
                let member = state.withLock { $0.preferred }
                let limit = attempt * (1 << min(failures.count / endpoints.count, 10))
                do throws(EtcdError) {
                    if try await isKnown(member, request, limit: limit, end: end) {
                        var answer = try await ask(member, request, limit: limit, end: end)
                        answer.isAfterDoubt = failures.mayHaveHappened
                        return answer
                    }
                    turn(awayFrom: member)
                } catch let refusal {
                    let error = await judged(refusal, of: member, request, limit: limit, end: end)
                    failures.add(error, from: member, wasCutShort: ContinuousClock.now >= end)
                    if error.reason == .cancelled { throw failures.cancellation }
                    turn(awayFrom: member, because: error)
                    guard !failures.isFinal, ContinuousClock.now < end else { throw failures.error }
                    guard failures.isRound else { continue }
                    guard await pause(for: min(backoff.next(), end - .now)) else { throw failures.cancellation }
                }
            }
        }

        /// Whether the member may be asked. While the cluster is not known, all members are asked for it first; a change is sent only to a
        /// member that is known to belong to the cluster.
        private func isKnown(
            _ member: Int, _ request: EtcdRequest, limit: Duration, end: ContinuousClock.Instant
        ) async throws(EtcdError) -> Bool {
            func isKnown(_ vote: ClusterVote) -> Bool { vote.cluster != nil && (!request.isChange || vote.isOurs(member)) }
            if endpoints.count == 1 || state.withLock({ isKnown($0.vote) }) { return true }
            try await identify(member, request, limit: limit, end: end)
            return state.withLock { isKnown($0.vote) }
        }

        /// Asks the member a harmless question, whose answer names its cluster.
        private func identify(_ member: Int, _ request: EtcdRequest, limit: Duration, end: ContinuousClock.Instant) async throws(EtcdError) {
            let introduction = EtcdRequest.read(request.key, ["count_only": true])
            do throws(EtcdError) { _ = try await ask(member, introduction, limit: limit, end: end) } catch { throw error.asReading }
        }

        /// The error to count. One member's ``EtcdError/Reason/gone`` is enough for the cluster, but errors do not name a cluster, so the member
        /// is asked for its own.
        private func judged(
            _ error: EtcdError, of member: Int, _ request: EtcdRequest, limit: Duration, end: ContinuousClock.Instant
        ) async -> EtcdError {
            func isOurs() -> Bool { endpoints.count == 1 || state.withLock { $0.vote.isOurs(member) } }
            guard error.reason == .gone, !isOurs() else { return error }
            do throws(EtcdError) { try await identify(member, request, limit: limit, end: end) } catch {
                if error.reason == .otherCluster { return error }
            }
            return isOurs() ? error : EtcdError(reason: .refused, sentence: error.sentence, mayHaveHappened: error.mayHaveHappened)
        }

        private func ask(
            _ member: Int, _ request: EtcdRequest, limit: Duration, end: ContinuousClock.Instant
        ) async throws(EtcdError) -> EtcdAnswer {
            let answer = try await ask(endpoints[member], request, limit: limit, end: end)
            try check(answer, of: member)
            return answer
        }

        /// The answer of the server at this address, whichever cluster it belongs to.
        func ask(
            _ endpoint: EtcdEndpoint, _ request: EtcdRequest, limit longest: Duration = attemptLimit, end: ContinuousClock.Instant = .now + attemptLimit
        ) async throws(EtcdError) -> EtcdAnswer {
            func attempt() async throws(EtcdError) -> EtcdAnswer {
                func limit() -> Duration { max(.milliseconds(1), min(longest, end - .now)) }
                let token = try await token(endpoint, within: limit())
                let json = try await post(request, to: endpoint, token: token, within: limit())
                guard let answer = EtcdAnswer(json) else { throw .unintelligible(endpoint) }
                return answer
            }
            do throws(EtcdError) { return try await attempt() } catch {
                guard error.reason == .notLoggedIn, access.user != nil else { throw error }
                // Once more with a new token: tokens expire, and a restarted member forgets them.
                forgetToken()
                return try await attempt()
            }
        }

        private func post(
            _ request: EtcdRequest, to endpoint: EtcdEndpoint, token: String?, within limit: Duration
        ) async throws(EtcdError) -> JSONValue {
            let (status, body) = try await connection.post(request, to: endpoint, token: token, within: limit)
            guard status == 200 else { throw EtcdError(status: status, body: body, from: endpoint) }
            do throws(JSONSyntaxError) { return try JSONValue(parsing: body) } catch { throw .unintelligible(endpoint) }
        }

        /// Watches a key, or all from it to before `end`, beginning with the change at that revision, and passes each answer to `receive`. Asks
        /// the member that answered last, or the next one until one begins to answer. Returns when the stream ends; throws if it cannot
        /// begin, if the cluster ends it with an error, or what `receive` throws; the next request then goes to another member.
        func watch(
            _ key: Data, to end: Data? = nil, from revision: Int, isolation: isolated (any Actor)? = #isolation,
            _ receive: (EtcdAnswer) async throws -> Void
        ) async throws {
            let request = EtcdRequest.watch(key, to: end, from: revision)
            var failures = MemberFailures(members: endpoints.count)
            while true {
                let member = state.withLock { $0.preferred }, endpoint = endpoints[member]
                var lines = EtcdLines(limit: lineLimit)
                var hasBegun = false
                func take(_ line: [UInt8]) async throws {
                    guard let json = try? JSONValue(parsing: line) else { throw EtcdError.unintelligible(endpoint) }
                    if let problem = json["error"] { throw EtcdError(status: 200, problem, from: endpoint) }
                    guard let answer = json["result"].flatMap(EtcdAnswer.init) else { throw EtcdError.unintelligible(endpoint) }
                    try check(answer, of: member)
                    try await receive(answer)
                }
                do {
                    let token = try await token(endpoint, within: Self.attemptLimit)
                    try await connection.stream(request, to: endpoint, token: token) { part in
                        guard let whole = lines.append(part) else { throw EtcdError.unintelligible(endpoint) }
                        for line in whole { try await take(line) }
                        hasBegun = true
                    }
                    // An error ends the stream without a line break.
                    if !lines.rest.isEmpty { try await take(lines.rest) }
                    return turn(awayFrom: member)  // a member that is stopped ends the stream
                } catch let error as EtcdError {
                    // Cancelled before the first answer: the member was silent for too long.
                    if error.reason != .cancelled || !hasBegun { turn(awayFrom: member, because: error) }
                    guard error.reason != .cancelled, !hasBegun else { throw error }
                    failures.add(error, from: member)
                    guard !failures.isRound else { throw failures.error }
                } catch {
                    // The receiver rejects this member's answer; another one's may be better.
                    turn(awayFrom: member)
                    throw error
                }
            }
        }

        /// Throws if the answer names another cluster than the expected one.
        private func check(_ answer: EtcdAnswer, of member: Int) throws(EtcdError) {
            let isOurs = state.withLock { $0.vote.record(answer.cluster, from: member) }
            guard !isOurs else { return }
            throw EtcdError(
                reason: .otherCluster,
                sentence: "\(endpoints[member]) belongs to another cluster (\(answer.cluster.asOneLine(upTo: 20))) than the other members or the last settings",
                mayHaveHappened: true)
        }

        private func turn(awayFrom member: Int, because error: EtcdError? = nil) {
            // The certificate files may have been renewed. If they cannot be read, the old ones stay in use.
            if error?.reason == .untrusted, let new = try? EtcdConnection(endpoints, access) { state.withLock { $0.connection = new } }
            if error?.reason == .notLoggedIn { forgetToken() }
            state.withLock { state in
                // It may belong to another cluster by the time it answers again.
                if let error, error.reason != .otherCluster { state.vote.record(nil, from: member) }
                if state.preferred == member { state.preferred = (member + 1) % endpoints.count }
            }
        }

        private var connection: EtcdConnection { state.withLock { $0.connection } }

        /// The token of this user; nil without a login. It is kept, because a login takes etcd a tenth of a second.
        private func token(_ endpoint: EtcdEndpoint, within limit: Duration) async throws(EtcdError) -> String? {
            if let token = state.withLock({ $0.token }) { return token }
            let login: (name: String, password: String)?
            do { login = try access.login() } catch { throw EtcdError(reason: .accessDenied, sentence: error.sentence.withoutFullStop) }
            guard let login else { return nil }
            let request = EtcdRequest("/v3/auth/authenticate", ["name": .string(login.name), "password": .string(login.password)])
            do throws(EtcdError) {
                let token = try await post(request, to: endpoint, token: nil, within: limit)["token"]?.stringValue
                // It must be valid in a header.
                guard let token, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .unintelligible(endpoint) }
                state.withLock { $0.token = token }
                return token
            } catch {
                throw error.asReading  // the actual request was not sent
            }
        }

        func forgetToken() { state.withLock { $0.token = nil } }
    }

    extension String {
        var withoutFullStop: String { utf8.last == UInt8(ascii: ".") ? String(dropLast()) : self }
    }

    /// Splits a stream that arrives in parts into lines.
    struct EtcdLines: Sendable {
        /// The maximum length of a line.
        var limit = EtcdConnection.answerLimit
        /// The bytes after the last line break.
        private(set) var rest: [UInt8] = []

        /// Adds a part, and returns the lines that it completes, without empty ones; nil if a line is too long.
        mutating func append(_ part: [UInt8]) -> [[UInt8]]? {
            let start = part.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let lines = start > 0 ? (rest + part[..<start]).split(separator: UInt8(ascii: "\n")).map(Array.init) : []
            rest = start > 0 ? [] : rest
            rest += part[start...]
            return rest.count <= limit ? lines : nil
        }
    }
#endif
