#if Fleet
    import Foundation
    import StoredValues
    import Testing

    @testable import StoredValuesFleet

    @Suite("What a fleet's errors say")
    struct FleetErrorTests {
        private let endpoint: EtcdEndpoint

        init() throws { endpoint = try EtcdEndpoint("https://db1:2379") }
    }

    extension FleetErrorTests {
        /// What etcd says, and what that means.
        struct Answer: Sendable, CustomTestStringConvertible {
            var status = 200
            var code: Int?
            var words: String?
            let reason: EtcdError.Reason
            var mayHaveHappened = false
            var testDescription: String { "\(status), \(code.map(String.init) ?? "no code"), \(words ?? "no words")" }
        }

        static let answers: [Answer] = [
            Answer(status: 401, code: 16, words: "etcdserver: invalid auth token", reason: .notLoggedIn),
            Answer(status: 400, code: 3, words: "etcdserver: user name is empty", reason: .notLoggedIn),
            Answer(status: 401, code: 16, words: "auth token is not provided", reason: .notLoggedIn),
            Answer(status: 400, code: 3, words: "etcdserver: revision of auth store is old", reason: .notLoggedIn),
            Answer(status: 403, code: 7, words: "etcdserver: permission denied", reason: .accessDenied),
            Answer(status: 400, code: 3, words: "etcdserver: authentication failed, invalid user ID or password", reason: .accessDenied),
            Answer(
                status: 400, code: 3, words: "CommonName of client sending a request against gateway will be ignored and not used as expected",
                reason: .accessDenied),
            Answer(status: 429, code: 8, words: "etcdserver: mvcc: database space exceeded", reason: .noSpace),
            Answer(status: 400, code: 3, words: "etcdserver: too many operations in txn request", reason: .tooManyOperations),
            Answer(status: 400, code: 3, words: "etcdserver: request is too large", reason: .tooLarge),
            Answer(status: 429, code: 8, words: "grpc: received message larger than max (3000000 vs. 2097152)", reason: .tooLarge),
            Answer(status: 503, code: 14, words: "etcdserver: no leader", reason: .unreachable, mayHaveHappened: true),
            Answer(code: 14, words: "etcdserver: leader changed", reason: .unreachable, mayHaveHappened: true),
            Answer(status: 503, code: 14, words: "etcdserver: request timed out", reason: .unreachable, mayHaveHappened: true),
            Answer(status: 504, code: 4, words: "context deadline exceeded", reason: .unreachable, mayHaveHappened: true),
            Answer(status: 429, code: 8, words: "etcdserver: too many requests", reason: .unreachable, mayHaveHappened: true),
            Answer(status: 500, code: 13, words: "transport is closing", reason: .unreachable, mayHaveHappened: true),
            Answer(status: 500, reason: .unreachable, mayHaveHappened: true),
            Answer(status: 502, words: "Bad Gateway", reason: .unreachable, mayHaveHappened: true),
            Answer(status: 404, words: "Not Found", reason: .notEtcd, mayHaveHappened: true),
            Answer(status: 301, reason: .notEtcd, mayHaveHappened: true),
            Answer(status: 400, code: 11, words: "etcdserver: mvcc: required revision has been compacted", reason: .gone),
            Answer(status: 400, code: 11, words: "etcdserver: mvcc: required revision is a future revision", reason: .gone),
            Answer(status: 404, code: 5, words: "etcdserver: requested lease not found", reason: .gone),
            Answer(status: 400, code: 3, words: "etcdserver: something new", reason: .refused, mayHaveHappened: true),
        ]

        @Test("What etcd answers in place of an answer is told apart by its code and words", arguments: answers)
        func answer(answer: Answer) {
            for name in ["code", "grpc_code"] {
                let isNothing = answer.code == nil && answer.words == nil
                var problem: JSONValue = [:]
                problem[name] = answer.code.map { JSONValue($0) }
                problem["message"] = answer.words.map { JSONValue($0) }
                let error = EtcdError(status: answer.status, isNothing ? nil : problem, from: endpoint)
                #expect(error.reason == answer.reason && error.mayHaveHappened == answer.mayHaveHappened, "\(error)")
                #expect(error.isTransient == (answer.reason == .unreachable))
                #expect(error.sentence.contains(endpoint.description) && !error.sentence.hasSuffix("."))
            }
        }

        @Test("However long or odd etcd's words are, an error stays short")
        func words() {
            let error = EtcdError(status: 400, ["code": 3, "message": .string(String(repeating: "e\u{301}", count: 100_000))], from: endpoint)
            #expect(error.sentence.unicodeScalars.count < 500)
            let steering = "no\u{1B}[2J\nmore\u{9B}1m\u{202E}"
            #expect(EtcdError(status: 400, ["code": 3, "message": .string(steering)], from: endpoint).sentence.hasSuffix("no [2J more 1m "))
        }

        @Test("Every error says what could not be done, why, and what to do; and whether it may have happened. All are printed")
        func sentences() throws {
            let reasons: [(EtcdError.Reason, FleetError.Reason, String)] = [
                (.unreachable, .unavailable, "Check that the cluster runs"), (.untrusted, .accessDenied, "Check the certificates and the key"),
                (.notLoggedIn, .accessDenied, "Check the user"), (.accessDenied, .accessDenied, "Check the user"),
                (.tooLarge, .tooLarge, "Keep large data elsewhere"),
                (.tooManyOperations, .tooManyChanges(limit: 126), "several transactions"), (.noSpace, .noSpace, "etcdctl alarm disarm"),
                (.notEtcd, .misconfigured, "Check the addresses"),
                (.otherCluster, .misconfigured, "Check the addresses"), (.cancelled, .cancelled, ""), (.gone, .refused, ""), (.refused, .refused, ""),
            ]
            for (reason, expected, advice) in reasons {
                for mayHaveHappened in [false, true] {
                    let error = FleetError(
                        EtcdError(reason: reason, sentence: "\(endpoint) said no", mayHaveHappened: mayHaveHappened), "change \"limit\"")
                    print("FleetError: \(error)")
                    #expect(error.reason == expected && (error.outcome == .mayHaveHappened) == mayHaveHappened)
                    #expect(error.description.hasPrefix("Could not change \"limit\": https://db1:2379 said no.") && (advice.isEmpty || error.description.contains(advice)))
                    #expect(error.description.contains("may have been made") == mayHaveHappened && error.description.hasSuffix("."))
                    #expect((error as any Error).localizedDescription == error.description)
                }
            }
        }
    }
#endif
