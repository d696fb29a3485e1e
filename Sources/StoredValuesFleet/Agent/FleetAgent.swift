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
            /// Of those who may change the secrets; without any, nobody can tell whether they are genuine.
            package var secretsPublicKeys: [SigningPublicKey] = []
            /// Whether it says in the cluster how its machine is.
            package var reportsToCluster = false

            package init(
                applicationID: String, host: String = ProcessInfo.processInfo.hostName, groups: [String] = [], folder: FleetFolder,
                endpoints: [String], access: FleetAccess
            ) {
                (self.applicationID, self.host, self.groups, self.folder) = (applicationID, host, groups, folder)
                (self.endpoints, self.access) = (endpoints, access)
            }
        }

        /// How often the cluster is asked whether the mirror is fresh: several times while one confirmation counts.
        static let interval = Duration.milliseconds(2500)
        /// How often it is asked for everything, which etcdctl or an older version may have changed. At random, so that not all agents ask at once.
        private static var fullCheckInterval: Duration { .seconds(Double.random(in: 45...75)) }
        /// How long it waits before it tries again.
        static let backoff = Backoff(first: .seconds(1), longest: .seconds(30))

        /// How long the first attempt to read all settings takes at most. Each failed one doubles it: much may come by a slow network.
        private static let firstReadTimeout = Duration.seconds(5)

        private let configuration: Configuration
        private let gateway: EtcdGateway
        private let keys: FleetKeys
        private let files: MirrorFiles
        private let note: @Sendable (String) -> Void
        /// Where all of this runs: it waits for the disk, so that nothing comes in between what is decided together.
        private let executor = AgentExecutor()
        private var steps: AgentSteps
        private var readTimeout = FleetAgent.firstReadTimeout
        /// When the cluster is asked next for all that it has.
        private var nextFullCheck = ContinuousClock.now + FleetAgent.fullCheckInterval
        /// Whether the last watch was good for anything. One that was not is not continued: perhaps it never can be.
        private var wasWatchUseful = false

        package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        /// - Parameter note: What operators should know, each thing once.
        package init(_ configuration: Configuration, note: @escaping @Sendable (String) -> Void) throws(FleetError) {
            self.configuration = configuration
            self.note = note
            keys = try FleetKeys(applicationID: configuration.applicationID)
            for target in configuration.groups.map(FleetTarget.group) + [.host(configuration.host)] { try target.check() }
            // Wrong addresses and files are found out now, before anything runs in the background.
            gateway = try Fleet(endpoints: configuration.endpoints, applicationID: configuration.applicationID, access: configuration.access).gateway
            files = MirrorFiles(configuration.folder, applicationID: configuration.applicationID)
            steps = AgentSteps(configuration)
        }

        /// Keeps the mirror until the task is cancelled. Throws if its files cannot be used.
        package func run() async throws {
            while try await hold() {
                begin()
                // Each of them ends when the task is cancelled, or the files are not this agent's any more.
                try await untilOneEnds({ await self.follow() }, { await self.guardMirror() }, { await self.reportAlive() }, { await self.reportToCluster() })
                guard !Task.isCancelled else { break }
                note("\(configuration.applicationID): something other than the agent has removed the lock \(files.lockPath); the agent takes it again.")
            }
            try? carryOut { $0.end(at: .now) }
        }

        /// Waits until no other agent keeps the files; false if the task is cancelled before.
        private func hold() async throws -> Bool {
            var noted: Set<String> = []
            // Not by a wait for the lock itself, which would either never end or look a thousand times a second.
            for attempt in 0... {
                do {
                    for sentence in try files.prepare() where noted.insert(sentence).inserted { note(sentence) }
                    if try files.takeLock() { return true }
                } catch let problem as MirrorFiles.NotOwn {
                    throw FleetError.misconfigured("\(problem)")
                } catch {
                    throw FleetError.misconfigured(
                        "The folders \(configuration.folder.path) and that of the reports cannot be used (\(error)). Make them for the agent's user, or name another with --folder."
                    )
                }
                let path = configuration.folder.mirror(of: configuration.applicationID)
                if attempt == 4 { note("Another agent keeps \(path). This one waits until that one ends.") }
                guard await pause(for: .milliseconds(500)) else { break }
            }
            return false
        }

        private func begin() {
            let found: (FleetMirror, UInt64)?
            do { found = try files.read() } catch {
                found = nil
                note("The mirror cannot be read, and is rewritten when the cluster answers. \(error)")
            }
            try? carryOut { $0.begin(with: found, files.readSecrets(), at: .now) }
            if let cluster = steps.mirror?.origin.cluster { gateway.expect(cluster: cluster) }
        }

        // MARK: What runs until the agent ends

        /// Reads and watches again and again.
        private func follow() async {
            var backoff = Self.backoff
            repeat {
                let begin = ContinuousClock.now
                var problem = AgentProblem("the cluster ended the watch", isCertain: false)
                do { try await keepFresh() } catch { problem = AgentProblem(error) }
                guard !Task.isCancelled, files.areHeld else { return }
                // Once it has worked for a while, the next failure is another one.
                if steps.isWatching, ContinuousClock.now - begin > .seconds(10) { backoff.reset() }
                try? carryOut { $0.lost(problem, at: .now) }
            } while await pause(for: backoff.next())
        }

        /// Writes the mirror anew as soon as something other than this agent changes or removes it.
        private func guardMirror() async {
            let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let watch = files.watchMirror { continuation.yield() }
            continuation.yield()  // for what happened before
            for await _ in events {
                guard files.areHeld else { break }
                // If that fails, it is tried again at the next sign of life.
                try? carryOut { $0.checkMirror(files.mirrorDigest(always: true), at: .now) }
            }
            withExtendedLifetime(watch) {}
        }

        /// Says again and again that the agent lives, and repairs the mirror where that failed before.
        private func reportAlive() async {
            while await pause(for: Self.interval), files.areHeld {
                try? carryOut { $0.tick(at: .now) }
                try? carryOut { $0.checkMirror(files.mirrorDigest(), at: .now) }
            }
        }

        /// Says in the cluster how the machine is, if it is asked to.
        private func reportToCluster() async {
            guard configuration.reportsToCluster else {
                while await pause(for: .seconds(3600)) {}
                return
            }
            var writer = ReportWriter(gateway, keys, host: configuration.host)
            while await pause(for: .seconds(1)) {
                do throws(EtcdError) { try await writer.write(steps.state, timeout: .seconds(5)) } catch {
                    // Anything else is why the machine is not current, too.
                    guard [.accessDenied, .noSpace].contains(error.reason) else { continue }
                    let advice = error.reason == .noSpace ? "" : " See \"Rights\" in the article about fleets."
                    try? carryOut { $0.noteOnce("\($0.id): the cluster does not take the agent's reports: \(error.sentence).\(advice)") }
                }
            }
        }

        // MARK: The cluster

        /// Reads everything, or goes on from what was read, then follows the changes. Ends only by an error, or when the cluster ends the watch.
        private func keepFresh() async throws {
            if try await !resume() { try await readEverything() }
            guard let revision = steps.replica?.revision else { return }
            wasWatchUseful = false
            try await untilOneEnds({ try await self.watch(from: revision + 1) }, { try await self.confirm() })
        }

        /// Whether a watch may go on from the revision that is known: a thousand agents that all read everything would be too much for
        /// a cluster that has just come back. Where nothing was changed meanwhile, that is confirmed at once.
        private func resume() async throws -> Bool {
            // All of it must be in the files.
            guard wasWatchUseful, steps.digest != nil, steps.areSecretsKnown, let known = steps.replica, known.mark != nil else { return false }
            let asked = BootMoment.now, then = EtcdStep.read(keys.mark, at: known.revision), now = EtcdStep.read(keys.mark)
            var answer: EtcdAnswer
            do throws(EtcdError) {
                answer = try await gateway.ask(.transaction([then, now], about: keys.mark, isChange: false), timeout: .seconds(5))
            } catch {
                // So is a revision that was compacted, or that the cluster has not reached.
                guard error.isRefusal else { throw error }
                return false
            }
            guard answer.found.count == 2, known.isContinued(by: answer.found[0], of: answer.cluster) else { return false }
            try carryOut { $0.resumeWatch() }
            answer.entries = [answer.found[1]].compactMap(\.self)
            if answer.entries.first?.revision == known.mark?.revision {
                try carryOut { $0.confirm(answer, .mark, askedAt: known.revision, asked, mirror: files.mirrorDigest(), at: .now) }
            }
            return true
        }

        private func readEverything() async throws {
            let asked = BootMoment.now
            let timeout = readTimeout
            readTimeout = min(timeout * 2, .seconds(30))
            // One member of several must have the time, too, in which an answer comes that takes long.
            let new = SettingsReplica(try await gateway.ask(keys.everything(), timeout: timeout, attempt: timeout * 2 / 5), keys)
            readTimeout = Self.firstReadTimeout
            switch MirrorVerdict(isEmpty: new.isEmpty, origin: new.origin, mirror: steps.mirror, known: steps.known) {
            case .adopt: break
            case .adoptIfRemoved(let revision): try await requireSettings(at: revision)
            case .keep(let why): throw AgentProblem(why, isCertain: true)
            }
            if !steps.areSecretsKnown { steps.secrets = files.readSecrets() }
            try carryOut { $0.adopt(new, asked: asked, at: .now) }
            nextFullCheck = .now + Self.fullCheckInterval
        }

        /// Throws unless the cluster knows that it had settings at that revision or later.
        private func requireSettings(at revision: Int) async throws {
            guard try await !gateway.hadSettings(keys, since: revision) else { return }
            throw AgentProblem(
                "the cluster has no settings, and no history of their removal since revision \(revision), so it may have lost its data; the last ones are kept until it has some",
                isCertain: true)
        }

        private func watch(from revision: Int) async throws {
            try await gateway.watch(keys.settings, to: keys.settings.endOfPrefix, from: revision) { answer in
                try self.carryOut { $0.received(answer, at: .now) }
            }
        }

        /// Asks again and again whether all that the cluster has is here.
        private func confirm() async throws {
            while await pause(for: Self.interval) {
                guard let replica = steps.replica else { return }
                guard steps.isWatching else { throw AgentProblem("the watch did not begin in time", isCertain: false) }
                let asked = BootMoment.now
                // Longer than an election takes, and shorter than the last confirmation counts, so that programs see the reason. Where that
                // counts no more, a slow cluster has the time of the other questions.
                let age = steps.age(at: asked)
                let limit = age < FleetReport.freshness ? max(FleetReport.freshness - age - .seconds(1), .seconds(1)) : Self.firstReadTimeout
                let end = ContinuousClock.now + limit
                var question = SettingsReplica.Question.mark
                var answer = try await gateway.ask(replica.request(.mark), timeout: end - .now)
                // Where the cluster has made no change at all, its revision says so of everything.
                var isWhole = replica.isConfirmed(answer)
                if !isWhole, replica.mark == nil || ContinuousClock.now >= nextFullCheck {
                    (question, isWhole) = (.everything, true)
                    answer = try await gateway.ask(replica.request(.everything), timeout: end - .now)
                }
                try carryOut { $0.confirm(answer, question, askedAt: replica.revision, asked, mirror: files.mirrorDigest(), at: .now) }
                guard steps.replica?.isBehind == false else { continue }
                wasWatchUseful = true
                if isWhole { nextFullCheck = .now + Self.fullCheckInterval }
            }
        }

        // MARK: Carrying out

        /// Takes a step, and does all that follows from it before anything else happens. If that fails, the step was not taken.
        private func carryOut(_ step: (inout AgentSteps) -> [AgentSteps.Action]) throws {
            guard files.areHeld else { throw AgentProblem("the lock of its files is gone", isCertain: true) }
            var next = steps
            for action in step(&next) {
                do {
                    try carryOut(action, &next)
                } catch {
                    if case .fail = action { steps = next } else { steps.failed(to: next) }
                    throw error
                }
            }
            steps = next
        }

        private func carryOut(_ action: AgentSteps.Action, _ next: inout AgentSteps) throws {
            switch action {
            case .writeReport(let report):
                do { try files.write(report) } catch { for case .note(let sentence) in next.noteOnce("The report about the mirror could not be written. \(error)") { note(sentence) } }
            case .writeMirror(let bytes):
                do { try files.write(mirror: bytes) } catch { throw AgentProblem("the mirror could not be written: \(error)", isCertain: true) }
            case .writeSecrets(let bytes): do { try files.write(secrets: bytes) } catch { throw AgentProblem.secrets(error) }
            case .writeSeen(let seen): do { try files.write(seen: seen) } catch { throw AgentProblem.secrets(error) }
            case .note(let sentence): note(sentence)
            case .fail(let problem): throw problem
            }
        }
    }

    /// Runs all of these; when one of them ends, the others are cancelled, and this ends as that one did.
    func untilOneEnds(_ parts: @Sendable () async throws -> Void...) async throws {
        try await withThrowingTaskGroup { group in
            for part in parts { group.addTask(operation: part) }
            try await group.next()
            group.cancelAll()
        }
    }
#endif
