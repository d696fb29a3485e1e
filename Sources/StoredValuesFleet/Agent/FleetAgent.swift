#if Fleet
    import FoundationEssentials
    package import StoredValues
    import StoredValuesFiles
    import StoredValuesSupport

    /// Keeps the mirror of one application's settings on this machine, and reports how fresh it is.
    ///
    /// It reads all settings, then watches them. Every few seconds it asks the cluster, on another connection, whether it has missed
    /// a change. Any error ends the watch, which begins again after a pause; the mirror keeps its content.
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
            /// The keys of those who may change the secrets. Without any, the secrets cannot be verified.
            package var secretsPublicKeys: [SigningPublicKey] = []
            /// Whether the agent reports its machine's state to the cluster.
            package var reportsToCluster = false

            package init(
                applicationID: String, host: String = ProcessInfo.processInfo.hostName, groups: [String] = [], folder: FleetFolder,
                endpoints: [String], access: FleetAccess
            ) {
                (self.applicationID, self.host, self.groups, self.folder) = (applicationID, host, groups, folder)
                (self.endpoints, self.access) = (endpoints, access)
            }
        }

        /// The time between two questions whether the mirror is fresh: several fit into the time that one confirmation counts.
        static let interval = Duration.milliseconds(2500)
        /// The time between two full checks, which also notice changes by etcdctl or an older version. Random, to spread the load of many agents.
        private static var fullCheckInterval: Duration { .seconds(Double.random(in: 45...75)) }
        /// The pauses between attempts.
        static let backoff = Backoff(first: .seconds(1), longest: .seconds(30))

        /// The timeout of the first attempt to read all settings. Each failure doubles it, for many settings on a slow network.
        private static let firstReadTimeout = Duration.seconds(5)

        private let configuration: Configuration
        private let gateway: EtcdGateway
        private let keys: FleetKeys
        private let files: MirrorFiles
        private let note: @Sendable (String) -> Void
        /// Runs the actor. Steps wait for the disk synchronously, so that no other step runs between a decision and its actions.
        private let executor = AgentExecutor()
        private var steps: AgentSteps
        private var readTimeout = FleetAgent.firstReadTimeout
        /// When the next full check is due.
        private var nextFullCheck = ContinuousClock.now + FleetAgent.fullCheckInterval
        /// Whether the last watch was confirmed at least once. Otherwise everything is read again, in case continuing it can never work.
        private var wasWatchUseful = false

        package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        /// - Parameter note: Receives what operators should know, each thing once.
        package init(_ configuration: Configuration, note: @escaping @Sendable (String) -> Void) throws(FleetError) {
            self.configuration = configuration
            self.note = note
            keys = try FleetKeys(applicationID: configuration.applicationID)
            for target in configuration.groups.map(FleetTarget.group) + [.host(configuration.host)] { try target.check() }
            // Reports wrong addresses and files now, before anything runs in the background.
            gateway = try Fleet(endpoints: configuration.endpoints, applicationID: configuration.applicationID, access: configuration.access).gateway
            files = MirrorFiles(configuration.folder, applicationID: configuration.applicationID)
            steps = AgentSteps(configuration)
        }

        /// Keeps the mirror until the task is cancelled. Throws if its files cannot be used.
        package func run() async throws {
            while try await hold() {
                begin()
                // Each of them ends when the task is cancelled or the lock of the files is gone.
                try await untilOneEnds({ await self.follow() }, { await self.guardMirror() }, { await self.reportAlive() }, { await self.reportToCluster() })
                guard !Task.isCancelled else { break }
                note("\(configuration.applicationID): something other than the agent has removed the lock \(files.lockPath); the agent takes it again.")
            }
            try? carryOut { $0.end(at: .now) }
        }

        /// Waits for the lock of the files while another agent holds it; false if the task is cancelled first.
        private func hold() async throws -> Bool {
            var noted: Set<String> = []
            // Polled here, because waiting for the lock itself could not be cancelled, or would poll a thousand times a second.
            for attempt in 0... {
                do {
                    for sentence in try files.prepare() where noted.insert(sentence).inserted { note(sentence) }
                    if try files.takeLock() { return true }
                } catch let error as FleetError {
                    throw error
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
            try? carryOut { $0.begin(with: found, files.readSecrets(), since: files.outdatedSince(), at: .now) }
            if let cluster = steps.mirror?.origin.cluster { gateway.expect(cluster: cluster) }
        }

        // MARK: What runs until the agent ends

        /// Reads and watches in a loop.
        private func follow() async {
            var backoff = Self.backoff
            repeat {
                let begin = ContinuousClock.now
                var problem = AgentProblem("the cluster ended the watch", isCertain: false)
                do { try await keepFresh() } catch { problem = AgentProblem(error) }
                guard !Task.isCancelled, files.areHeld else { return }
                // After a watch that worked for a while, the next failure is a new one.
                if steps.isWatching, ContinuousClock.now - begin > .seconds(10) { backoff.reset() }
                try? carryOut { $0.lost(problem, at: .now) }
            } while await pause(for: backoff.next())
        }

        /// Rewrites the mirror as soon as something other than this agent changes or removes it.
        private func guardMirror() async {
            let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let watch = files.watchMirror { continuation.yield() }
            continuation.yield()  // for what happened before
            for await _ in events {
                guard files.areHeld else { break }
                // If that fails, reportAlive tries again.
                try? carryOut { $0.checkMirror(files.mirrorDigest(always: true), at: .now) }
            }
            withExtendedLifetime(watch) {}
        }

        /// Reports every few seconds that the agent is alive, and repairs the mirror if that failed before.
        private func reportAlive() async {
            while await pause(for: Self.interval), files.areHeld {
                try? carryOut { $0.tick(at: .now) }
                try? carryOut { $0.checkMirror(files.mirrorDigest(), at: .now) }
            }
        }

        /// Reports the machine's state to the cluster, if configured.
        private func reportToCluster() async {
            guard configuration.reportsToCluster else {
                while await pause(for: .seconds(3600)) {}
                return
            }
            var writer = ReportWriter(gateway, keys, host: configuration.host)
            while await pause(for: .seconds(1)) {
                do throws(EtcdError) { try await writer.write(steps.state, timeout: .seconds(5)) } catch {
                    // Any other error also makes the machine stale, and is noted for that.
                    guard [.accessDenied, .noSpace].contains(error.reason) else { continue }
                    let advice = error.reason == .noSpace ? "" : " See \"Rights\" in the article about fleets."
                    try? carryOut { $0.noteOnce("\($0.id): the cluster does not take the agent's reports: \(error.sentence).\(advice)") }
                }
            }
        }

        // MARK: The cluster

        /// Reads everything, or continues from what was read, then follows the changes. Returns when the cluster ends the watch.
        private func keepFresh() async throws {
            if try await !resume() { try await readEverything() }
            guard let revision = steps.replica?.revision else { return }
            wasWatchUseful = false
            try await untilOneEnds({ try await self.watch(from: revision + 1) }, { try await self.confirm() })
        }

        /// Whether a watch may continue from the known revision. Spares a cluster that has just come back a thousand agents that read
        /// everything. If nothing has changed in between, that is confirmed at once.
        private func resume() async throws -> Bool {
            // All of it must be in the files.
            guard wasWatchUseful, steps.digest != nil, steps.areSecretsKnown, let known = steps.replica, known.mark != nil else { return false }
            let asked = BootMoment.now, then = EtcdStep.read(keys.mark, at: known.revision), now = EtcdStep.read(keys.mark)
            var answer: EtcdAnswer
            do throws(EtcdError) {
                answer = try await gateway.ask(.transaction([then, now], about: keys.mark, isChange: false), timeout: .seconds(5))
            } catch {
                // The revision was compacted, or the cluster has not reached it.
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
            // With several members, each attempt must be long enough for a large answer.
            let new = SettingsReplica(try await gateway.ask(keys.everything(), timeout: timeout, attempt: timeout * 2 / 5), keys)
            readTimeout = Self.firstReadTimeout
            switch MirrorVerdict(isEmpty: new.settingKeys.isEmpty, origin: new.origin, mirror: steps.mirror, known: steps.known) {
            case .adopt: break
            case .adoptIfRemoved(let revision): try await requireSettings(at: revision)
            case .keep(let why): throw AgentProblem(why, isCertain: true)
            }
            if !steps.areSecretsKnown { steps.secrets = files.readSecrets() }
            try carryOut { $0.adopt(new, asked: asked, at: .now) }
            nextFullCheck = .now + Self.fullCheckInterval
        }

        /// Throws unless the cluster's history shows that it had settings at that revision or later.
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

        /// Asks in a loop whether the replica has everything that the cluster has.
        private func confirm() async throws {
            while await pause(for: Self.interval) {
                guard let replica = steps.replica else { return }
                guard steps.isWatching else { throw AgentProblem("the watch did not begin in time", isCertain: false) }
                let asked = BootMoment.now
                // Longer than an election takes, but ends before the last confirmation expires, so that the status has the reason. Once
                // that has expired, a slow cluster gets more time.
                let age = steps.age(at: asked)
                let limit = age < FleetReport.freshness ? max(FleetReport.freshness - age - .seconds(1), .seconds(1)) : Self.firstReadTimeout
                let end = ContinuousClock.now + limit
                var question = SettingsReplica.Question.mark
                var answer = try await gateway.ask(replica.request(.mark), timeout: end - .now)
                // If the cluster's revision has not changed at all, this is a full check.
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

        /// Takes a step and carries out its actions, before any other step. If an action fails, the step is not taken.
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

    /// Runs all parts concurrently. When the first one ends, cancels the others and returns, or throws its error.
    func untilOneEnds(_ parts: @Sendable () async throws -> Void...) async throws {
        try await withThrowingTaskGroup { group in
            for part in parts { group.addTask(operation: part) }
            try await group.next()
            group.cancelAll()
        }
    }
#endif
