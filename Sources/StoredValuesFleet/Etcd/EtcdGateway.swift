#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    /// The cluster: asks one of its members, and the next one if that does not answer, or not as the cluster does: only what all
    /// members say, or most of them refuse, is the cluster's answer (``MemberFailures``). Who belongs to it ``ClusterVote`` decides.
    final class EtcdGateway: Sendable {
        /// How long one member may take at first (an election takes about a second); doubled when all have failed: a network may be slow.
        static let attemptLimit = Duration.seconds(2)
        /// How long all attempts together may take, if the caller names no other time.
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
        /// How long a line of a watch may be.
        let lineLimit: Int
        private let state: Guarded<State>

        init(_ endpoints: [EtcdEndpoint], _ access: FleetAccess, lineLimit: Int = EtcdConnection.answerLimit) throws(FleetError) {
            guard !endpoints.isEmpty else {
                throw .misconfigured("No member of the cluster is named. Name at least one, such as https://db1.example.com:2379.")
            }
            (self.endpoints, self.access, self.lineLimit) = (endpoints, access, lineLimit)
            // Not always the first: a thousand machines with one list would all ask the same member.
            state = Guarded(
                State(
                    preferred: .random(in: endpoints.indices), vote: ClusterVote(members: endpoints.count),
                    connection: try EtcdConnection(endpoints, access)))
        }

        /// What this machine has is of the cluster with this id: another one counts only if most members belong to it.
        func expect(cluster: String) { state.withLock { $0.vote.expect(cluster) } }

        /// The answer to a request that may be repeated without harm. Asks each member in turn, at most until `timeout` is over, each time for
        /// at most `attempt`, which doubles after each round. `mayHaveHappened` of the error is true if it holds for any of the attempts.
        func ask(
            _ request: EtcdRequest, timeout: Duration = timeout, attempt: Duration = attemptLimit
        ) async throws(EtcdError) -> EtcdAnswer {
            // etcd warns of a limit above 10 MiB. On a slow machine so much does not arrive in time, which would look like no answer.
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

        /// Whether the member may be asked: who knows no cluster yet asks the others too, and only its members get a change, which no error undoes.
        private func isKnown(
            _ member: Int, _ request: EtcdRequest, limit: Duration, end: ContinuousClock.Instant
        ) async throws(EtcdError) -> Bool {
            func isKnown(_ vote: ClusterVote) -> Bool { vote.cluster != nil && (!request.isChange || vote.isOurs(member)) }
            if endpoints.count == 1 || state.withLock({ isKnown($0.vote) }) { return true }
            try await identify(member, request, limit: limit, end: end)
            return state.withLock { isKnown($0.vote) }
        }

        /// Asks the member something of which the answer says to which cluster it belongs.
        private func identify(_ member: Int, _ request: EtcdRequest, limit: Duration, end: ContinuousClock.Instant) async throws(EtcdError) {
            let introduction = EtcdRequest.read(request.key, ["count_only": true])
            do throws(EtcdError) { _ = try await ask(member, introduction, limit: limit, end: end) } catch { throw error.asReading }
        }

        /// The error as what it is worth: the word of one member is enough for what is gone, but an error does not say whether that one
        /// belongs to the cluster.
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

        /// What whoever has this address answers to this one request, whichever cluster it belongs to.
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
                // Once more with a new token: tokens are forgotten by a member that was started again, and expire.
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

        /// Watches a key, or all from it to before `end`, from the change with that revision on, at the member that answered last or the
        /// next one that begins to answer, and passes each answer to `receive`. Returns when the stream ends; throws when it cannot begin
        /// or the cluster ends it with an error. What `receive` throws of the first answers turns to another member, too.
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
        private func check(_ answer: EtcdAnswer, of member: Int) throws(EtcdError) {
            let isOurs = state.withLock { $0.vote.record(answer.cluster, from: member) }
            guard !isOurs else { return }
            throw EtcdError(
                reason: .otherCluster,
                sentence: "\(endpoints[member]) belongs to another cluster (\(answer.cluster.asOneLine(upTo: 20))) than the other members or the last settings",
                mayHaveHappened: true)
        }

        private func turn(awayFrom member: Int, because error: EtcdError? = nil) {
            // The certificates may have been renewed. If they cannot be read, the old ones stay.
            if error?.reason == .untrusted, let new = try? EtcdConnection(endpoints, access) { state.withLock { $0.connection = new } }
            if error?.reason == .notLoggedIn { forgetToken() }
            state.withLock { state in
                // What it said of its cluster was of then.
                if let error, error.reason != .otherCluster { state.vote.record(nil, from: member) }
                if state.preferred == member { state.preferred = (member + 1) % endpoints.count }
            }
        }

        private var connection: EtcdConnection { state.withLock { $0.connection } }

        /// The token of this user; nil if there is none. Logging in takes etcd a tenth of a second, so it is done once.
        private func token(_ endpoint: EtcdEndpoint, within limit: Duration) async throws(EtcdError) -> String? {
            if let token = state.withLock({ $0.token }) { return token }
            let login: (name: String, password: String)?
            do { login = try access.login() } catch { throw EtcdError(reason: .accessDenied, sentence: error.sentence.withoutFullStop) }
            guard let login else { return nil }
            let request = EtcdRequest("/v3/auth/authenticate", ["name": .string(login.name), "password": .string(login.password)])
            do throws(EtcdError) {
                let token = try await post(request, to: endpoint, token: nil, within: limit)["token"]?.stringValue
                // It becomes a header of later requests.
                guard let token, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .unintelligible(endpoint) }
                state.withLock { $0.token = token }
                return token
            } catch {
                throw error.asReading  // what was to be done with the token was not even sent
            }
        }

        /// The next request logs in again.
        func forgetToken() { state.withLock { $0.token = nil } }
    }

    extension String {
        var withoutFullStop: String { utf8.last == UInt8(ascii: ".") ? String(dropLast()) : self }
    }

    /// The lines of a stream that arrives in parts.
    struct EtcdLines: Sendable {
        /// How long one may be.
        var limit = EtcdConnection.answerLimit
        /// What came after the last whole line.
        private(set) var rest: [UInt8] = []

        /// Adds a part, and returns the lines that it completes, without empty ones; nil if one is too long.
        mutating func append(_ part: [UInt8]) -> [[UInt8]]? {
            let start = part.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let lines = start > 0 ? (rest + part[..<start]).split(separator: UInt8(ascii: "\n")).map(Array.init) : []
            rest = start > 0 ? [] : rest
            rest += part[start...]
            return rest.count <= limit ? lines : nil
        }
    }
#endif
