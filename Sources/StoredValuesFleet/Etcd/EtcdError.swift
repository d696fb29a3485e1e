#if Fleet
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
            /// Whoever answered is not etcd's JSON gateway, or speaks otherwise.
            case notEtcd
            /// Whoever answered belongs to another cluster than the one that is meant.
            case otherCluster
            case cancelled
            /// Anything else that etcd refuses.
            case refused
        }

        var reason: Reason
        /// Who was asked, and what was said; ends without a full stop.
        var sentence: String
        /// Whether the request may have been carried out all the same.
        var mayHaveHappened = false

        /// Whether another attempt may do better.
        var isTransient: Bool { reason == .unreachable }
    }

    extension EtcdError {
        /// What an answer with this status and these words means. The codes are gRPC's, the words etcd's
        /// (api/v3rpc/rpctypes/error.go); what they do not match is kept word by word.
        init(status: Int, _ problem: EtcdProblem?, from endpoint: EtcdEndpoint) {
            let words = (problem?.message ?? "").asOneLine(upTo: Self.longestReason)
            func says(_ part: String) -> Bool { words.utf8.contains(part.utf8) }
            let code = problem?.grpc_code ?? problem?.code
            let isUnknown = code == nil || words.isEmpty
            switch (code, status) {
            case _ where says("invalid auth token") || says("auth token is not provided") || says("user name is empty"):
                self.init(reason: .notLoggedIn, sentence: "\(endpoint) wants a login: \(words)")
            // The token is of before the last change of rights; nothing was done.
            case _ where says("revision of auth store is old"):
                self.init(reason: .notLoggedIn, sentence: "\(endpoint) wants another login: \(words)")
            case _ where code == 7 || code == 16 || says("authentication failed") || says("CommonName of client"):
                self.init(reason: .accessDenied, sentence: "\(endpoint) refused: \(words)")
            case _ where says("database space exceeded"):
                self.init(reason: .noSpace, sentence: "\(endpoint) has no space left: \(words)")
            case _ where says("too many operations"):
                self.init(reason: .tooManyOperations, sentence: "\(endpoint) refused: \(words)")
            case _ where says("request is too large") || says("larger than max"):
                self.init(reason: .tooLarge, sentence: "\(endpoint) refused: \(words)")
            // Unavailable, deadline exceeded, aborted, too many requests, internal: etcd's leader changed, or it is overloaded.
            case (14, _), (4, _), (10, _), (8, _), (13, _), (1, _), (2, _):
                self.init(reason: .unreachable, sentence: "\(endpoint) could not answer: \(words)", mayHaveHappened: true)
            case (_, 500...) where isUnknown:
                self.init(reason: .unreachable, sentence: "\(endpoint) answered with status \(status)", mayHaveHappened: true)
            case _ where isUnknown:
                self.init(
                    reason: .notEtcd,
                    sentence: "\(endpoint) answered with status \(status), which etcd's JSON gateway does not: check the address, and in etcd's configuration file, enable-grpc-gateway: true",
                    mayHaveHappened: true)
            default:
                self.init(reason: .refused, sentence: "\(endpoint) refused with code \(code ?? 0): \(words)", mayHaveHappened: true)
            }
        }

        /// The most of a server's own words that is repeated.
        static let longestReason = 300

        static func unintelligible(_ endpoint: EtcdEndpoint) -> EtcdError {
            EtcdError(
                reason: .notEtcd, sentence: "\(endpoint) did not answer as etcd's JSON gateway does, or with more than \(EtcdConnection.answerLimit >> 20) MiB",
                mayHaveHappened: true)
        }
    }

    extension String.UTF8View {
        /// Whether these bytes occur in it.
        func contains(_ part: String.UTF8View) -> Bool {
            var rest = self[...]
            while rest.count >= part.count {
                if rest.starts(with: part) { return true }
                rest = rest.dropFirst()
            }
            return false
        }
    }
#endif
