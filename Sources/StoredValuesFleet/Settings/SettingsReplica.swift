#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    /// Everything in the cluster under an application's ``FleetKeys/settings``, at one revision.
    struct SettingsReplica: Sendable {
        struct Entry: Sendable {
            /// The revision of its last change.
            let revision: Int
            /// Which setting it is; nil if it is not a setting.
            let place: FleetKeys.Place?
            /// The setting's record; nil if it is not valid.
            let record: FleetRecord?
            /// The value, if it is not a setting.
            let data: Data

            init(_ found: EtcdKeyValue, _ keys: FleetKeys) {
                (revision, place) = (found.revision, keys.place(of: found.key))
                (record, data) = place == nil ? (nil, found.value) : (FleetRecord(found.value), Data())
            }
        }

        /// The question by which the cluster confirms a replica.
        enum Question: Sendable {
            /// When a setting was last changed, by reading ``FleetKeys/mark``. It costs etcd the same for any number of settings, but does not
            /// notice changes by etcdctl or an older version.
            case mark
            /// How many entries there are, and when the last one changed. For this, etcd reads all of them.
            case everything
        }

        /// What an answer of the cluster means for this replica.
        enum Confirmation: Equatable, Sendable {
            /// The replica has everything that the cluster had when it answered.
            case fresh
            /// The cluster has changes that may still arrive on the watch.
            case behind
            /// The cluster is another one, has an older state, or has changes of which none arrived since the last question.
            case readAgain(why: String)
        }

        let keys: FleetKeys
        let cluster: String
        /// The replica has all changes up to this revision.
        private(set) var revision: Int
        /// The latest revision of the cluster at which the replica was known to be complete.
        private var confirmed: Int
        /// Whether no removal can have been missed: see ``resumeWatch()``.
        private var isWhole = true
        /// The revision of the last change in this replica, including removals that the watch brought.
        private var lastChange: Int
        /// The revision of this replica at the last question, if the cluster had changes that were not here; otherwise nil.
        private var behind: Int?
        private(set) var entries: [Data: Entry] = [:]
        /// The settings without a valid record, which no program can read.
        private(set) var broken: Set<FleetKeys.Place> = []

        init(_ answer: EtcdAnswer, _ keys: FleetKeys) {
            (self.keys, cluster, revision, confirmed) = (keys, answer.cluster, answer.revision, answer.revision)
            lastChange = answer.entries.reduce(0) { max($0, $1.revision) }
            entries.reserveCapacity(answer.entries.count)
            for found in answer.entries { put(Entry(found, keys), found.key) }
        }

        /// Applies changes up to `revision`. Returns the keys of the changed settings.
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

        /// Whether the cluster's revision in an answer is one at which the replica is known to be complete.
        func isConfirmed(_ answer: EtcdAnswer) -> Bool { isWhole && answer.cluster.isIdentical(to: cluster) && answer.revision == confirmed }

        /// The entry of ``FleetKeys/mark``; nil if no `Fleet` has made a change yet.
        var mark: Entry? { entries[keys.mark] }

        /// Whether the last answer had changes that are not here.
        var isBehind: Bool { behind != nil }

        /// The request whose answer ``confirm(_:_:askedAt:)`` takes.
        func request(_ question: Question) -> EtcdRequest {
            switch question {
            case .mark: .read(keys.mark)
            case .everything: keys.everything(["limit": "1", "sort_order": "DESCEND", "sort_target": "MOD", "keys_only": true])
            }
        }

        /// What the answer to a question means for this replica, which had the revision `asked` when it was sent. The number of entries and the
        /// revision of the last change distinguish any two states of one history: a missed change makes the revision later or, if it was a
        /// removal, the number smaller.
        mutating func confirm(_ answer: EtcdAnswer, _ question: Question = .everything, askedAt asked: Int) -> Confirmation {
            guard answer.cluster.isIdentical(to: cluster) else { return .readAgain(why: "another cluster answers") }
            guard answer.revision >= asked else { return .readAgain(why: "the cluster went back to revision \(answer.revision)") }
            // Changes arrive in order, so a later one means that all earlier ones are here too.
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
                // If nothing at all has arrived between two questions, the watch is dead.
                guard behind != revision else { return .readAgain(why: "the watch has missed a change") }
                behind = revision
                return .behind
            }
            if question == .everything { (confirmed, isWhole) = (answer.revision, true) }
            behind = nil
            return .fresh
        }

        /// Whether the cluster has the same history up to this revision, so that a watch may continue from it. `then` is the cluster's entry of
        /// ``mark`` at this revision: its value is the key of a record in the log, which is unique. It does not cover a later change by etcdctl or an
        /// older version, which may belong to a history that was lost; after such a change the answer is no, unless it was a removal before
        /// everything was read.
        func isContinued(by then: EtcdKeyValue?, of cluster: String) -> Bool {
            guard let mark, let then, self.cluster.isIdentical(to: cluster), lastChange == mark.revision else { return false }
            return then.revision == mark.revision && then.value == mark.data
        }

        /// A watch continues from here. A removal by etcdctl before that may have been missed, which only ``Question/everything`` can tell.
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

        /// The cluster's secrets, and whether one of these keys has signed them; nil if it has no secrets.
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
