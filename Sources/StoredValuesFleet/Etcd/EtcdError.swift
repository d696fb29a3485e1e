#if Fleet
    import StoredValues
    import StoredValuesSupport

    /// Why etcd gave no answer, or which answer it gave in place of the expected one.
    struct EtcdError: Error, Equatable, Sendable {
        enum Reason: Equatable, Sendable {
            /// No connection, no answer in time, or no leader; another member or another time may do.
            case unreachable
            /// TLS failed: the certificate of one side is not to be trusted, or the other side speaks no TLS.
            case untrusted
            /// The user's token has expired, or never was.
            case notLoggedIn
            /// The name or the password is wrong, or this user may not do that.
            case accessDenied
            /// The request is larger than etcd takes.
            case tooLarge
            /// The transaction has more steps than etcd takes.
            case tooManyOperations
            /// The cluster's database is full.
            case noSpace
            /// Whoever answered is not etcd's JSON gateway, or does not follow its protocol.
            case notEtcd
            /// Whoever answered belongs to a cluster other than the intended one.
            case otherCluster
            case cancelled
            /// The revision was compacted, or is not reached yet; or there is no such lease.
            case gone
            /// Anything else that etcd refuses.
            case refused
        }

        var reason: Reason
        /// Who was asked, and what was said; ends without a full stop.
        var sentence: String
        /// Whether the request may have been carried out anyway.
        var mayHaveHappened = false

        /// Whether the cluster has understood, and does not do it.
        var isRefusal: Bool { reason == .gone || reason == .refused }

        /// Whether another attempt may do better.
        var isTransient: Bool { reason == .unreachable }

        /// The same for a request that changes nothing, or was not sent.
        var asReading: EtcdError { EtcdError(reason: reason, sentence: sentence) }
    }

    extension EtcdError {
        /// The most of a server's own words that is repeated.
        static let longestReason = 300

        /// What etcd's own words mean (api/v3rpc/rpctypes/error.go).
        private static let meanings: [(words: [String], reason: Reason, verb: String)] = [
            (["invalid auth token", "auth token is not provided", "user name is empty"], .notLoggedIn, "wants a login"),
            // The token is of before the last change of rights; nothing was done.
            (["revision of auth store is old"], .notLoggedIn, "wants another login"),
            (["authentication failed", "CommonName of client"], .accessDenied, "refused"),
            (["database space exceeded"], .noSpace, "has no space left"),
            (["too many operations"], .tooManyOperations, "refused"),
            (["request is too large", "larger than max"], .tooLarge, "refused"),
            // That it was compacted, and that it is a future one.
            (["required revision", "requested lease not found"], .gone, "refused"),
        ]

        /// What an answer with this status means, in which the gateway says `problem`. The codes are gRPC's; unknown words are kept word by word.
        init(status: Int, _ problem: JSONValue?, from endpoint: EtcdEndpoint) {
            let words = (problem?["message"]?.stringValue ?? "").asOneLine(upTo: Self.longestReason)
            let code = (problem?["grpc_code"] ?? problem?["code"])?.intValue  // on a stream, and on a call
            let isUnknown = code == nil || words.isEmpty
            if let meaning = Self.meanings.first(where: { $0.words.contains { words.utf8.contains($0.utf8) } }) {
                self.init(reason: meaning.reason, sentence: "\(endpoint) \(meaning.verb): \(words)")
                return
            }
            switch (code, status) {
            case (7, _), (16, _): self.init(reason: .accessDenied, sentence: "\(endpoint) refused: \(words)")
            // Unavailable, deadline exceeded, aborted, too many requests, internal: etcd's leader changed, or it is overloaded.
            case (14, _), (4, _), (10, _), (8, _), (13, _), (1, _), (2, _):
                self.init(reason: .unreachable, sentence: "\(endpoint) could not answer: \(words)", mayHaveHappened: true)
            case (_, 500...) where isUnknown:
                self.init(reason: .unreachable, sentence: "\(endpoint) answered with status \(status)", mayHaveHappened: true)
            case _ where isUnknown:
                self.init(
                    reason: .notEtcd,
                    sentence: """
                        \(endpoint) answered with status \(status), which etcd's JSON gateway never does: check the address, and \
                        enable-grpc-gateway: true in etcd's configuration file
                        """,
                    mayHaveHappened: true)
            default:
                self.init(reason: .refused, sentence: "\(endpoint) refused with code \(code ?? 0): \(words)", mayHaveHappened: true)
            }
        }

        /// The same for a whole body. What refuses a client certificate with a common name is plain text (seen: etcd 3.4.23).
        init(status: Int, body: [UInt8]?, from endpoint: EtcdEndpoint) {
            let problem = body.flatMap { body -> JSONValue? in
                guard body.count < 1 << 20 else { return nil }
                return (try? JSONValue(parsing: body)) ?? ["message": .string(String(decoding: body, as: UTF8.self))]
            }
            self.init(status: status, problem, from: endpoint)
        }

        static func unintelligible(_ endpoint: EtcdEndpoint) -> EtcdError {
            EtcdError(
                reason: .notEtcd, sentence: "\(endpoint) did not answer as etcd's JSON gateway does, or with more than \(EtcdConnection.answerLimit >> 20) MiB",
                mayHaveHappened: true)
        }

        static func cancelled(mayHaveHappened: Bool) -> EtcdError {
            EtcdError(reason: .cancelled, sentence: "the task was cancelled", mayHaveHappened: mayHaveHappened)
        }
    }
#endif
