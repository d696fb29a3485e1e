#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesFiles
    import StoredValuesSupport

    /// The state of an agent. Each method is a step: it changes the state and returns the actions that the agent then carries out, in order.
    struct AgentSteps: Sendable {
        enum Action: Equatable, Sendable {
            case writeReport(FleetReport)
            case writeMirror([UInt8])
            case writeSecrets([UInt8])
            case writeSeen(SecretsVerdict.Seen)
            /// Log this for the operators.
            case note(String)
            /// End the watch, and read everything again after a pause. Always the last action.
            case fail(AgentProblem)
        }

        /// The secrets on this machine.
        enum Secrets: Equatable, Sendable {
            case read(bytes: [UInt8]?, seen: SecretsVerdict.Seen?)
            case unread(why: String)
        }

        private let configuration: FleetAgent.Configuration
        var id: String { configuration.applicationID }
        /// What is known of the cluster's settings; all of it is published. Nil if everything must be read again.
        private(set) var replica: SettingsReplica?
        /// The settings for this machine; nil if it never had any.
        private(set) var mirror: FleetMirror?
        /// The digest of the mirror's file as written, or as found at the start; nil if the file's content is not known.
        private(set) var digest: UInt64?
        /// The latest state of the cluster that was seen; an earlier one means that the cluster was restored or lost its data.
        private(set) var known: FleetMirror.Origin?
        var secrets = Secrets.unread(why: "they were not read yet")
        var areSecretsKnown: Bool { if case .read = secrets { true } else { false } }
        /// Why the cluster's secrets are not used, and since when.
        private var secretsTrouble: (since: Date, why: String)?
        /// Whether it was noted that the agent has no public key to verify the secrets with.
        private var isUnverifiedNoted = false
        private(set) var isWatching = false
        private var report = FleetReport(state: .stale(since: .now, why: "The agent has just started."), confirmed: nil)
        /// Why the cluster was last lost.
        private var problem: AgentProblem?
        /// What was noted since then. During an outage the reasons alternate, as each attempt asks another member.
        private var noted: Set<String> = []
        /// Whether it was noted, since the last loss of the cluster, that the mirror is current.
        private var isAnnounced = false
        private var brokenPlaces: Set<FleetKeys.Place> = []

        init(_ configuration: FleetAgent.Configuration) { self.configuration = configuration }

        // MARK: The files

        /// The agent now holds the lock of the files, which had this content and may be outdated `since` then. If the whole folder is gone, what
        /// the agent remembers counts.
        mutating func begin(with found: (mirror: FleetMirror, digest: UInt64)?, _ there: Secrets, since: Date?, at now: BootMoment) -> [Action] {
            report.state = .stale(since: since ?? self.since(now), why: "The agent has started, and the cluster has not answered yet.")
            (replica, isWatching, secretsTrouble) = (nil, false, nil)
            let isGone = found == nil && there == .read(bytes: nil, seen: nil)
            (mirror, digest, secrets) = (found?.mirror ?? mirror, found?.digest, isGone ? secrets : there)
            known = known ?? mirror?.origin
            return (found == nil ? restore(at: now) : []) + [reportAction(at: now)]
        }

        /// Rewrites the mirror if its file does not have the digest that was written; nil means that there is no file.
        mutating func checkMirror(_ found: UInt64?, at now: BootMoment) -> [Action] {
            guard let digest, found != digest else { return [] }
            return noteOnce("\(id): something other than the agent has changed or removed the mirror; it is rewritten.")
                + restore(at: now) + [reportAction(at: now)]
        }

        /// Rewrites the files from memory, if the secrets are known: to programs, a mirror without secrets means that there are none.
        private mutating func restore(at now: BootMoment) -> [Action] {
            guard let mirror, case .read(let bytes, let seen) = secrets else { return [] }
            return [bytes.map(Action.writeSecrets), seen.map(Action.writeSeen)].compactMap(\.self) + write(mirror, at: now)
        }

        /// An action of the step to `next` failed. The content of the files is then not known, unless the step was only to rewrite the same
        /// content, which is tried again.
        mutating func failed(to next: AgentSteps) {
            noted = next.noted
            guard next.mirror != mirror || next.secrets != secrets else { return }
            (digest, secrets) = (nil, .unread(why: "they were not read again yet"))
        }

        // MARK: The cluster

        /// Everything was read: `new` is all that the cluster had when it was `asked`.
        mutating func adopt(_ new: SettingsReplica, asked: BootMoment, at now: BootMoment) -> [Action] {
            replica = new
            let actions = publish(at: now)
            return areSecretsKnown ? actions + confirmed(asked, at: now) : actions
        }

        /// An answer arrived on the watch.
        mutating func received(_ answer: EtcdAnswer, at now: BootMoment) -> [Action] {
            guard let replica else { return [] }
            isWatching = true
            switch WatchVerdict(answer, after: replica.revision, in: replica.cluster) {
            case .nothing: return []
            case .readAgain(let why): return readAgain(why)
            case .refused(let why): return [.fail(AgentProblem("the cluster refused the watch: \(why)", isCertain: true))]
            case .changes(let events, let revision):
                let actions = publish(self.replica?.apply(events, revision: revision), at: now)
                guard areSecretsKnown else { return actions }
                // A change is no confirmation: what is stale stays stale.
                if case .current = report.state { report.state = .current(revision: revision) }
                return actions + [reportAction(at: now)]
            }
        }

        /// A watch is about to continue from the replica's revision.
        mutating func resumeWatch() -> [Action] {
            replica?.resumeWatch()
            return []
        }

        private mutating func readAgain(_ why: String) -> [Action] {
            replica = nil
            return [.fail(AgentProblem("everything is read again: \(why)", isCertain: false))]
        }

        /// The cluster answered the question whether the replica is up to date, which had this `revision` when it was `asked`.
        mutating func confirm(
            _ answer: EtcdAnswer, _ question: SettingsReplica.Question = .everything, askedAt revision: Int, _ asked: BootMoment,
            mirror found: UInt64?, at now: BootMoment
        ) -> [Action] {
            switch replica?.confirm(answer, question, askedAt: revision) {
            case .readAgain(let why): return readAgain(why)
            case .behind, nil: return []
            case .fresh:
                guard digest != nil else { return [.fail(AgentProblem("the mirror could not be written", isCertain: false))] }
                // The reason may be gone, such as a wrong clock.
                let secrets = secretsTrouble == nil ? [] : takeSecrets(at: now)
                return areSecretsKnown ? secrets + checkMirror(found, at: now) + confirmed(asked, at: now) : secrets
            }
        }

        /// The watch has ended or could not begin.
        mutating func lost(_ problem: AgentProblem, at now: BootMoment) -> [Action] {
            if isAnnounced { noted = [] }
            (self.problem, isAnnounced, isWatching) = (problem, false, false)
            let note = noteOnce("\(id): \(problem.why). The last settings stay in use; trying again.")
            // A mere lack of an answer does not matter while the last confirmation counts. After that the status has the latest reason.
            if !problem.isCertain, case .current = report.state { return note }
            return note + doubt(at: now)
        }

        // MARK: Time

        /// Called every few seconds: reports that the agent is alive, or that the last confirmation is too old.
        mutating func tick(at now: BootMoment) -> [Action] {
            guard case .current = report.state, age(at: now) >= FleetReport.freshness else {
                return report.alive?.age(at: now).map { $0 < FleetAgent.interval } ?? false ? [] : [reportAction(at: now)]
            }
            return doubt(at: now)
        }

        /// The age of the last confirmation, counted from the question.
        func age(at now: BootMoment) -> Duration { report.confirmed?.age(at: now) ?? FleetReport.freshness }

        mutating func end(at now: BootMoment) -> [Action] {
            report.state = .stale(since: since(now), why: "The agent has ended. Start it again: stored-values-fleet agent.")
            var last = makeReport(at: now, naming: [digest])
            last.alive = nil
            return [.writeReport(last)]
        }

        private mutating func doubt(at now: BootMoment) -> [Action] {
            let why = problem?.why ?? "the cluster has not answered"
            report.state = .stale(since: since(now), why: "The agent could not confirm them: \(why).")
            return [reportAction(at: now)]
        }

        /// Since when the settings may be outdated, which stays while they are.
        private func since(_ now: BootMoment) -> Date { report.outdatedSince ?? now.date }

        private mutating func confirmed(_ asked: BootMoment, at now: BootMoment) -> [Action] {
            guard let replica else { return [] }
            (report.confirmed, report.state, problem) = (asked, .current(revision: replica.revision), nil)
            guard !isAnnounced else { return [reportAction(at: now)] }
            isAnnounced = true
            return [.note("\(id): \(configuration.folder.mirror(of: id)) is current, at revision \(replica.revision)."), reportAction(at: now)]
        }

        // MARK: Writing

        /// Brings the files up to the replica, in which only `changed` settings may differ from what was published (nil: all).
        private mutating func publish(_ changed: Set<PreferencesKey>? = nil, at now: BootMoment) -> [Action] {
            guard let replica else { return [] }
            let origin = replica.origin, host = configuration.host, groups = configuration.groups
            let isFirst = mirror == nil
            let secrets = takeSecrets(at: now)
            // To programs, a mirror without secrets means that there are none. So on a new machine the secrets are written first.
            guard areSecretsKnown || !isFirst else { return secrets }
            var new = mirror ?? FleetMirror(origin: origin, values: [:])
            // A new cluster is written even with equal values: after a restart the agent expects the cluster that the mirror names.
            var isOther = isFirst || digest == nil || !new.origin.cluster.isIdentical(to: origin.cluster)
            for key in (isFirst ? nil : changed) ?? replica.settingKeys.union(new.values.keys) {
                let value = replica.value(of: key, forHost: host, groups: groups)
                if value != new[key] { (new[key], isOther) = (value, true) }
            }
            new.origin = origin
            let settings = isOther ? write(new, at: now) : []
            known = origin
            let broken = replica.broken
            let notes = broken.subtracting(brokenPlaces).map { place -> Action in
                .note("\(id): the entry \"\(place.key.text)\" for \(place.target) is not a setting that stored-values-fleet wrote, and is ignored.")
            }
            brokenPlaces = broken
            return (isFirst ? secrets + settings : settings + secrets) + (areSecretsKnown ? notes : [])
        }

        /// Replaces the mirror. Meanwhile the report has the digests of the old and the new content; the next report has only the new one.
        private mutating func write(_ new: FleetMirror, at now: BootMoment) -> [Action] {
            var new = new
            let bytes = new.layOut(), old = digest
            (mirror, digest) = (new, FleetFolder.digest(of: bytes))
            return [.writeReport(makeReport(at: now, naming: [old, digest])), .writeMirror(bytes)]
        }

        /// Replaces the encrypted file with the cluster's, unless that is older than what this machine has seen.
        private mutating func takeSecrets(at now: BootMoment) -> [Action] {
            let bytes: [UInt8]?, seen: SecretsVerdict.Seen?
            switch secrets {
            case .read(let found, let noted): (bytes, seen) = (found, noted)
            case .unread(let why): return [.fail(.secrets(why))]
            }
            var trouble: String?
            var actions: [Action] = []
            let offer = replica?.secrets(signedBy: configuration.secretsPublicKeys)
            switch SecretsVerdict(offer, mirrored: bytes, seen: seen, now: now.date) {
            case .nothing: break
            case .keep(let why, nil): trouble = why
            case .keep(let why, let new?): (trouble, secrets, actions) = (why, .read(bytes: bytes, seen: new), [.writeSeen(new)])
            case .note(let new): (secrets, actions) = (.read(bytes: bytes, seen: new), [.writeSeen(new)])
            // The file first: after a crash in between, the file must not be older than the note.
            case .replace(let bytes, let new): (secrets, actions) = (.read(bytes: bytes, seen: new), [.writeSecrets(bytes), .writeSeen(new)])
            }
            if offer?.trust == .unknown, !isUnverifiedNoted {
                isUnverifiedNoted = true
                actions.append(
                    .note("\(id): without --secrets-public-key the agent cannot tell whether the cluster's secrets are genuine, and takes over any that look newer."))
            }
            guard trouble != secretsTrouble?.why else { return actions }
            secretsTrouble = trouble.map { (secretsTrouble?.since ?? now.date, $0) }
            return actions + (trouble.map { [.note("\(id): \($0).")] } ?? [])
        }

        // MARK: Reporting

        private mutating func reportAction(at now: BootMoment) -> Action { .writeReport(makeReport(at: now, naming: [digest])) }

        /// The report to write now, with the digests that the mirror's file may have.
        private mutating func makeReport(at now: BootMoment, naming digests: [UInt64?]) -> FleetReport {
            report.alive = now
            var written = report
            (written.mirror, written.state) = (digests.compactMap(\.self).map(FleetReport.name), state)
            return written
        }

        /// The state to report: also stale if only the secrets are.
        var state: FleetReport.State {
            guard case .current = report.state, let secretsTrouble else { return report.state }
            return .stale(since: secretsTrouble.since, why: "The secrets are not: \(secretsTrouble.why).")
        }

        /// Notes a problem, unless that was done since the cluster was last lost.
        mutating func noteOnce(_ sentence: String) -> [Action] {
            if noted.count == 1000 { noted = [] }  // they contain text from other processes, so their number must be bounded
            return noted.insert(sentence).inserted ? [.note(sentence)] : []
        }
    }
#endif
