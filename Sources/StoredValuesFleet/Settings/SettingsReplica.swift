#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    /// All that the cluster keeps of an application's settings, at one revision. Pure: what arrives is passed in.
    struct SettingsReplica: Sendable {
        struct Entry: Sendable {
            /// The revision of its last change.
            var revision: Int
            var content: Content
        }

        enum Content: Sendable {
            case setting(FleetKeys.Place, FleetRecord)
            /// A setting's key, and no record of ours.
            case broken(FleetKeys.Place)
            case other(Data)
        }

        /// What an answer of the cluster says of this replica.
        enum Confirmation: Equatable, Sendable {
            /// All that the cluster had when it answered is here.
            case fresh
            /// The cluster has changes that are not here yet, but may be under way.
            case behind
            /// The cluster is another one, has an older state, or has changes that did not come since the last time it had some.
            case readAgain(why: String)
        }

        let keys: FleetKeys
        let cluster: String
        /// All changes up to this one are here.
        private(set) var revision: Int
        /// The latest revision that the cluster was known to have nothing at that is not here.
        private var confirmed: Int
        /// The revision of this replica when the cluster last had changes that were not here; nil if it had none.
        private var behind: Int?
        private(set) var entries: [Data: Entry] = [:]

        init(_ answer: EtcdRangeAnswer, _ keys: FleetKeys) {
            (self.keys, cluster, revision, confirmed) = (keys, answer.header.cluster_id, answer.revision, answer.revision)
            for found in answer.kvs ?? [] { put(found) }
        }

        /// Takes over changes that lead to `revision`.
        mutating func apply(_ events: [EtcdWatchMessage.Event], revision: Int) {
            for event in events {
                if event.isDeletion { entries[event.kv.key] = nil } else { put(event.kv) }
            }
            (self.revision, confirmed) = (revision, revision)
        }

        private mutating func put(_ found: EtcdKeyValue) {
            let value = found.value ?? Data()
            let content: Content =
                if let place = keys.place(of: found.key) {
                    FleetRecord(value).map { .setting(place, $0) } ?? .broken(place)
                } else {
                    .other(value)
                }
            entries[found.key] = Entry(revision: found.mod_revision?.value ?? 0, content: content)
        }

        // MARK: Freshness

        /// What to ask first: one key, which costs etcd nothing. Where the cluster has made no change at all, its revision says so.
        var quickQuestion: EtcdRangeRequest { EtcdRangeRequest(key: keys.settings) }

        /// Whether an answer of the cluster is of a revision that is known to be here.
        func isConfirmed(_ answer: some EtcdAnswer) -> Bool {
            answer.header.cluster_id.isIdentical(to: cluster) && answer.revision == confirmed
        }

        /// What to ask for ``confirm(_:askedAt:)``: how many settings there are, and which changed last. For it etcd reads all of them.
        var question: EtcdRangeRequest {
            var request = EtcdRangeRequest(prefix: keys.settings)
            (request.limit, request.sort_order, request.sort_target, request.keys_only) = (1, "DESCEND", "MOD", true)
            return request
        }

        /// What an answer to ``question`` says, or one that ``isConfirmed(_:)``. The number of settings and their last change tell any two states of one history
        /// apart: a change that is missed makes the last one later or, if something was removed, the number smaller.
        ///
        /// - Parameter asked: The revision of this replica when the question was sent.
        mutating func confirm(_ answer: EtcdRangeAnswer, askedAt asked: Int) -> Confirmation {
            guard answer.header.cluster_id.isIdentical(to: cluster) else { return .readAgain(why: "another cluster answers") }
            guard answer.revision >= asked else { return .readAgain(why: "the cluster went back to revision \(answer.revision)") }
            // What came on the watch meanwhile came in order, so that all before it is here too.
            if revision > answer.revision || isConfirmed(answer) {
                behind = nil
                return .fresh
            }
            let last = entries.values.map(\.revision).max() ?? 0
            let theirs = answer.kvs?.first?.mod_revision?.value ?? 0
            guard answer.count?.value ?? 0 == entries.count, theirs == last else {
                // If nothing at all has come from one question to the next, the watch leads nowhere.
                guard behind != revision else { return .readAgain(why: "the watch has missed a change") }
                behind = revision
                return .behind
            }
            (confirmed, behind) = (answer.revision, nil)
            return .fresh
        }

        // MARK: What machines get

        /// The values for a machine: the narrower wins, and of its groups the later one.
        func values(forHost host: String, groups: [String]) -> [PreferencesKey: FleetMirror.Value] {
            let targets: [FleetTarget] = [.everyone] + groups.map { .group($0) } + [.host(host)]
            let ranks = Dictionary(targets.enumerated().map { ($1, $0) }) { _, later in later }
            var best: [PreferencesKey: (rank: Int, value: FleetMirror.Value)] = [:]
            for case .setting(let place, let record) in entries.values.lazy.map(\.content) {
                guard let rank = ranks[place.target], rank >= best[place.key]?.rank ?? 0 else { continue }
                best[place.key] = (rank, FleetMirror.Value(json: record.value, version: record.version))
            }
            return best.mapValues(\.value)
        }

        /// The settings that no program can read, because something else than a record lies there.
        var broken: [FleetKeys.Place] {
            entries.values.compactMap { if case .broken(let place) = $0.content { place } else { nil } }
        }

        /// The secrets as the cluster has them; nil if it has none.
        var secrets: SecretsVerdict.Offer? {
            guard case .other(let bytes)? = entries[keys.secrets]?.content else { return nil }
            var epoch = 0
            if case .other(let record)? = entries[keys.secretsEpoch]?.content { epoch = SecretsEpoch(record)?.number ?? 0 }
            return SecretsVerdict.Offer(bytes: Array(bytes), epoch: epoch)
        }

        /// All settings, sorted by key, wider targets first.
        var settings: [FleetSetting] {
            entries.values.compactMap { entry -> FleetSetting? in
                switch entry.content {
                case .setting(let place, let record):
                    FleetSetting(key: place.key.text, target: place.target, record: record, revision: entry.revision)
                case .broken(let place): FleetSetting(key: place.key.text, target: place.target, record: nil, revision: entry.revision)
                case .other: nil
                }
            }.sorted { "\($0.key)\0\($0.target.path)".utf8.lexicographicallyPrecedes("\($1.key)\0\($1.target.path)".utf8) }
        }
    }
#endif
