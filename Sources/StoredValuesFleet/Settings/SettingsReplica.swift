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

        /// What the cluster is asked for a confirmation.
        enum Question: Sendable {
            /// When a setting was last changed, by the one key that each change puts. It costs etcd the same for any number of settings,
            /// and does not hear of what something else than a `Fleet` changes: etcdctl, or an older version.
            case mark
            /// How many settings there are, and which changed last. For it etcd reads all of them.
            case everything
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
        /// Whether no removal can have been missed before all was read: see ``resumeWatch()``.
        private var isWhole = true
        /// The revision of the last change that is here, removals included.
        private var lastChange: Int
        /// The revision of this replica when the cluster last had changes that were not here; nil if it had none.
        private var behind: Int?
        private(set) var entries: [Data: Entry] = [:]
        /// The settings that no program can read, because something other than a record lies there.
        private(set) var broken: Set<FleetKeys.Place> = []

        init(_ answer: EtcdAnswer, _ keys: FleetKeys) {
            (self.keys, cluster, revision, confirmed) = (keys, answer.cluster, answer.revision, answer.revision)
            lastChange = answer.entries.reduce(0) { max($0, $1.revision) }
            entries.reserveCapacity(answer.entries.count)
            for found in answer.entries { put(Entry(found, keys), found.key) }
        }

        /// Takes over changes that lead to `revision`. Returns whose settings they are.
        @discardableResult
        mutating func apply(_ events: [EtcdEvent], revision: Int) -> Set<PreferencesKey> {
            for event in events { put(event.isDeletion ? nil : Entry(event.entry, keys), event.entry.key) }
            (self.revision, confirmed, lastChange) = (revision, revision, revision)
            return Set(events.compactMap { keys.place(of: $0.entry.key)?.key })
        }

        private mutating func put(_ entry: Entry?, _ key: Data) {
            let old = entries[key]
            entries[key] = entry
            if let place = old?.place, old?.record == nil { broken.remove(place) }
            if let entry, entry.record == nil, let place = entry.place { broken.insert(place) }
        }

        // MARK: Freshness

        /// Whether an answer of the cluster is of a revision that is known to be here.
        func isConfirmed(_ answer: EtcdAnswer) -> Bool { isWhole && answer.cluster.isIdentical(to: cluster) && answer.revision == confirmed }

        /// What the key that each change puts holds here; nil if no change by a `Fleet` has put it yet.
        var mark: Entry? { entries[keys.mark] }

        /// Whether the cluster may have something that is not here, and did not come since that was found out.
        var isBehind: Bool { behind != nil }

        /// What to ask for ``confirm(_:_:askedAt:)``.
        func request(_ question: Question) -> EtcdRequest {
            switch question {
            case .mark: .read(keys.mark)
            case .everything: keys.everything(["limit": "1", "sort_order": "DESCEND", "sort_target": "MOD", "keys_only": true])
            }
        }

        /// What an answer to the question says, or one that ``isConfirmed(_:)``, of this replica, which had the revision `asked` then. The number
        /// of settings and their last change tell any two states of one history apart: a change that is missed makes the last one later
        /// or, if something was removed, the number smaller.
        mutating func confirm(_ answer: EtcdAnswer, _ question: Question = .everything, askedAt asked: Int) -> Confirmation {
            guard answer.cluster.isIdentical(to: cluster) else { return .readAgain(why: "another cluster answers") }
            guard answer.revision >= asked else { return .readAgain(why: "the cluster went back to revision \(answer.revision)") }
            // What came on the watch meanwhile came in order, so that all before it is here too.
            if revision > answer.revision || isConfirmed(answer) {
                behind = nil
                return .fresh
            }
            let last = answer.entries.first?.revision ?? 0
            let isSame =
                switch question {
                case .mark: last == mark?.revision ?? 0
                case .everything: answer.count == entries.count && last == entries.values.reduce(0) { max($0, $1.revision) }
                }
            guard isSame else {
                // If nothing at all has come from one question to the next, the watch leads nowhere.
                guard behind != revision else { return .readAgain(why: "the watch has missed a change") }
                behind = revision
                return .behind
            }
            if question == .everything { (confirmed, isWhole) = (answer.revision, true) }
            behind = nil
            return .fresh
        }

        /// Whether this is the cluster's history up to this revision, so that a watch may go on from there. `then` is what the key of
        /// ``mark`` held in the cluster at this revision: the name of a record of the log, which no two histories share. It says nothing of what
        /// came after it, by etcdctl or an older version: that may be of a history that was lost.
        func isContinued(by then: EtcdKeyValue?, of cluster: String) -> Bool {
            guard let mark, let then, self.cluster.isIdentical(to: cluster), lastChange == mark.revision else { return false }
            return then.revision == mark.revision && then.value == mark.data
        }

        /// A watch goes on from here. What had been removed without a mark before all was read is known only to a question for everything.
        mutating func resumeWatch() { isWhole = false }

        // MARK: What machines get

        var origin: FleetMirror.Origin { FleetMirror.Origin(cluster: cluster, revision: revision) }

        /// The keys of all settings, whatever machines they are for.
        var settingKeys: Set<PreferencesKey> { Set(entries.values.compactMap { $0.place?.key }) }

        /// The value of a setting on a machine: the narrower target wins, and of its groups the later one.
        func value(of key: PreferencesKey, forHost host: String, groups: [String]) -> FleetMirror.Value? {
            let targets: [FleetTarget] = [.host(host)] + groups.reversed().map { .group($0) } + [.everyone]
            return targets.lazy.compactMap { entries[keys.key(of: FleetKeys.Place(target: $0, key: key))]?.record }
                .first.map { FleetMirror.Value(json: $0.value, version: $0.version) }
        }

        /// Whether there is no setting.
        var isEmpty: Bool { !entries.values.contains { $0.place != nil } }

        /// The secrets as the cluster has them, and whether one of these keys has signed them, which nobody knows without keys; nil if it has none.
        func secrets(signedBy signers: [SigningPublicKey]) -> SecretsVerdict.Offer? {
            entries[keys.secrets].map { secrets in
                let epoch = entries[keys.secretsEpoch].flatMap { SecretsEpoch($0.data)?.number } ?? 0
                var offer = SecretsVerdict.Offer(bytes: Array(secrets.data), epoch: epoch)
                guard !signers.isEmpty else { return offer }
                let signature = entries[keys.secretsSignature].flatMap { SecretsSignature($0.data) }
                let statement = SealedStatement(offer.bytes, epoch: epoch, applicationID: keys.applicationID)
                offer.trust =
                    if let signature, let statement, signers.contains(where: { $0.hasSigned(statement, signature.bytes) }) {
                        .signed
                    } else {
                        .unsigned(isKnownSigner: signature.map { signers.contains($0.signer) })
                    }
                return offer
            }
        }

        /// All settings, sorted by key, wider targets first.
        var settings: [FleetSetting] {
            FleetSetting.sorted(
                entries.values.compactMap { entry in
                    entry.place.map { FleetSetting(key: $0.key.text, target: $0.target, record: entry.record, revision: entry.revision) }
                })
        }
    }

    extension FleetSetting {
        /// By key, wider targets first.
        static func sorted(_ settings: [FleetSetting]) -> [FleetSetting] {
            settings.map { (order: Array("\($0.key)\0\($0.target.path)".utf8), setting: $0) }
                .sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.setting)
        }
    }
#endif
