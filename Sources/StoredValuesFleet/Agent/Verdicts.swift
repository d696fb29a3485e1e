#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    // What follows from what the cluster says. Decides, and does nothing.

    /// What an answer on a watch means for those who have all changes up to a revision of a cluster.
    enum WatchVerdict: Equatable, Sendable {
        /// These changes, which lead to that revision.
        case changes([EtcdEvent], revision: Int)
        /// The watch has begun, or nothing has changed.
        case nothing
        /// Changes were missed, or the history is another one.
        case readAgain(why: String)
        /// The cluster does not let this user watch.
        case refused(why: String)

        init(_ answer: EtcdAnswer, after revision: Int, in cluster: String) {
            let events = answer.events, revisions = events.map(\.entry.revision)
            self =
                if !answer.cluster.isIdentical(to: cluster) {
                    .readAgain(why: "another cluster answers")
                } else if answer.isCanceled, answer.compacted > 0 {
                    .readAgain(why: "the cluster was compacted up to revision \(answer.compacted), after revision \(revision)")
                } else if answer.isCanceled {
                    .refused(why: answer.reason?.asOneLine(upTo: EtcdError.longestReason) ?? "the cluster ended the watch without a reason")
                } else if events.isEmpty {
                    // The revision when the watch began. If it is lower than ours, the cluster was restored from an older copy, and a
                    // watch that begins after ours would be silent until new changes have come as far.
                    answer.isCreated && answer.revision < revision ? .readAgain(why: "the cluster went back to revision \(answer.revision)") : .nothing
                } else if let last = revisions.max(), revisions.allSatisfy({ $0 > revision }) {
                    // Not the revision of the answer: to a watch that lags behind, etcd sends a thousand revisions at a time, and says
                    // with each part how far the cluster is (watchBatchMaxRevs).
                    .changes(events, revision: last)
                } else {
                    .readAgain(why: "the cluster repeated a revision")
                }
        }
    }

    /// Whether an agent takes over what it has read from the cluster.
    enum MirrorVerdict: Equatable, Sendable {
        case adopt
        /// The same, if the cluster had settings at that revision: then they were removed since.
        case adoptIfRemoved(since: Int)
        /// The mirror stays as it is, and is not fresh.
        case keep(why: String)

        /// The cluster is at `origin`, and `isEmpty` of the application's settings; the latest state that this machine has seen is `known`.
        init(isEmpty: Bool, origin: FleetMirror.Origin, mirror: FleetMirror?, known: FleetMirror.Origin?) {
            // A cluster whose data were lost begins anew with the same number (it is made of the members' addresses), and with
            // nothing: every machine would lose its settings at once. What others have stored since may have brought it past the
            // revision that is known here; then only its history tells.
            guard isEmpty, let mirror, !mirror.values.isEmpty, let known else {
                self = .adopt
                return
            }
            self =
                if !origin.cluster.isIdentical(to: known.cluster) {
                    .keep(why: "another cluster answers, and it has no settings of this application; the last ones are kept until it has some")
                } else if origin.revision < known.revision {
                    .keep(
                        why: """
                            the cluster has lost its data: it is at revision \(origin.revision), was at \(known.revision), and has no settings; \
                            the last ones are kept until it has some
                            """)
                } else {
                    .adoptIfRemoved(since: known.revision)
                }
        }
    }

    /// Whether an agent takes over the secrets that the cluster has.
    ///
    /// An agent has no key. With its public half it knows whether the file is genuine; without that it cannot tell. It sees the generation in
    /// the header, which grows with each change, and the epoch, which operators begin anew when older secrets are to count again. Secrets
    /// that were seen are never replaced by older ones, and never removed: an old backup, or whoever can write to the cluster, would bring
    /// revoked ones back.
    enum SecretsVerdict: Equatable, Sendable {
        /// Whether the machine's keys have signed what the cluster has.
        enum Trust: Equatable, Sendable {
            /// There are no such keys.
            case unknown
            case signed
            /// Whether the signature claims to be of one of the keys; nil if there is none.
            case unsigned(isKnownSigner: Bool?)

            fileprivate var doubt: String? {
                let why =
                    switch self {
                    case .unknown, .signed: String?.none
                    case .unsigned(nil): "have no signature: something other than stored-values-fleet, or an older version, has changed them"
                    case .unsigned(false?): "are signed with another key than those that this agent was given: see --secrets-public-key"
                    case .unsigned(true?): "are not what was signed: they were forged, or changed by an older version"
                    }
                return why.map { "the cluster's secrets \($0); they are not used, and the last ones are kept until genuine ones are stored" }
            }
        }

        /// What the cluster has.
        struct Offer: Equatable, Sendable {
            var bytes: [UInt8]
            var epoch: Int
            var trust = Trust.unknown
        }

        /// The latest that this machine has seen.
        struct Seen: Equatable, Sendable {
            var epoch: Int
            var generation: UInt64
            /// Whether the cluster has offered older ones since. What follows them may be built on them: a confirmation is needed.
            var hasRefusedOlder = false
        }

        case nothing
        /// The file is there, and what was seen of it is to be noted.
        case note(Seen)
        case replace([UInt8], Seen)
        /// The file stays as it is, for this reason; and if something was seen for the first time, that is to be noted.
        case keep(why: String, noting: Seen? = nil)

        init(_ offer: Offer?, mirrored: [UInt8]?, seen: Seen?, now: Date = .now) { self = Self.decide(offer, mirrored, seen, now) }

        private static func decide(_ offer: Offer?, _ mirrored: [UInt8]?, _ seen: Seen?, _ now: Date) -> SecretsVerdict {
            let isFirst = mirrored == nil && seen == nil
            guard let offer else {
                return isFirst ? .nothing : .keep(why: "the cluster has no secrets any more; the last ones are kept until some are stored")
            }
            // Once taken over, no confirmation would ever count again.
            guard !SecretsEpoch(number: offer.epoch).isFuture(at: now) else {
                return .keep(
                    why: """
                        the restore of the secrets was confirmed at a time in the future, so they are not used; check the clocks, and confirm it \
                        again: stored-values-fleet secret confirm
                        """,
                    noting: isFirst ? Seen(epoch: 0, generation: 0) : nil)
            }
            // With nothing noted and no file, programs would take it that there are no secrets. Nobody has signed the epoch here.
            let first = isFirst ? Seen(epoch: offer.trust == .unknown ? offer.epoch : 0, generation: 0) : nil
            guard let generation = SealedSecrets.generation(of: offer.bytes) else {
                return .keep(why: "what the cluster has in place of the secrets is not an encrypted file that this version knows", noting: first)
            }
            if let doubt = offer.trust.doubt { return .keep(why: doubt, noting: first) }
            let new = Seen(epoch: offer.epoch, generation: generation)
            // The file that is here may come with an earlier epoch, or be older than what was noted: to note that would let older ones count again.
            guard mirrored != offer.bytes || seen.map(new.isOlder) ?? false else {
                return seen.map { !$0.isOlder(than: new) && !$0.hasRefusedOlder } ?? false ? .nothing : .note(new)
            }
            // What was noted may be missing or older than the file, which is written first; and the file may be gone, damaged or
            // older than what was noted: then what was noted is to be brought back.
            let here = mirrored.flatMap(SealedSecrets.generation).map { Seen(epoch: seen?.epoch ?? 0, generation: $0) }
            let latest = [here, seen].compactMap(\.self).max { $0.isOlder(than: $1) }
            let isOld = latest.map(new.isOlder) ?? false || here.map { !$0.isOlder(than: new) } ?? false
            let isTainted = seen?.hasRefusedOlder ?? false && new.epoch <= latest?.epoch ?? 0
            guard var latest, isOld || isTainted else { return .replace(offer.bytes, new) }
            latest.hasRefusedOlder = true
            return .keep(
                why: """
                    the cluster's secrets are not newer than those that this machine has seen (generation \(new.generation), seen \
                    \(latest.generation)), or are based on such, so they are not used; if they were restored from a backup on purpose, confirm \
                    it: stored-values-fleet secret confirm
                    """,
                noting: latest == seen ? nil : latest)
        }
    }

    /// The record by which whoever changes the secrets signs them.
    struct SecretsSignature: Sendable {
        let signer: SigningPublicKey
        let bytes: [UInt8]

        init(by signer: SigningPublicKey, bytes: [UInt8]) { (self.signer, self.bytes) = (signer, bytes) }

        init?(_ data: Data) {
            guard let json = try? JSONValue(parsing: Array(data)), let signer = json["key"]?.stringValue.flatMap({ SigningPublicKey(text: $0) }),
                let bytes = json["signature"]?.stringValue.flatMap({ Data(base64Encoded: $0) })
            else { return nil }
            self.init(by: signer, bytes: Array(bytes))
        }

        var data: Data {
            let json: JSONValue = ["key": .string(signer.text), "signature": .bytes(Data(bytes))]
            return Data(json.text(onOneLine: true))
        }
    }

    extension SecretsVerdict.Seen {
        func isOlder(than other: Self) -> Bool { (epoch, generation) < (other.epoch, other.generation) }

        /// What a file says; nil if it says nothing of this.
        init?(parsing bytes: [UInt8]) {
            guard let json = try? JSONValue(parsing: bytes), let epoch = json["epoch"]?.intValue,
                let generation = json["generation"]?.stringValue.flatMap({ UInt64($0) })
            else { return nil }
            self.init(epoch: epoch, generation: generation, hasRefusedOlder: json["refusedOlder"] == true)
        }

        var bytes: [UInt8] {
            var json: JSONValue = ["epoch": JSONValue(epoch), "generation": .string(String(generation))]
            if hasRefusedOlder { json["refusedOlder"] = true }
            return Array("\(json.text(onOneLine: false))\n".utf8)
        }
    }

    /// The record by which operators say that older secrets count again: the milliseconds since 1970 at which they said so.
    struct SecretsEpoch: Sendable {
        let number: Int

        /// The one to say so by now: later than `last`, also where this clock is behind, unless that one is of a time to come.
        static func next(after last: SecretsEpoch?, at now: Date) -> SecretsEpoch {
            let milliseconds = milliseconds(now)
            guard let last, !last.isFuture(at: now) else { return SecretsEpoch(number: milliseconds) }
            return SecretsEpoch(number: max(last.number + 1, milliseconds))
        }

        /// Whether it lies further ahead than clocks differ.
        func isFuture(at now: Date) -> Bool { number > Self.milliseconds(now) + 86_400_000 }

        private static func milliseconds(_ time: Date) -> Int { Int(time.timeIntervalSince1970 * 1000) }

        init(number: Int) { self.number = number }

        init?(_ data: Data) {
            guard let number = (try? JSONValue(parsing: Array(data)))?["epoch"]?.intValue, number >= 0 else { return nil }
            self.number = number
        }

        func data(writer: String, time: String) -> Data {
            let json: JSONValue = ["at": .string(time), "by": .string(writer), "epoch": JSONValue(number)]
            return Data(json.text(onOneLine: true))
        }
    }

    /// Why an agent cannot say that its mirror is fresh.
    struct AgentProblem: Error, Equatable, Sendable {
        /// Ends without a full stop.
        let why: String
        /// Whether the cluster has said so. Otherwise it only did not answer, which is nothing before the last answer is old.
        let isCertain: Bool

        init(_ why: String, isCertain: Bool) { (self.why, self.isCertain) = (why.withoutFullStop, isCertain) }  // errors of files are whole sentences

        static func secrets(_ why: Any) -> AgentProblem {
            AgentProblem("the secrets on this machine could not be brought up to date: \(why)", isCertain: true)
        }

        init(_ error: any Error) {
            switch error {
            case let problem as AgentProblem: self = problem
            case let error as EtcdError: self.init(error.sentence, isCertain: !error.isTransient && error.reason != .cancelled)
            case let error as FleetError: self.init(error.sentence, isCertain: true)
            default: self.init("\(error)", isCertain: false)
            }
        }
    }
#endif
