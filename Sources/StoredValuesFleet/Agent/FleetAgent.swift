#if Fleet
    import FoundationEssentials
    package import StoredValues
    import StoredValuesFiles
    import StoredValuesSupport

    /// Keeps the mirror of one application's settings on this machine, and says how fresh it is.
    ///
    /// It reads all settings, then watches them; every few seconds it asks the cluster, on another connection, whether it has missed
    /// any. Whatever goes wrong ends the watch, and it begins anew after a while. The mirror is never emptied by that.
    package actor FleetAgent {
        /// Which machine this is, and whose settings it keeps.
        package struct Configuration: Sendable {
            package var applicationID: String
            package var host: String
            /// Of two groups with a setting of one key the later one wins.
            package var groups: [String]
            package var folder: FleetFolder
            package var endpoints: [String]
            package var access: FleetAccess

            package init(
                applicationID: String, host: String = FleetIdentity.host, groups: [String] = [], folder: FleetFolder,
                endpoints: [String], access: FleetAccess
            ) {
                (self.applicationID, self.host, self.groups, self.folder) = (applicationID, host, groups, folder)
                (self.endpoints, self.access) = (endpoints, access)
            }
        }

        /// How often the cluster is asked whether the mirror is fresh: several times while one confirmation counts.
        static let interval = Duration.milliseconds(2500)
        /// How long it waits before it tries again.
        static let backoff = Backoff(first: .seconds(1), longest: .seconds(30))

        /// How long the first attempt to read all settings takes at most. Each failed one doubles it: much may come by a slow network.
        private static let readingPatience = Duration.seconds(5)

        private let configuration: Configuration
        private let gateway: EtcdGateway
        private let keys: FleetKeys
        private let files: MirrorFiles
        private let note: @Sendable (String) -> Void

        /// What the mirror on the disk holds; nil if there is none.
        private var mirror: FleetMirror?
        /// The file that it was written to, or read from.
        private var mirrorIdentity: FileIdentity?
        /// The latest state of the cluster that was seen, for telling whether it went back.
        private var known: FleetMirror.Origin?
        private var replica: SettingsReplica?
        /// The revision whose values are in the mirror.
        private var published = 0
        /// What this machine has of the secrets; nil until that was read.
        private var secrets: (bytes: [UInt8]?, seen: SecretsVerdict.Seen?)?
        /// Why the cluster's secrets were not taken over, and since when.
        private var secretsTrouble: (since: Date, why: String)?
        private var isWatching = false
        private var report: FleetReport
        /// When the cluster last confirmed that the mirror is fresh, by the wall clock.
        private var lastFresh: Date?
        private var readingPatience = FleetAgent.readingPatience
        /// What was noted since the cluster was last lost. While it is away its members take turns in the sentences.
        private var noted: Set<String> = []
        /// Whether it was noted that the mirror is current, since that was last in doubt.
        private var isAnnounced = false
        private var brokenPlaces: Set<FleetKeys.Place> = []

        /// - Parameter note: What operators should know, each thing once.
        package init(_ configuration: Configuration, note: @escaping @Sendable (String) -> Void) throws(FleetError) {
            self.configuration = configuration
            self.note = note
            keys = try FleetKeys(applicationID: configuration.applicationID)
            for target in configuration.groups.map(FleetTarget.group) + [.host(configuration.host)] { try target.check() }
            // Wrong addresses and files are found out now, before anything runs in the background.
            gateway = try Fleet(endpoints: configuration.endpoints, applicationID: configuration.applicationID, access: configuration.access).gateway
            files = MirrorFiles(configuration.folder, applicationID: configuration.applicationID)
            report = FleetReport(state: .stale(since: .now, why: "The agent has just started."), confirmed: nil)
        }

        /// Keeps the mirror until the task is cancelled. Throws if its files cannot be used.
        package func run() async throws {
            let waiting = Task { [note, path = configuration.folder.mirror(of: configuration.applicationID)] in
                if await pause(for: .seconds(2)) { note("Another agent keeps \(path). This one waits until it has ended.") }
            }
            defer { waiting.cancel() }
            let hold: MirrorFiles.Hold?
            do {
                try await files.prepare()
                hold = try await files.hold()
            } catch {
                throw FleetError.misconfigured(
                    "The folders \(configuration.folder.path) and that of the reports cannot be used (\(error)). Make them for the agent's user, or name another with --folder.")
            }
            waiting.cancel()
            guard let hold else { return }
            defer { withExtendedLifetime(hold) {} }
            try await begin()
            var backoff = Self.backoff
            while !Task.isCancelled {
                let begin = ContinuousClock.now
                var problem = AgentProblem("the cluster ended the watch", isCertain: false)
                do { try await keepFresh() } catch { problem = AgentProblem(error) }
                guard !Task.isCancelled else { break }
                // Once it has worked for a while, the next failure is another one.
                if isWatching, ContinuousClock.now - begin > .seconds(10) { backoff.reset() }
                isWatching = false
                await wait(backoff.next(), after: problem)
            }
            // Not awaited as part of the cancelled task's work: writing a report does not look at that.
            await tell(.stale(since: lastFresh ?? .now, why: "The agent has ended. Start it again: stored-values-fleet agent."))
        }

        private func begin() async throws {
            do {
                (mirror, mirrorIdentity) = try await files.read()
            } catch {
                say("The mirror cannot be read, and is written anew when the cluster answers. \(error)")
            }
            known = mirror?.origin
            if let known { gateway.expect(cluster: known.cluster) }
            await tell(.stale(since: .now, why: "The agent has started, and the cluster has not answered yet."))
        }

        /// Waits, and says that the mirror is stale as soon as that is certain.
        private func wait(_ time: Duration, after problem: AgentProblem) async {
            if isAnnounced { noted = [] }
            isAnnounced = false
            say("\(configuration.applicationID): \(problem.why). The last settings stay in use; trying again.")
            var time = time
            let left = problem.isCertain ? .zero : FleetReport.freshness - (report.confirmed?.age ?? FleetReport.freshness)
            if left > .zero, left < time {
                guard await pause(for: left) else { return }
                time -= left
            }
            if left < time { await tell(.stale(since: lastFresh ?? .now, why: "The agent could not confirm them: \(problem.why).")) }
            _ = await pause(for: time)
        }

        /// Reads everything, then follows the changes. Ends only by an error, or when the cluster ends the watch.
        private func keepFresh() async throws {
            let asked = BootMoment.now
            let patience = readingPatience
            readingPatience = min(patience * 2, .seconds(30))
            let answer: EtcdRangeAnswer = try await gateway.ask("/v3/kv/range", EtcdRangeRequest(prefix: keys.settings), patience: patience)
            readingPatience = Self.readingPatience
            let new = SettingsReplica(answer, keys)
            let origin = FleetMirror.Origin(cluster: new.cluster, revision: new.revision)
            switch MirrorVerdict(isEmpty: new.settings.isEmpty, origin: origin, mirror: mirror, known: known) {
            case .adopt: break
            case .adoptIfRemoved(let revision): try await requireSettings(at: revision)
            case .keep(let why): throw AgentProblem(why, isCertain: true)
            }
            replica = new
            try await update(confirmed: asked)
            try await withThrowingTaskGroup { group in
                group.addTask { try await self.watch(from: new.revision + 1) }
                group.addTask { try await self.confirm() }
                try await group.next()
                group.cancelAll()
            }
        }

        /// Throws unless the cluster had settings at that revision.
        private func requireSettings(at revision: Int) async throws {
            var request = keys.allSettings
            (request.count_only, request.revision) = (true, EtcdNumber(revision))
            do throws(EtcdError) {
                let answer: EtcdRangeAnswer = try await gateway.ask("/v3/kv/range", request, patience: .seconds(5))
                guard answer.count?.value ?? 0 == 0 else { return }
            } catch {
                // Refused where it was compacted: nobody knows any more.
                guard error.reason == .refused else { throw error }
            }
            throw AgentProblem(
                "the cluster has no settings, and no history of their removal since revision \(revision), so it may have lost its data; the last ones are kept until it has some",
                isCertain: true)
        }

        // MARK: Following the changes

        private func watch(from revision: Int) async throws {
            try await gateway.watch(keys.settings, from: revision) { try await self.take($0) }
        }

        private func take(_ answer: EtcdWatchMessage.Answer) async throws {
            guard let replica else { return }
            isWatching = true
            switch WatchVerdict(answer, after: replica.revision, in: replica.cluster) {
            case .nothing: return
            case .readAgain(let why): throw AgentProblem("everything is read again: \(why)", isCertain: false)
            case .refused(let why): throw AgentProblem("the cluster refused the watch: \(why)", isCertain: true)
            case .changes(let events, let revision):
                self.replica?.apply(events, revision: revision)
                try await update(confirmed: nil)
            }
        }

        /// Asks again and again whether all that the cluster has is here.
        private func confirm() async throws {
            while await pause(for: Self.interval) {
                guard let replica else { return }
                guard isWatching else { throw AgentProblem("the watch did not begin in time", isCertain: false) }
                let asked = BootMoment.now
                // Longer than an election takes, and shorter than the last confirmation counts, so that programs are told why.
                let left = FleetReport.freshness - (report.confirmed?.age ?? .zero) - .seconds(1)
                let end = ContinuousClock.now + max(left, .seconds(1))
                var answer: EtcdRangeAnswer = try await gateway.ask("/v3/kv/range", replica.quickQuestion, patience: end - .now)
                if !replica.isConfirmed(answer) {
                    answer = try await gateway.ask("/v3/kv/range", replica.question, patience: end - .now)
                }
                try await take(answer, asked: asked, at: replica.revision)
            }
        }

        private func take(_ answer: EtcdRangeAnswer, asked: BootMoment, at revision: Int) async throws {
            switch replica?.confirm(answer, askedAt: revision) {
            case .readAgain(let why): throw AgentProblem("everything is read again: \(why)", isCertain: false)
            case .behind, nil: break
            case .fresh:
                // What was decided by a wrong clock, for example, is decided again.
                if secretsTrouble != nil { try await takeSecrets(replica?.secrets) }
                try await repairMirror()
                await confirmed(asked)
            }
        }

        // MARK: Files

        /// Writes the mirror anew if something else than this agent has changed or removed it.
        private func repairMirror() async throws {
            let revision = replica?.revision
            // Not while it is being replaced, which is done when that revision is published.
            guard revision == published, try await files.mirrorIdentity() != mirrorIdentity, replica?.revision == revision else { return }
            say("\(configuration.applicationID): something else than the agent has changed or removed the mirror; it is written anew.")
            mirror = nil
            try await update(confirmed: nil)
        }

        /// Brings the mirror up to the replica, and says that it is current.
        private func update(confirmed asked: BootMoment?) async throws {
            guard let replica else { return }
            let origin = FleetMirror.Origin(cluster: replica.cluster, revision: replica.revision)
            let values = replica.values(forHost: configuration.host, groups: configuration.groups)
            // By a mirror without secrets beside it programs know that there are none, so on a new machine the secrets come first.
            if mirror == nil { try await takeSecrets(replica.secrets) }
            if mirror?.values != values {
                let new = FleetMirror(origin: origin, values: values)
                do { mirrorIdentity = try await files.write(new) } catch { throw AgentProblem("the mirror could not be written: \(error)", isCertain: true) }
                mirror = new
            }
            try await takeSecrets(replica.secrets)
            (known, published) = (origin, replica.revision)
            let broken = Set(replica.broken)
            for place in broken.subtracting(brokenPlaces) {
                note("\(configuration.applicationID): what lies under \"\(place.key.text)\" for \(place.target) is not a setting that stored-values-fleet wrote, and is ignored.")
            }
            brokenPlaces = broken
            if let asked { await confirmed(asked) } else { await tell(.current(revision: published)) }
        }

        /// Brings the encrypted file up to what the cluster has, unless that is older than what this machine has seen.
        private func takeSecrets(_ offer: SecretsVerdict.Offer?) async throws {
            var trouble: String?
            do {
                let mirrored: (bytes: [UInt8]?, seen: SecretsVerdict.Seen?) = if let secrets { secrets } else { try await files.readSecrets() }
                secrets = mirrored
                switch SecretsVerdict(offer, mirrored: mirrored.bytes, seen: mirrored.seen) {
                case .nothing: break
                case .keep(let why, let seen):
                    trouble = why
                    if let seen { try await note(seen) }
                case .note(let seen): try await note(seen)
                case .replace(let bytes, let seen):
                    try await files.write(secrets: bytes, seen: seen)
                    secrets = (bytes, seen)
                }
            } catch {
                throw AgentProblem("the secrets on this machine could not be brought up to date: \(error)", isCertain: true)
            }
            guard let trouble else { return secretsTrouble = nil }
            if secretsTrouble?.why != trouble {
                secretsTrouble = (.now, trouble)
                note("\(configuration.applicationID): \(trouble).")
            }
        }

        private func note(_ seen: SecretsVerdict.Seen) async throws {
            try await files.write(seen: seen)
            secrets?.seen = seen
        }

        private func confirmed(_ asked: BootMoment) async {
            // What has arrived may still be on its way into the mirror; then the next confirmation counts.
            guard replica?.revision == published else { return }
            (report.confirmed, lastFresh) = (asked, .now)
            if !isAnnounced {
                isAnnounced = true
                note("\(configuration.applicationID): \(configuration.folder.mirror(of: configuration.applicationID)) is current, at revision \(published).")
            }
            await tell(.current(revision: published))
        }

        private func tell(_ state: FleetReport.State) async {
            report.state = state
            // The settings may be current all the same, but whoever looks must not take the secrets for fresh.
            if case .current = state, let secretsTrouble { report.state = .stale(since: secretsTrouble.since, why: "The secrets are not: \(secretsTrouble.why).") }
            do { try await files.write(report) } catch { say("The report about the mirror could not be written. \(error)") }
        }

        /// Notes a problem, unless it was noted since the cluster was last lost.
        private func say(_ sentence: String) {
            if noted.count == 1000 { noted = [] }  // what another process sends is in them, and could be endless
            guard noted.insert(sentence).inserted else { return }
            note(sentence)
        }
    }
#endif
