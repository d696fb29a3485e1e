#if Fleet
    import StoredValuesSupport

    // What follows from what members say, and how long to wait before they are asked again. Decides, and asks nobody.

    /// Which cluster is meant, where not all members that were named belong to one.
    ///
    /// A member that was set up anew by itself, or a wrong address, answers like any other, for a cluster of its own. So the cluster is
    /// the one that more than half of the named members belong to. Without such a majority it stays the one that it was, however long
    /// its members are away: a machine must not take over what a single wrong member has. Only who knows none yet takes, when all were
    /// asked, the one that most of those who answered belong to; of equally many, the one of the member that is named first.
    struct ClusterVote: Sendable {
        /// The cluster that is meant; nil while nobody knows.
        private(set) var cluster: String?
        /// The cluster of each member, as they were named, by its last word: `.some(nil)` if it did not say, and `.none` if it was not asked.
        private var votes: [String??]

        init(members: Int) { votes = Array(repeating: .none, count: members) }

        /// What this machine has is of that cluster.
        mutating func expect(_ cluster: String) { self.cluster = self.cluster ?? cluster }

        /// Whether the member belongs to the cluster that is meant, by its last word.
        func isOurs(_ member: Int) -> Bool {
            guard let cluster, let vote = votes[member] ?? nil else { return false }
            return vote.isIdentical(to: cluster)
        }

        /// A member belongs to that cluster; nil if it did not say. Returns false if another one is meant.
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

    /// What the members said to one request in place of its answer, and whether that is the cluster's answer.
    struct MemberFailures: Sendable {
        /// The last word of each member, in the order in which they were named, and how often it said that in a row.
        private var last: [(error: EtcdError, count: Int)?]
        private(set) var mayHaveHappened = false
        /// How many attempts have failed.
        private(set) var count = 0

        init(members: Int) { last = Array(repeating: nil, count: members) }

        /// - Parameter wasCutShort: Whether the end of the call ended the attempt, which then says less than the one before.
        mutating func add(_ error: EtcdError, from member: Int, wasCutShort: Bool = false) {
            let before = last[member]
            if before == nil || !wasCutShort { last[member] = (error, before?.error.reason == error.reason ? (before?.count ?? 0) + 1 : 1) }
            mayHaveHappened = mayHaveHappened || error.mayHaveHappened
            count += 1
        }

        /// Whether each member was asked as often as the others.
        var isRound: Bool { count % last.count == 0 }

        /// Whether another attempt would bring nothing else.
        var isFinal: Bool { lastingReason != nil }

        /// All of it as one error, which names who said what. While another attempt may do better it is that the cluster cannot be reached.
        var error: EtcdError {
            var sentences: [String] = []
            for sentence in last.compactMap({ $0?.error.sentence }) where !sentences.contains(where: { $0.isIdentical(to: sentence) }) {
                sentences.append(sentence)
            }
            return EtcdError(reason: lastingReason ?? .unreachable, sentence: sentences.joined(separator: "; "), mayHaveHappened: mayHaveHappened)
        }

        /// The same where the task was cancelled.
        var cancellation: EtcdError { .cancelled(mayHaveHappened: mayHaveHappened) }

        /// The cluster's answer: a refusal that more than half of the members share, else the first of those that all of them gave.
        private var lastingReason: EtcdError.Reason? {
            // A member of the cluster, as this one is, says so only when it has agreed with most others. Those that are away would not say
            // anything else.
            if last.contains(where: { $0?.error.reason == .gone }) { return .gone }
            // Certificates may have been renewed since the first attempt; the second one has read them again.
            let reasons = last.compactMap { $0 }.filter { $0.error.reason != .unreachable && ($0.error.reason != .untrusted || $0.count > 1) }
                .map(\.error.reason)
            let refusals = reasons.filter { $0 != .notEtcd && $0 != .otherCluster }
            if let shared = refusals.first(where: { reason in refusals.count { $0 == reason } * 2 > last.count }) { return shared }
            guard reasons.count == last.count else { return nil }
            return refusals.first { $0 != .untrusted } ?? refusals.first ?? reasons.first
        }
    }

    /// How long to wait before the next attempt: longer each time, and at random, so that a thousand machines do not come back in one moment.
    struct Backoff: Sendable {
        private let first: Duration
        private let longest: Duration
        private var limit: Duration

        init(first: Duration, longest: Duration) { (self.first, self.longest, limit) = (first, longest, first) }

        /// The next wait: between half of the current limit and all of it, which doubles each time.
        mutating func next(by share: Double = .random(in: 0.5...1)) -> Duration {
            defer { limit = min(limit * 2, longest) }
            return limit * share
        }

        /// Begins anew.
        mutating func reset() { limit = first }
    }
#endif
