#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    /// All that the cluster keeps of an application's settings, at one revision. Pure: what arrives is passed in.
    struct SettingsReplica: Sendable {
        struct Entry: Sendable {
            /// The revision of its last change.
            let revision: Int
            /// Which setting it is; nil if it is none.
            let place: FleetKeys.Place?
            /// What is set; nil if no record of ours lies there.
            let record: FleetRecord?
            /// What lies there, if that is no setting.
            let data: Data

            init(_ found: EtcdKeyValue, _ keys: FleetKeys) {
                (revision, place) = (found.revision, keys.place(of: found.key))
                (record, data) = place == nil ? (nil, found.value) : (FleetRecord(found.value), Data())
            }
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

        init(_ answer: EtcdAnswer, _ keys: FleetKeys) {
            (self.keys, cluster, revision, confirmed) = (keys, answer.cluster, answer.revision, answer.revision)
            for found in answer.entries { entries[found.key] = Entry(found, keys) }
        }

        /// Takes over changes that lead to `revision`.
        mutating func apply(_ events: [EtcdEvent], revision: Int) {
            for event in events { entries[event.entry.key] = event.isDeletion ? nil : Entry(event.entry, keys) }
            (self.revision, confirmed) = (revision, revision)
        }

        // MARK: Freshness

        /// Whether an answer of the cluster is of a revision that is known to be here.
        func isConfirmed(_ answer: EtcdAnswer) -> Bool { answer.cluster.isIdentical(to: cluster) && answer.revision == confirmed }

        /// What to ask for ``confirm(_:askedAt:)``: how many settings there are, and which changed last. For it etcd reads all of them.
        var question: EtcdRequest { keys.everything(["limit": "1", "sort_order": "DESCEND", "sort_target": "MOD", "keys_only": true]) }

        /// What an answer to ``question`` says, or one that ``isConfirmed(_:)``, of this replica, which had the revision `asked` then. The number
        /// of settings and their last change tell any two states of one history apart: a change that is missed makes the last one later
        /// or, if something was removed, the number smaller.
        mutating func confirm(_ answer: EtcdAnswer, askedAt asked: Int) -> Confirmation {
            guard answer.cluster.isIdentical(to: cluster) else { return .readAgain(why: "another cluster answers") }
            guard answer.revision >= asked else { return .readAgain(why: "the cluster went back to revision \(answer.revision)") }
            // What came on the watch meanwhile came in order, so that all before it is here too.
            if revision > answer.revision || isConfirmed(answer) {
                behind = nil
                return .fresh
            }
            let last = entries.values.map(\.revision).max() ?? 0
            guard answer.count == entries.count, answer.entries.first?.revision ?? 0 == last else {
                // If nothing at all has come from one question to the next, the watch leads nowhere.
                guard behind != revision else { return .readAgain(why: "the watch has missed a change") }
                behind = revision
                return .behind
            }
            (confirmed, behind) = (answer.revision, nil)
            return .fresh
        }

        // MARK: What machines get

        var origin: FleetMirror.Origin { FleetMirror.Origin(cluster: cluster, revision: revision) }

        /// The values for a machine: the narrower wins, and of its groups the later one.
        func values(forHost host: String, groups: [String]) -> [PreferencesKey: FleetMirror.Value] {
            let targets: [FleetTarget] = [.everyone] + groups.map { .group($0) } + [.host(host)]
            let ranks = Dictionary(targets.enumerated().map { ($1, $0) }) { _, later in later }
            var best: [PreferencesKey: (rank: Int, value: FleetMirror.Value)] = [:]
            for entry in entries.values {
                guard let place = entry.place, let record = entry.record, let rank = ranks[place.target], rank >= best[place.key]?.rank ?? 0
                else { continue }
                best[place.key] = (rank, FleetMirror.Value(json: record.value, version: record.version))
            }
            return best.mapValues(\.value)
        }

        /// The settings that no program can read, because something other than a record lies there.
        var broken: [FleetKeys.Place] { entries.values.compactMap { $0.record == nil ? $0.place : nil } }

        /// The secrets as the cluster has them; nil if it has none.
        var secrets: SecretsVerdict.Offer? {
            entries[keys.secrets].map { secrets in
                SecretsVerdict.Offer(bytes: Array(secrets.data), epoch: entries[keys.secretsEpoch].flatMap { SecretsEpoch($0.data)?.number } ?? 0)
            }
        }

        /// All settings, sorted by key, wider targets first.
        var settings: [FleetSetting] {
            entries.values.compactMap { entry in
                entry.place.map { FleetSetting(key: $0.key.text, target: $0.target, record: entry.record, revision: entry.revision) }
            }.sorted { "\($0.key)\0\($0.target.path)".utf8.lexicographicallyPrecedes("\($1.key)\0\($1.target.path)".utf8) }
        }
    }
#endif
