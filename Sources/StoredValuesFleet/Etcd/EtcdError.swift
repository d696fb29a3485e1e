#if Fleet
    import StoredValues
    import StoredValuesSupport

    /// Why etcd gave no answer, or which error it answered.
    struct EtcdError: Error, Equatable, Sendable {
        enum Reason: Equatable, Sendable {
            /// No connection, no answer in time, or no leader; another member or another time may do.
            case unreachable
            /// TLS failed: one side does not trust the other's certificate, or the other side does not speak TLS.
            case untrusted
            /// The user's token has expired, or there is none.
            case notLoggedIn
            /// The name or the password is wrong, or this user may not do that.
            case accessDenied
            case tooLarge
            case tooManyOperations
            /// The cluster's database is full.
            case noSpace
            /// The server is not etcd's JSON gateway, or does not follow its protocol.
            case notEtcd
            case otherCluster
            case cancelled
            /// The revision was compacted or lies in the future, or the lease does not exist.
            case gone
            /// Any other error of etcd.
            case refused
        }

        var reason: Reason
        /// The server and what went wrong, without a full stop.
        var sentence: String
        /// Whether the request may have been carried out anyway.
        var mayHaveHappened = false

        /// Whether the cluster understood the request and refused it.
        var isRefusal: Bool { reason == .gone || reason == .refused }

        /// Whether another attempt may succeed.
        var isTransient: Bool { reason == .unreachable }

        /// The same error of a request that changes nothing, or was not sent.
        var asReading: EtcdError { EtcdError(reason: reason, sentence: sentence) }
    }

    extension EtcdError {
        /// The maximum length of a server's text in an error.
        static let longestReason = 300

        /// The meanings of etcd's messages (api/v3rpc/rpctypes/error.go).
        private static let meanings: [(words: [String], reason: Reason, verb: String)] = [
            (["invalid auth token", "auth token is not provided", "user name is empty"], .notLoggedIn, "wants a login"),
            // The token is older than the last change of permissions; nothing was done.
            (["revision of auth store is old"], .notLoggedIn, "wants another login"),
            (["authentication failed", "CommonName of client"], .accessDenied, "refused"),
            (["database space exceeded"], .noSpace, "has no space left"),
            (["too many operations"], .tooManyOperations, "refused"),
            (["request is too large", "larger than max"], .tooLarge, "refused"),
            // "has been compacted", and "is a future revision".
            (["required revision", "requested lease not found"], .gone, "refused"),
        ]

        /// The error that an answer with this status and this JSON means. The codes are gRPC's; unknown messages are kept as they are.
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

        /// The same for a whole body, which may be plain text: seen of etcd 3.4.23 for a client certificate with a common name.
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
