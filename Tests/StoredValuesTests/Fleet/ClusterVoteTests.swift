#if Fleet
    import Testing

    @testable import StoredValuesFleet

    @Suite("Which cluster is meant, where its members disagree")
    struct ClusterVoteTests {}

    extension ClusterVoteTests {
        /// What members say, one after the other: its position, and its cluster or nil for no answer. Returns the cluster after each word.
        private func heard(_ members: Int, expecting cluster: String? = nil, _ words: [(Int, String?)]) -> [String?] {
            var vote = ClusterVote(members: members)
            if let cluster { vote.expect(cluster) }
            return words.map { member, word in
                let isOurs = vote.record(word, from: member)
                #expect(isOurs == (word == nil || vote.cluster == nil || word == vote.cluster))
                #expect(vote.isOurs(member) == (word != nil && word == vote.cluster))
                return vote.cluster
            }
        }

        @Test("A single member's cluster is the cluster, also when it becomes another one")
        func single() {
            #expect(heard(1, [(0, nil), (0, "a"), (0, nil), (0, "b")]) == [nil, "a", "a", "b"])
            #expect(heard(1, expecting: "a", [(0, "b")]) == ["b"])
        }

        @Test("Who knows none waits for a majority, and if there is none until all were asked; then most count, and of equally many the first")
        func unknown() {
            #expect(heard(3, [(2, "a"), (0, "a")]) == [nil, "a"])
            #expect(heard(3, [(0, "b"), (1, "a"), (2, "a")]) == [nil, nil, "a"])
            #expect(heard(3, [(1, "a"), (2, nil), (0, nil)]) == [nil, nil, "a"])
            #expect(heard(3, [(2, "c"), (1, "b"), (0, "a")]) == [nil, nil, "a"])
            #expect(heard(5, [(4, "b"), (0, "a"), (3, "b"), (1, nil), (2, "c")]) == [nil, nil, nil, nil, "b"])
            #expect(heard(2, [(1, "b"), (0, "a")]) == [nil, "a"])
            #expect(heard(2, [(1, "b"), (0, nil)]) == [nil, "b"])
            // Nobody answers; later the first who does has nobody against it.
            #expect(heard(2, [(0, nil), (1, nil), (1, "b"), (0, "a")]) == [nil, nil, "b", "b"])
        }

        @Test("A known cluster stays, however long its members are away, until more than half belong to another one")
        func known() {
            #expect(heard(2, expecting: "a", [(0, nil), (1, "b"), (1, "b"), (0, nil)]) == ["a", "a", "a", "a"])
            #expect(heard(3, expecting: "a", [(0, "b"), (1, nil), (2, "a")]) == ["a", "a", "a"])
            #expect(heard(3, expecting: "a", [(0, "b"), (1, "b"), (2, "a")]) == ["a", "b", "b"])
            #expect(heard(4, expecting: "a", [(0, "b"), (1, "b"), (2, "a"), (3, nil)]) == ["a", "a", "a", "a"])
            // What a member said before it went away does not count.
            #expect(heard(3, expecting: "a", [(0, "b"), (0, nil), (1, "b")]) == ["a", "a", "a"])
            var vote = ClusterVote(members: 3)
            vote.expect("a")
            vote.expect("b")
            #expect(vote.cluster == "a")
        }
    }

    @Suite("What members say in place of an answer")
    struct MemberFailuresTests {}

    extension MemberFailuresTests {
        private func error(_ reason: EtcdError.Reason, _ who: String = "x", mayHaveHappened: Bool = false) -> EtcdError {
            EtcdError(reason: reason, sentence: "\(who) said \(reason)", mayHaveHappened: mayHaveHappened)
        }

        /// The answer after each member has said that, in their order; nil if others may bring another one.
        private func answer(_ reasons: EtcdError.Reason?..., times: Int = 1) -> EtcdError.Reason? {
            var failures = MemberFailures(members: reasons.count)
            for _ in 0..<times {
                for (member, reason) in reasons.enumerated() { if let reason { failures.add(error(reason), from: member) } }
            }
            let whole = failures.error
            #expect(failures.isFinal || whole.reason == .unreachable)
            return failures.isFinal ? whole.reason : nil
        }

        @Test("An answer that not all members give is none, as long as one may still answer; a refusal by most of them is one")
        func reasons() {
            for reason in [EtcdError.Reason.notEtcd, .otherCluster, .accessDenied, .notLoggedIn, .tooLarge, .tooManyOperations, .noSpace, .refused] {
                #expect(answer(reason) == reason)
                #expect(answer(reason, reason, reason) == reason)
                #expect(answer(reason, .unreachable) == nil)
                #expect(answer(reason, nil) == nil)
                let isRefusal = reason != .notEtcd && reason != .otherCluster
                #expect(answer(reason, .unreachable, reason) == (isRefusal ? reason : nil))
                #expect(answer(.notEtcd, reason) == (isRefusal ? reason : .notEtcd))
            }
            #expect(answer(.unreachable, .unreachable, times: 9) == nil)
            #expect(answer(.accessDenied, .tooLarge, .unreachable) == nil)
            #expect(answer(.notEtcd, .otherCluster, .refused) == .refused)
        }

        @Test("That a revision was compacted, or a lease is gone, is the cluster's answer although the others are away")
        func gone() {
            #expect(answer(.gone) == .gone && answer(.gone, .unreachable) == .gone && answer(.unreachable, nil, .gone, nil) == .gone)
            #expect(answer(.accessDenied, .gone, .accessDenied) == .gone)
        }

        @Test("A member without space may have made the change, which is left open where nobody looks into the log because of it")
        func noSpace() {
            var failures = MemberFailures(members: 3)
            failures.add(error(.noSpace), from: 0)
            #expect(failures.mayHaveHappened && failures.error.mayHaveHappened && failures.cancellation.mayHaveHappened)
            failures.add(error(.noSpace), from: 1)
            #expect(failures.error == EtcdError(reason: .noSpace, sentence: "x said noSpace", mayHaveHappened: false))
        }

        @Test("A certificate may have been renewed since: it is refused twice")
        func certificates() {
            #expect(answer(.untrusted) == nil && answer(.untrusted, times: 2) == .untrusted)
            #expect(answer(.untrusted, .notEtcd) == nil && answer(.untrusted, .notEtcd, times: 2) == .untrusted)
            #expect(answer(.untrusted, .unreachable, times: 2) == nil && answer(.untrusted, .unreachable, .untrusted, times: 2) == .untrusted)
            var failures = MemberFailures(members: 1)
            for reason in [EtcdError.Reason.untrusted, .unreachable, .untrusted] { failures.add(error(reason), from: 0) }
            #expect(!failures.isFinal)
        }

        @Test("The error names each who said something, once, in their order; and whether any attempt may have been carried out")
        func words() {
            var failures = MemberFailures(members: 3)
            failures.add(error(.notEtcd, "c", mayHaveHappened: true), from: 2)
            failures.add(error(.unreachable, "a"), from: 0)
            #expect(failures.error == EtcdError(reason: .unreachable, sentence: "a said unreachable; c said notEtcd", mayHaveHappened: true))
            #expect(!failures.isRound)
            failures.add(error(.notEtcd, "b"), from: 1)
            #expect(failures.isRound)
            failures.add(error(.unreachable, "c"), from: 2)
            failures.add(error(.unreachable, "a"), from: 1)
            #expect(failures.error.sentence == "a said unreachable; c said unreachable" && failures.error.mayHaveHappened)
            // The end of the call ended this one.
            failures.add(error(.unreachable, "the clock"), from: 0, wasCutShort: true)
            #expect(failures.error.sentence == "a said unreachable; c said unreachable")
            let cancelled = failures.cancellation
            #expect(cancelled.reason == .cancelled && cancelled.mayHaveHappened)
        }
    }
#endif
