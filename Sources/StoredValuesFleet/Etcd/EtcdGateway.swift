#if Fleet
    import NIOCore
    import StoredValuesSupport

    /// The cluster: asks one of its members, and the next one if that does not answer.
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
            state = Guarded(State(preferred: .random(in: endpoints.indices), connection: try Self.connect(endpoints, access)))
        }

        /// The answer to a request that may be repeated without harm. Asks each member in turn, at most until `patience` is over.
        ///
        /// `mayHaveHappened` of the error is true if it holds for any of the attempts.
        func ask<Answer: Decodable>(
            _ path: String, _ request: some Encodable & Sendable, for type: Answer.Type = Answer.self, patience: Duration = patience
        ) async throws(EtcdError) -> Answer {
            let body = try EtcdCoding.bytes(of: request)
            // etcd warns of a limit above 10 MiB. On a slow machine so much does not arrive in time, which would look like no answer.
            guard body.count <= Self.requestLimit else {
                throw EtcdError(reason: .tooLarge, sentence: "the request has \(body.count >> 20) MiB, more than any cluster takes")
            }
            let end = ContinuousClock.now + patience
            var mayHaveHappened = false
            var backoff = Backoff(first: .milliseconds(50), longest: .seconds(1))
            var failures = 0
            while true {
                let position = state.withLock { $0.preferred }
                let limit = Self.attemptLimit * (1 << min(failures / endpoints.count, 10))
                do throws(EtcdError) {
                    return try await askOnce(endpoints[position], path, body, limit: limit, end: end)
                } catch {
                    var error = error
                    mayHaveHappened = mayHaveHappened || error.mayHaveHappened
                    error.mayHaveHappened = mayHaveHappened
                    failures += 1
                    // Certificates do not become good by waiting; but those of the first attempt may have been renewed since.
                    let isLasting = error.reason == .untrusted && failures > endpoints.count
                    guard error.isTransient, !isLasting, ContinuousClock.now < end else { throw error }
                    turn(awayFrom: position)
                    guard failures % endpoints.count == 0 else { continue }
                    guard await pause(for: min(backoff.next(), end - .now)) else {
                        throw EtcdError(reason: .cancelled, sentence: "the task was cancelled", mayHaveHappened: mayHaveHappened)
                    }
                }
            }
        }

        /// What one member answers to this one request, within the time of one attempt.
        func askOnce<Answer: Decodable>(
            _ endpoint: EtcdEndpoint, _ path: String, _ request: some Encodable & Sendable, for type: Answer.Type = Answer.self
        ) async throws(EtcdError) -> Answer {
            try await askOnce(endpoint, path, EtcdCoding.bytes(of: request), limit: Self.attemptLimit, end: .now + Self.attemptLimit)
        }

        /// Sends a request to the member that answered last, and passes each part of the stream that it answers to `receive`.
        func stream(
            _ path: String, _ request: some Encodable, isolation: isolated (any Actor)? = #isolation,
            _ receive: (EtcdEndpoint, [UInt8]) async throws -> Void
        ) async throws {
            let body = try EtcdCoding.bytes(of: request)
            let position = state.withLock { $0.preferred }
            let endpoint = endpoints[position]
            do {
                let token = try await token(endpoint, within: Self.attemptLimit)
                try await connection.stream(path, body, to: endpoint, token: token) { part in
                    try await receive(endpoint, Array(part.readableBytesView))
                }
            } catch let error as EtcdError {
                if error.isTransient { turn(awayFrom: position) }
                if error.reason == .untrusted { renewConnection() }
                if error.reason == .notLoggedIn { forgetToken() }
                throw error
            }
            turn(awayFrom: position)  // it has ended, which a member does that is stopped
        }

        private func turn(awayFrom position: Int) {
            state.withLock { state in
                if state.preferred == position { state.preferred = (position + 1) % endpoints.count }
            }
        }

        private func askOnce<Answer: Decodable>(
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
            let (status, answer): (Int, ByteBuffer)
            do throws(EtcdError) {
                (status, answer) = try await connection.post(path, body, to: endpoint, token: token, within: limit)
            } catch {
                if error.reason == .untrusted { renewConnection() }
                throw error
            }
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
