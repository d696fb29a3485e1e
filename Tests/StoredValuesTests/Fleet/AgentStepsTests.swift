#if Fleet
    import Foundation
    import Testing

    @testable import StoredValues
    @testable import StoredValuesFiles
    @testable import StoredValuesFleet

    /// What an agent does about what it hears, and what programs make of it at any moment, without a cluster.
    @Suite("The steps of an agent", .hangLimit)
    struct AgentStepsTests {}

    extension AgentStepsTests {
        /// A machine whose agent hears what a test says. In the cluster "limit" is always the revision of its last change.
        private final class Machine {
            let fleet: FleetFiles
            let files: MirrorFiles
            let program: PreferencesFile
            private let keys: FleetKeys
            private let configuration: FleetAgent.Configuration
            var steps: AgentSteps
            var notes: [String] = []
            /// The limits that were written to the mirror.
            var written: [Int] = []
            /// The revision of the cluster.
            var revision = 1

            init(_ fleet: FleetFiles) throws {
                self.fleet = fleet
                keys = try FleetKeys(applicationID: "demo")
                configuration = FleetAgent.Configuration(applicationID: "demo", host: "web-1", folder: fleet.folder, endpoints: [], access: FleetAccess())
                (files, steps) = (MirrorFiles(fleet.folder, applicationID: "demo"), AgentSteps(configuration))
                program = fleet.open()
                _ = try files.prepare()
            }

            /// A step's actions, carried out up to the first that is to fail; it is done all the same if `isDone`.
            func take(failing: Int = .max, isDone: Bool = false, _ step: (inout AgentSteps) -> [AgentSteps.Action]) throws {
                var next = steps
                for (index, action) in step(&next).enumerated() {
                    if index == failing {
                        if isDone { try carryOut(action) }
                        return steps.failed(to: next)
                    }
                    try carryOut(action)
                    try check("after \(action)")
                    if case .fail = action { break }
                }
                steps = next
            }

            private func carryOut(_ action: AgentSteps.Action) throws {
                switch action {
                case .writeReport(let report): try files.write(report)
                case .writeMirror(let bytes):
                    try files.write(mirror: bytes)
                    written.append(try FleetMirror(parsing: bytes).values["limit"]?.json.intValue ?? -1)
                case .writeSecrets(let bytes): try files.write(secrets: bytes)
                case .writeSeen(let seen): try files.write(seen: seen)
                case .note(let sentence): notes.append(sentence)
                case .fail(let problem): notes.append(problem.why)
                }
            }

            /// An agent starts, with nothing but the files.
            func restart() throws {
                steps = AgentSteps(configuration)
                try begin()
            }

            func begin() throws {
                let (found, secrets, since) = (try files.read(), files.readSecrets(), files.outdatedSince())
                try take { $0.begin(with: found, secrets, since: since, at: .now) }
            }

            func adopt(at now: BootMoment = .now) throws {
                if case .unread = steps.secrets { steps.secrets = files.readSecrets() }
                let replica = SettingsReplica(EtcdAnswer(cluster: "1", revision: revision, entries: [setting]), keys)
                try take { $0.adopt(replica, asked: now, at: now) }
            }

            /// The cluster has another change, and says so on the watch.
            func change(failing: Int = .max, isDone: Bool = false) throws {
                revision += 1
                let answer = EtcdAnswer(cluster: "1", revision: revision, events: [EtcdEvent(entry: setting)])
                try take(failing: failing, isDone: isDone) { $0.received(answer, at: .now) }
            }

            /// The cluster's answer to the question that was asked at that revision.
            func confirm(askedAt asked: Int) throws {
                var kv = setting
                (kv.value, kv.revision) = (Data(), asked)
                let answer = EtcdAnswer(cluster: "1", revision: asked, entries: [kv], count: 1)
                let found = files.mirrorDigest()
                try take { $0.confirm(answer, askedAt: asked, .now, mirror: found, at: .now) }
            }

            func look() throws {
                let found = files.mirrorDigest(always: true)
                try take { $0.checkMirror(found, at: .now) }
            }

            /// Puts something other than the agent's into the mirror.
            func forge(_ limit: Int) throws { try fleet.mirror(["limit": JSONValue(limit)]) }

            var status: FleetStatus? { program.store.fleetEvidence?.status(freshness: .seconds(1_000_000)) }
            /// Since when programs are told that the settings may be outdated.
            var since: Date? { if case .stale(let since, _)? = status { since } else { nil } }
            var limit: Int {
                program.store.refreshLayers()
                return StoredValue(key: "limit", default: 0, storage: program).wrappedValue
            }

            /// Programs are told `current` only of what the cluster had at that revision or later.
            func check(_ when: String) throws {
                guard case .current(let claimed)? = status else { return }
                let limit = limit
                if limit < claimed || limit > revision { Issue.record("\(when): current at revision \(claimed) with the limit \(limit)") }
            }

            private var setting: EtcdKeyValue {
                EtcdKeyValue(key: keys.settings + Data("everyone/limit".utf8), value: Data("{\"value\": \(revision)}".utf8), revision: revision)
            }
        }

        private func withMachine(_ body: (Machine) async throws -> Void) async throws {
            try await withFleetFiles { files in
                let machine = try Machine(files)
                try machine.restart()
                try machine.adopt()
                #expect(machine.status == .current(revision: 1) && machine.limit == 1)
                try await body(machine)
            }
        }

        // MARK: One after another

        @Test("A confirmation that a change overtakes, or that overtakes one, brings back nothing older, though the mirror is to be repaired", arguments: [false, true])
        func overtaking(isConfirmedFirst: Bool) async throws {
            try await withMachine { machine in
                let asked = machine.revision
                try FileManager.default.removeItem(atPath: machine.fleet.mirror)
                if isConfirmedFirst { try machine.confirm(askedAt: asked) }
                try machine.change()
                if !isConfirmedFirst { try machine.confirm(askedAt: asked) }
                #expect(machine.status == .current(revision: 2) && machine.limit == 2)
                #expect(machine.written == (isConfirmedFirst ? [1, 1, 2] : [1, 2]))
                try machine.confirm(askedAt: 2)
                #expect(machine.status == .current(revision: 2) && machine.written.last == 2)
            }
        }

        @Test("The report and the mirror agree wherever the agent is killed, and the next one goes on from there", arguments: 0...3)
        func killed(after count: Int) async throws {
            try await withMachine { machine in
                try machine.change(failing: count)
                // The report that names both, the mirror, the report.
                let expected: (claimed: Int, limit: Int) = [(1, 1), (1, 1), (1, 2), (2, 2)][count]
                #expect(machine.status == .current(revision: expected.claimed) && machine.limit == expected.limit)
                try machine.restart()
                guard case .stale? = machine.status else { return #expect(Bool(false)) }
                #expect(machine.limit == expected.limit)
                try machine.adopt()
                #expect(machine.status == .current(revision: 2) && machine.limit == 2)
            }
        }

        @Test("Whatever comes in whatever order, fails and is forged, programs hear current only of what the cluster had then or later", arguments: SeededGenerator.seeds(4))
        func anything(seed: UInt64) async throws {
            try await withMachine { machine in
                var generator = SeededGenerator(seed: seed)
                var asked = machine.revision
                for _ in 0..<300 {
                    switch Int.random(in: 0..<9, using: &generator) {
                    case 0, 1: try machine.change()
                    case 2: try machine.change(failing: .random(in: 0..<3, using: &generator), isDone: .random(using: &generator))
                    case 3: asked = machine.steps.replica?.revision ?? asked
                    case 4: if asked <= machine.steps.replica?.revision ?? 0 { try machine.confirm(askedAt: asked) }
                    case 5: try machine.forge([-1, machine.revision + 1000].randomElement(using: &generator)!)  // it is not empty
                    case 6: try machine.look()
                    case 7:
                        try machine.take { $0.lost(AgentProblem("it is away", isCertain: .random(using: &generator)), at: .now) }
                        try machine.adopt()
                    default:
                        try machine.restart()
                        try machine.adopt()
                    }
                    try machine.check("seed \(seed)")
                }
                try machine.adopt()
                try machine.look()
                #expect(machine.status == .current(revision: machine.revision) && machine.limit == machine.revision)
            }
        }

        // MARK: What something else does to the files

        @Test("Another mirror than the agent's is not current, and is written over from memory, without the cluster; once it is said")
        func forged() async throws {
            try await withMachine { machine in
                let genuine = try contents(ofFile: machine.fleet.mirror)
                try machine.change()
                for forge in [{ try machine.forge(9) }, { try genuine.write(toFile: machine.fleet.mirror, atomically: false, encoding: .utf8) }] {
                    try forge()
                    guard case .stale(_, let why)? = machine.status else { return #expect(Bool(false), "\(String(describing: machine.status))") }
                    #expect(why.contains("Something other than the agent"))
                    try machine.look()
                    #expect(machine.status == .current(revision: 2) && machine.limit == 2)
                }
                #expect(machine.notes.filter { $0.contains("something other than the agent") }.count == 1)
            }
        }

        @Test("Where the whole folder is gone, an agent that keeps it again writes what it kept")
        func gone() async throws {
            try await withMachine { machine in
                try FileManager.default.removeItem(atPath: machine.fleet.folder.path)
                try machine.begin()
                guard case .stale? = machine.status else { return #expect(Bool(false)) }
                #expect(machine.limit == 1)
                // An agent that never knew them makes no mirror that says there are none.
                machine.steps.secrets = .unread(why: "no right")
                try FileManager.default.removeItem(atPath: machine.fleet.folder.path)
                try machine.begin()
                #expect(machine.status == .never && machine.limit == 0)
            }
        }

        @Test("Secrets that are gone with the mirror are written before it: without them it says that there are none")
        func goneSecrets() async throws {
            try await withMachine { machine in
                let seen = SecretsVerdict.Seen(epoch: 0, generation: 1)
                machine.steps.secrets = .read(bytes: [1], seen: seen)
                let bytes = try #require(machine.steps.mirror).bytes
                for isFolderGone in [false, true] {
                    var steps = machine.steps
                    let actions = isFolderGone ? steps.begin(with: nil, .read(bytes: nil, seen: nil), since: nil, at: .now) : steps.checkMirror(nil, at: .now)
                    let written = actions.filter { action in
                        switch action {
                        case .writeReport, .note: false
                        default: true
                        }
                    }
                    #expect(written == [.writeSecrets([1]), .writeSeen(seen), .writeMirror(bytes)], "\(actions)")
                }
            }
        }

        @Test("A mirror that could not be written is not confirmed, is not written over by the older one, and is written by the next reading")
        func unwritten() async throws {
            try await withMachine { machine in
                try machine.change(failing: 1, isDone: true)
                #expect(machine.limit == 2)
                try machine.look()
                #expect(machine.limit == 2)
                try machine.confirm(askedAt: 1)
                #expect(machine.notes.last == "the mirror could not be written")
                try machine.adopt()
                #expect(machine.status == .current(revision: 2) && machine.limit == 2)
            }
        }

        // MARK: Life and freshness

        @Test("While an agent that nobody has answered yet tries again, the time since which the settings may be outdated stays")
        func since() async throws {
            try await withMachine { machine in
                try machine.restart()
                let begin = BootMoment.now
                var times: Set<Date> = []
                for minutes in [0, 1, 2] {
                    try machine.take { $0.lost(AgentProblem("nobody answers", isCertain: true), at: begin.before(by: .seconds(-60 * minutes))) }
                    times.insert(try #require(machine.since))
                }
                #expect(times.count == 1)
            }
        }

        @Test("An agent that starts again says that the settings may be outdated since the last run's confirmation, or since that run said so")
        func sinceOfTheLastRun() async throws {
            try await withMachine { machine in
                let report = try #require(FleetReport(parsing: [UInt8](Data(contentsOf: URL(filePath: machine.fleet.report)))))
                for _ in 0..<2 {
                    try machine.restart()
                    #expect(machine.since == report.confirmed?.date)
                }
            }
        }

        @Test("Where only the secrets were stale when an agent was killed, the settings may be outdated since their confirmation")
        func sinceOfTheSecrets() async throws {
            try await withMachine { machine in
                let confirmed = BootMoment.now, since = confirmed.before(by: .seconds(86400)).date
                try machine.files.write(FleetReport(state: .stale(since: since, why: "The secrets are not."), confirmed: confirmed))
                try machine.restart()
                #expect(machine.since == confirmed.date)
            }
        }

        @Test("A report that is a link, which another user may have made, does not say since when the settings may be outdated")
        func sinceThroughALink() async throws {
            try await withMachine { machine in
                let report = machine.fleet.report
                try machine.files.write(FleetReport(state: .stale(since: Date(timeIntervalSince1970: 1), why: "Forged."), confirmed: nil))
                try FileManager.default.moveItem(atPath: report, toPath: report + ".forged")
                try FileManager.default.createSymbolicLink(atPath: report, withDestinationPath: report + ".forged")
                let mirror = try DurableFile(path: machine.fleet.mirror).currentIdentity()
                #expect(try machine.files.outdatedSince() == #require(mirror).modificationDate)
            }
        }

        @Test("After a restart of the machine, which has no report, the settings may be outdated since the mirror was written, as programs see it")
        func sinceTheMirror() async throws {
            try await withMachine { machine in
                try FileManager.default.removeItem(atPath: machine.fleet.report)
                let seen = try #require(machine.since)
                try machine.restart()
                #expect(machine.since == seen)
            }
        }

        @Test("While the cluster is away the agent says that it lives, then that it could not confirm; at its end it says so, and lives no more")
        func life() async throws {
            try await withMachine { machine in
                // The last confirmation and sign of life are of this moment, however long the steps before it took.
                let begin = BootMoment.now
                try machine.adopt(at: begin)
                /// The report that is written at a tick so much later.
                func report(after time: Duration) throws -> FleetReport? {
                    var steps = machine.steps
                    let actions = steps.tick(at: begin.before(by: .zero - time))
                    machine.steps = steps
                    guard case .writeReport(let report)? = actions.last else { return nil }
                    return report
                }
                #expect(try report(after: .seconds(1)) == nil)
                try machine.take { $0.lost(AgentProblem("nobody answers", isCertain: false), at: .now) }
                let lively = try #require(try report(after: .seconds(5)))
                #expect(lively.state == .current(revision: 1) && lively.alive == begin.before(by: .seconds(-5)))
                let doubtful = try #require(try report(after: .seconds(11)))
                guard case .stale(let since, let why) = doubtful.state else { return #expect(Bool(false)) }
                #expect(since == doubtful.confirmed?.date && why == "The agent could not confirm them: nobody answers.")
                #expect(try report(after: .seconds(14))?.alive == begin.before(by: .seconds(-14)))
                // The reason is the latest one.
                try machine.take { $0.lost(AgentProblem("another cluster answers", isCertain: false), at: .now) }
                guard case .stale(_, let latest)? = machine.status else { return #expect(Bool(false)) }
                #expect(latest == "The agent could not confirm them: another cluster answers.")
                // A change is no confirmation.
                try machine.change()
                guard case .stale? = machine.status else { return #expect(Bool(false)) }
                try machine.confirm(askedAt: 2)
                #expect(machine.status == .current(revision: 2))
                try machine.take { $0.end(at: .now) }
                guard case .stale(_, let last)? = machine.status else { return #expect(Bool(false)) }
                #expect(last == "The agent has ended. Start it again: stored-values-fleet agent.")
            }
        }
    }
#endif
