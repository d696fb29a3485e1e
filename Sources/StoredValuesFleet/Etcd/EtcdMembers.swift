#if Fleet
    import StoredValuesSupport

    // Pure decisions about the members' answers, and the pauses between attempts.

    /// Decides which cluster counts if the named members do not all belong to the same one.
    ///
    /// A member that was set up again on its own, or a wrong address, answers like any other, but for another cluster. So the cluster that more
    /// than half of the named members belong to counts. Without such a majority the cluster stays the one that it was, however long its members
    /// are away: a machine must not use the data of a single wrong member. Only if no cluster is known yet, and all members were asked, the one
    /// with the most members counts; in a tie, that of the member named first.
    struct ClusterVote: Sendable {
        /// The cluster that counts; nil if that is not decided yet.
        private(set) var cluster: String?
        /// The cluster in each member's last answer: `.some(nil)` if it gave none, `.none` if it was not asked.
        private var votes: [String??]

        init(members: Int) { votes = Array(repeating: .none, count: members) }

        /// Expects that cluster, unless one is known already.
        mutating func expect(_ cluster: String) { self.cluster = self.cluster ?? cluster }

        /// Whether the member belongs to the cluster that counts, by its last answer.
        func isOurs(_ member: Int) -> Bool {
            guard let cluster, let vote = votes[member] ?? nil else { return false }
            return vote.isIdentical(to: cluster)
        }

        /// Records a member's cluster; nil if it gave no answer. Returns false if another cluster counts.
        @discardableResult
        mutating func record(_ cluster: String?, from member: Int) -> Bool {
            votes[member] = .some(cluster)
            decide()
            return cluster == nil || self.cluster == nil || isOurs(member)
        }

        private mutating func decide() {
            let named = votes.compactMap { $0 ?? nil }
            func count(_ cluster: String) -> Int { named.count { $0.isIdentical(to: cluster) } }
            if let most = named.first(where: { count($0) * 2 > votes.count }) {
                cluster = most
            } else if cluster == nil, votes.allSatisfy({ $0 != .none }) {
                cluster = named.max { count($0) < count($1) }
            }
        }
    }

    /// The members' errors for one request. Decides whether they count as the cluster's answer.
    struct MemberFailures: Sendable {
        /// The last error of each member, and how many times in a row it had this reason.
        private var last: [(error: EtcdError, count: Int)?]
        private var isInDoubt = false
        /// Whether a member had no space, which it also answers if it has made the change with the last that was left. Where that is the call's
        /// reason, the caller looks into the log.
        private var hadNoSpace = false
        /// The number of failed attempts.
        private(set) var count = 0

        init(members: Int) { last = Array(repeating: nil, count: members) }

        /// - Parameter wasCutShort: Whether the call's timeout ended the attempt. Its error then does not replace an earlier one.
        mutating func add(_ error: EtcdError, from member: Int, wasCutShort: Bool = false) {
            let before = last[member]
            if before == nil || !wasCutShort { last[member] = (error, before?.error.reason == error.reason ? (before?.count ?? 0) + 1 : 1) }
            isInDoubt = isInDoubt || error.mayHaveHappened
            hadNoSpace = hadNoSpace || error.reason == .noSpace
            count += 1
        }

        /// Whether any of the attempts may have been carried out.
        var mayHaveHappened: Bool { isInDoubt || hadNoSpace }

        /// Whether all members were asked equally often.
        var isRound: Bool { count % last.count == 0 }

        /// Whether more attempts are pointless.
        var isFinal: Bool { lastingReason != nil }

        /// All errors as one, which names the members. While another attempt may succeed, its reason is that the cluster cannot be reached.
        var error: EtcdError {
            var sentences: [String] = []
            for sentence in last.compactMap({ $0?.error.sentence }) where !sentences.contains(where: { $0.isIdentical(to: sentence) }) {
                sentences.append(sentence)
            }
            let reason = lastingReason ?? .unreachable
            return EtcdError(
                reason: reason, sentence: sentences.joined(separator: "; "), mayHaveHappened: reason == .noSpace ? isInDoubt : mayHaveHappened)
        }

        var cancellation: EtcdError { .cancelled(mayHaveHappened: mayHaveHappened) }

        /// The reason to report: a refusal that more than half of the members share or, if every member has given a lasting error, the first one.
        private var lastingReason: EtcdError.Reason? {
            // This member belongs to the cluster, and answers so only in agreement with a majority.
            if last.contains(where: { $0?.error.reason == .gone }) { return .gone }
            // Certificate files are read again after the first failure, so only the second one counts.
            let reasons = last.compactMap { $0 }.filter { $0.error.reason != .unreachable && ($0.error.reason != .untrusted || $0.count > 1) }
                .map(\.error.reason)
            let refusals = reasons.filter { $0 != .notEtcd && $0 != .otherCluster }
            if let shared = refusals.first(where: { reason in refusals.count { $0 == reason } * 2 > last.count }) { return shared }
            guard reasons.count == last.count else { return nil }
            return refusals.first { $0 != .untrusted } ?? refusals.first ?? reasons.first
        }
    }

    /// The pauses between attempts: longer each time, and random, so that a thousand machines do not come back at the same moment.
    struct Backoff: Sendable {
        private let first: Duration
        private let longest: Duration
        private var limit: Duration

        init(first: Duration, longest: Duration) { (self.first, self.longest, limit) = (first, longest, first) }

        /// The next pause: between half of the current limit and all of it. The limit doubles each time.
        mutating func next(by share: Double = .random(in: 0.5...1)) -> Duration {
            defer { limit = min(limit * 2, longest) }
            return limit * share
        }

        mutating func reset() { limit = first }
    }
#endif
