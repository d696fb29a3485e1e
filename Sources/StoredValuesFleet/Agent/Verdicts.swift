#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    // Pure decisions about the cluster's answers.

    /// What an answer on a watch means for a client that has all changes up to a revision.
    enum WatchVerdict: Equatable, Sendable {
        /// These changes, up to that revision.
        case changes([EtcdEvent], revision: Int)
        /// The watch has begun, or nothing has changed.
        case nothing
        /// Changes were missed, or the cluster has another history.
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
                    // The cluster's revision when the watch began. If it is below ours, the cluster was restored from an older copy, and
                    // the watch would be silent until new changes have passed our revision.
                    answer.isCreated && answer.revision < revision ? .readAgain(why: "the cluster went back to revision \(answer.revision)") : .nothing
                } else if let last = revisions.max(), revisions.allSatisfy({ $0 > revision }) {
                    // Not the revision of the answer, which is the cluster's: etcd sends a watch that lags behind a thousand revisions at
                    // a time (watchBatchMaxRevs).
                    .changes(events, revision: last)
                } else {
                    .readAgain(why: "the cluster repeated a revision")
                }
        }
    }

    /// Whether an agent uses what it has read from the cluster.
    enum MirrorVerdict: Equatable, Sendable {
        case adopt
        /// Adopt, if the cluster had settings at that revision: then somebody has removed them since.
        case adoptIfRemoved(since: Int)
        /// The mirror stays as it is, and is not fresh.
        case keep(why: String)

        /// - Parameters:
        ///   - isEmpty: Whether the cluster has no settings of the application.
        ///   - origin: The cluster's state.
        ///   - known: The latest state that this machine has seen.
        init(isEmpty: Bool, origin: FleetMirror.Origin, mirror: FleetMirror?, known: FleetMirror.Origin?) {
            // A cluster that has lost its data starts empty with the same id, which is made from the members' addresses: every machine
            // would lose its settings at once. If later changes have brought it past the known revision, only its history shows that.
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

    /// Whether an agent uses the secrets that the cluster has.
    ///
    /// An agent cannot open the file; with the public key it can verify the signature. It sees the generation in the header, which grows with each
    /// change, and the epoch, which grows when operators accept restored secrets. Secrets are never replaced by older ones and never
    /// removed: otherwise an old backup, or anybody who can write to the cluster, could bring revoked ones back.
    enum SecretsVerdict: Equatable, Sendable {
        /// Whether one of the machine's public keys verifies the cluster's file.
        enum Trust: Equatable, Sendable {
            /// The machine has no public keys.
            case unknown
            case signed
            /// `isKnownSigner`: whether the signature names one of the keys; nil if there is no signature.
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

        struct Offer: Equatable, Sendable {
            var bytes: [UInt8]
            var epoch: Int
            var trust = Trust.unknown
        }

        /// The latest that this machine has seen.
        struct Seen: Equatable, Sendable {
            var epoch: Int
            var generation: UInt64
            /// Whether the cluster has had older ones since. Later ones may be based on these, so operators must confirm them.
            var hasRefusedOlder = false
        }

        case nothing
        /// Keep the file, and store what was seen of it.
        case note(Seen)
        case replace([UInt8], Seen)
        /// Keep the file, for this reason, and store what was seen, if given.
        case keep(why: String, noting: Seen? = nil)

        init(_ offer: Offer?, mirrored: [UInt8]?, seen: Seen?, now: Date = .now) { self = Self.decide(offer, mirrored, seen, now) }

        private static func decide(_ offer: Offer?, _ mirrored: [UInt8]?, _ seen: Seen?, _ now: Date) -> SecretsVerdict {
            let isFirst = mirrored == nil && seen == nil
            guard let offer else {
                return isFirst ? .nothing : .keep(why: "the cluster has no secrets any more; the last ones are kept until some are stored")
            }
            // Once accepted, no later confirmation would count.
            guard !SecretsEpoch(number: offer.epoch).isFuture(at: now) else {
                return .keep(
                    why: """
                        the restore of the secrets was confirmed at a time in the future, so they are not used; check the clocks, and confirm it \
                        again: stored-values-fleet secret confirm
                        """,
                    noting: isFirst ? Seen(epoch: 0, generation: 0) : nil)
            }
            // With neither a file nor a note, programs would assume that there are no secrets. With public keys the epoch is 0, because it was
            // not verified.
            let first = isFirst ? Seen(epoch: offer.trust == .unknown ? offer.epoch : 0, generation: 0) : nil
            guard let generation = SealedSecrets.generation(of: offer.bytes) else {
                return .keep(why: "what the cluster has in place of the secrets is not an encrypted file that this version knows", noting: first)
            }
            if let doubt = offer.trust.doubt { return .keep(why: doubt, noting: first) }
            let new = Seen(epoch: offer.epoch, generation: generation)
            // Never lower the note, not even if the same file is offered with an earlier epoch: older secrets would count again.
            guard mirrored != offer.bytes || seen.map(new.isOlder) ?? false else {
                return seen.map { !$0.isOlder(than: new) && !$0.hasRefusedOlder } ?? false ? .nothing : .note(new)
            }
            // The note may be missing or older than the file, which is written first. If the file is gone, damaged or older than the note,
            // the noted secrets are to be written again.
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

    /// The record with the signature of the secrets.
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

        /// The content of a file; nil if it is not valid.
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

    /// The record by which operators accept restored secrets: the time of that in milliseconds since 1970.
    struct SecretsEpoch: Sendable {
        let number: Int

        /// A new epoch: later than `last` even if this clock is slow, unless `last` lies in the future.
        static func next(after last: SecretsEpoch?, at now: Date) -> SecretsEpoch {
            let milliseconds = milliseconds(now)
            guard let last, !last.isFuture(at: now) else { return SecretsEpoch(number: milliseconds) }
            return SecretsEpoch(number: max(last.number + 1, milliseconds))
        }

        /// Whether it is more than a day ahead of this clock.
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

    /// Why an agent's mirror may not be fresh.
    struct AgentProblem: Error, Equatable, Sendable {
        /// Ends without a full stop.
        let why: String
        /// Whether the mirror is stale at once. Otherwise, as for a missing answer, only when the last confirmation is too old.
        let isCertain: Bool

        init(_ why: String, isCertain: Bool) { (self.why, self.isCertain) = (why.withoutFullStop, isCertain) }  // errors of files have one

        static func secrets(_ why: Any) -> AgentProblem {
            AgentProblem("the secrets on this machine could not be brought up to date: \(why)", isCertain: true)
        }

        init(_ error: any Error) {
            switch error {
            case let problem as AgentProblem: self = problem
            case let error as EtcdError: self.init(error.sentence, isCertain: !error.isTransient && error.reason != .cancelled)
            default: self.init("\(error)", isCertain: false)
            }
        }
    }
#endif
