#if Fleet
    import StoredValuesSupport

    /// What the members said to one request in place of its answer. Decides whether that is the cluster's answer, and asks nobody.
    struct MemberFailures: Sendable {
        /// The last word of each member, in the order in which they were named, and how often it said that in a row.
        private var last: [(error: EtcdError, count: Int)?]
        private var mayHaveHappened = false
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
        var error: EtcdError { error(for: lastingReason ?? .unreachable) }

        /// The same for another reason to end.
        func error(for reason: EtcdError.Reason) -> EtcdError {
            if reason == .cancelled { return EtcdError(reason: reason, sentence: "the task was cancelled", mayHaveHappened: mayHaveHappened) }
            var sentences: [String] = []
            for sentence in last.compactMap({ $0?.error.sentence }) where !sentences.contains(where: { $0.isIdentical(to: sentence) }) {
                sentences.append(sentence)
            }
            return EtcdError(reason: reason, sentence: sentences.joined(separator: "; "), mayHaveHappened: mayHaveHappened)
        }

        /// The cluster's answer: a refusal that more than half of the members share, else the first of those that all of them gave.
        private var lastingReason: EtcdError.Reason? {
            // Certificates may have been renewed since the first attempt; the second one has read them again.
            let reasons = last.compactMap { $0 }.filter { $0.error.reason != .unreachable && ($0.error.reason != .untrusted || $0.count > 1) }
                .map(\.error.reason)
            let refusals = reasons.filter { $0 != .notEtcd && $0 != .otherCluster }
            if let shared = refusals.first(where: { reason in refusals.count { $0 == reason } * 2 > last.count }) { return shared }
            guard reasons.count == last.count else { return nil }
            return refusals.first { $0 != .untrusted } ?? refusals.first ?? reasons.first
        }
    }
#endif
