#if Fleet
    import StoredValuesSupport

    /// Which cluster is meant, where not all members that were named belong to one. Decides, and asks nobody.
    ///
    /// A member that was set up anew by itself, or a wrong address, answers like any other, for a cluster of its own. So the cluster is
    /// the one that more than half of the named members belong to. Without such a majority it stays the one that it was, however long
    /// its members are away: a machine must not take over what a single wrong member has. Only who knows none yet takes, when all were
    /// asked, the one that most of those who answered belong to; of equally many, the one of the member that is named first.
    struct ClusterVote: Sendable {
        /// What is known of one member.
        private enum Word: Equatable {
            case notAsked
            /// It did not answer, or did not say.
            case nothing
            case cluster(String)
        }

        /// The cluster that is meant; nil while nobody knows.
        private(set) var cluster: String?
        /// The last word of each member, in the order in which they were named.
        private var words: [Word]

        init(members: Int) { words = Array(repeating: .notAsked, count: members) }

        /// What this machine has is of that cluster.
        mutating func expect(_ cluster: String) {
            if self.cluster == nil { self.cluster = cluster }
        }

        /// Whether the member belongs to the cluster that is meant, by its last word.
        func isOurs(_ member: Int) -> Bool {
            guard let cluster, case .cluster(let word) = words[member] else { return false }
            return word.isIdentical(to: cluster)
        }

        /// A member belongs to that cluster; nil if it did not say. Returns false if another one is meant.
        @discardableResult
        mutating func hear(_ cluster: String?, from member: Int) -> Bool {
            words[member] = cluster.map(Word.cluster) ?? .nothing
            decide()
            guard let cluster, let meant = self.cluster else { return true }
            return meant.isIdentical(to: cluster)
        }

        private mutating func decide() {
            let named = words.compactMap { if case .cluster(let cluster) = $0 { cluster } else { nil } }
            func count(_ cluster: String) -> Int { named.count { $0.isIdentical(to: cluster) } }
            if let most = named.first(where: { count($0) * 2 > words.count }) {
                cluster = most
            } else if cluster == nil, !words.contains(.notAsked) {
                cluster = named.max { count($0) < count($1) }
            }
        }
    }
#endif
