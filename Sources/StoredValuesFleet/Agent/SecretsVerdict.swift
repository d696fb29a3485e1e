#if Fleet
    import FoundationEssentials
    import StoredValues

    /// Whether an agent takes over the secrets that the cluster has. Decides, and does nothing.
    ///
    /// An agent has no key, so it cannot know whether the file is sound. It sees the generation in the header, which grows with each
    /// change, and the epoch, which operators begin anew when older secrets are to count again. Secrets that were seen are never
    /// replaced by older ones, and never removed: an old backup, or whoever can write to the cluster, would bring revoked ones back.
    enum SecretsVerdict: Equatable, Sendable {
        /// What the cluster has.
        struct Offer: Equatable, Sendable {
            var bytes: [UInt8]
            var epoch: Int
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

        init(_ offer: Offer?, mirrored: [UInt8]?, seen: Seen?, now: Date = .now) {
            guard let offer else {
                self = mirrored == nil && seen == nil ? .nothing : .keep(why: "the cluster has no secrets any more; the last ones are kept until some are stored")
                return
            }
            // Once taken over, no confirmation would ever count again.
            guard !SecretsEpoch(number: offer.epoch).isFuture(at: now) else {
                self = .keep(why: "the restore of the secrets was confirmed at a time in the future, so they are not used; check the clocks, and say so again: stored-values-fleet secret confirm")
                return
            }
            guard let generation = SealedSecrets.generation(of: offer.bytes) else {
                // With nothing noted and no file, programs would take it that there are no secrets.
                let isFirst = mirrored == nil && seen == nil
                self = .keep(
                    why: "what the cluster has in place of the secrets is not an encrypted file that this version knows",
                    noting: isFirst ? Seen(epoch: offer.epoch, generation: 0) : nil)
                return
            }
            let new = Seen(epoch: offer.epoch, generation: generation)
            guard mirrored != offer.bytes else {
                self = seen.map { !$0.isOlder(than: new) && !$0.hasRefusedOlder } ?? false ? .nothing : .note(new)
                return
            }
            // What was noted may be missing or older than the file, which is written first; and the file may be gone, damaged or
            // older than what was noted: then what was noted is to be brought back.
            let here = mirrored.flatMap(SealedSecrets.generation).map { Seen(epoch: seen?.epoch ?? 0, generation: $0) }
            if var latest = [here, seen].compactMap(\.self).max(by: { $0.isOlder(than: $1) }) {
                let isRefused = new.isOlder(than: latest) || here.map({ !$0.isOlder(than: new) }) ?? false
                let isTainted = seen?.hasRefusedOlder ?? false && new.epoch <= latest.epoch
                if isRefused || isTainted {
                    latest.hasRefusedOlder = true
                    self = .keep(
                        why: "the cluster's secrets are not later than what this machine has seen (generation \(new.generation), seen \(latest.generation)), or follow such, and are not used; if they were restored from a backup on purpose, say so: stored-values-fleet secret confirm",
                        noting: latest == seen ? nil : latest)
                } else {
                    self = .replace(offer.bytes, new)
                }
            } else {
                self = .replace(offer.bytes, new)
            }
        }
    }

    extension SecretsVerdict.Seen {
        func isOlder(than other: Self) -> Bool { (epoch, generation) < (other.epoch, other.generation) }

        /// What a file says; nil if it says nothing of this.
        init?(parsing bytes: [UInt8]) {
            guard let text = String(validating: bytes, as: UTF8.self), let json = JSONValue(text: text), let epoch = json["epoch"]?.intValue,
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
            guard let text = String(validating: data, as: UTF8.self), let number = JSONValue(text: text)?["epoch"]?.intValue, number >= 0 else {
                return nil
            }
            self.number = number
        }

        func data(writer: String, time: String) -> Data {
            let json: JSONValue = ["at": .string(time), "by": .string(writer), "epoch": JSONValue(number)]
            return Data(json.text(onOneLine: true))
        }
    }
#endif
