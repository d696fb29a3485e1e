#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import StoredValuesSupport
    import Testing

    /// What takes minutes.
    @Suite("A fleet under strain", .hangLimit)
    struct FleetStrainTests {}

    extension FleetStrainTests {
        private static let writers = 8
        /// The first of those that change a secret, and no setting.
        private static let firstOfSecrets = 6

        @Test("While the leader is killed again and again, each change by 8 processes of settings and secrets is made exactly once, and all arrive")
        func kept() async throws { try await change(100) }

        // A test of its own, because CI leaves it out: it keeps both processors busy for five minutes, and the agents below for one.
        @Test("So it is with 2,000 changes of each process: 1,000 to a setting of its own and as many to one in common, or all to a secret")
        func thousandChanges() async throws { try await change(1000) }

        /// Each process changes its own setting and the common one so many times, or its own secret twice as often.
        private func change(_ times: Int) async throws {
            // Of all tests these take longest, so they wait for nobody.
            try await withFleet(3, waitsForTurn: false) { fleet in
                let ca = try #require(fleet.etcd.ca), key = try fleet.newKey()
                let cluster = [fleet.etcd.endpoints.joined(separator: ","), ca.file, ca.client.file, ca.client.key]
                let machines = try (1...3).map { try fleet.machine("web-\($0)", groups: ["group-\($0)"]) }
                for machine in machines { _ = try machine.startAgent() }
                let isDone = Guarded(false)
                async let kills = killLeaders(fleet, machines[0]) { isDone.withLock { $0 } }
                let time = try await elapsed {
                    try await withThrowingTaskGroup { group in
                        for writer in 0..<Self.writers {
                            let changesSecret = writer >= Self.firstOfSecrets
                            let rest = changesSecret ? ["\(writer)", "\(2 * times)", key] : ["\(writer)", "\(times)"]
                            let acknowledged = changesSecret ? "\(2 * times)" : "\(times) \(times)"
                            let command = [changesSecret ? "change-fleet-secret" : "change-fleet"] + cluster + rest
                            let process = try fleet.processes.start(command: TestProcess.command(command))
                            group.addTask {
                                let lines = try await process.lines()
                                #expect(lines == [acknowledged])
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                isDone.withLock { $0 = true }
                print("\(2 * Self.writers * times) changes: \(time), leaders killed: \(try await kills)")

                var expected = ["common": "\(Self.firstOfSecrets * times)"]
                for writer in 0..<Self.firstOfSecrets { expected["own-\(writer)"] = "\(times)" }
                let settings = try await fleet.etcd.entries("\(TestFleet.settings)everyone/")
                let stored = try settings.map { entry in
                    (String(entry.key.dropFirst("\(TestFleet.settings)everyone/".count)), try value(entry.value, "value"))
                }
                #expect(Dictionary(uniqueKeysWithValues: stored) == expected)
                for writer in Self.firstOfSecrets..<Self.writers {
                    let secret = try await fleet.secrets(key).read(SecretIdentifier(service: TestFleet.application, account: "own-\(writer)"))
                    #expect(secret == Secret("\(2 * times)".utf8))
                }
                #expect(try await fleet.secretsGeneration() == UInt64(2 * times * (Self.writers - Self.firstOfSecrets)))
                try await checkLog(fleet, times)
                let rest = try await elapsed {
                    for machine in machines {
                        try await machine.wait(for: expected)
                        try await machine.waitForSecrets(fleet.etcd)
                        try await machine.waitUntilCurrent()
                    }
                }
                print("every machine has them after \(rest)")
            }
        }

        /// Kills the leader, waits for the next one and starts the old one again: about a minute's worth, unless all is done before.
        private func killLeaders(_ fleet: TestFleet, _ machine: FleetMachine, until isDone: @Sendable () -> Bool) async throws -> Int {
            func revision() throws -> Int { try machine.mirror()?.origin.revision ?? 0 }
            var count = 0
            while count < 20, !isDone() || count < 5 {
                let killed = try await fleet.etcd.killLeader()
                // The next one reigns for a while, or nothing would ever be changed.
                let before = try revision()
                try await eventually("something was changed") { try isDone() || revision() > before + 300 }
                try fleet.etcd.start(killed)
                try await fleet.etcd.waitUntilHealthy(killed)
                count += 1
            }
            return count
        }

        /// Each change has one record, and each key of a setting went through all its values one after another.
        private func checkLog(_ fleet: TestFleet, _ times: Int) async throws {
            let records = try await fleet.etcd.entries(TestFleet.log).sorted { $0.modRevision < $1.modRevision }
            #expect(records.count == 2 * Self.writers * times)
            #expect(records.allSatisfy { $0.version == 1 } && Set(records.map(\.modRevision)).count == records.count)
            var last: [String: String] = [:], secrets: [String: Int] = [:]
            for record in records {
                let changes = try #require(JSONValue(text: record.value)?["changes"]?.arrayValue)
                if changes.count == 1, let secret = changes[0]["secret"]?.stringValue {
                    secrets[secret, default: 0] += 1
                    continue
                }
                let key = try #require(changes.first?["key"]?.stringValue)
                let from = changes[0]["from"]?.text(onOneLine: true), to = changes[0]["to"]?.text(onOneLine: true)
                if changes.count != 1 || from != last[key] || to != "\((Int(from ?? "0") ?? 0) + 1)" {
                    Issue.record("\(key) went from \(from ?? "nothing") to \(to ?? "nothing") after \(last[key] ?? "nothing")")
                    return
                }
                last[key] = to
            }
            let expected = (Self.firstOfSecrets..<Self.writers).map { ("own-\($0)", 2 * times) }
            #expect(secrets == Dictionary(uniqueKeysWithValues: expected))
        }

        private func value(_ record: String, _ member: String) throws -> String {
            try #require(JSONValue(text: record)?[member]).text(onOneLine: true)
        }

        // MARK: The agent

        @Test("An agent that is killed 50 times leaves a whole mirror each time, which never goes back, and the last one catches up", .heavy)
        func kills() async throws {
            try await withFleet { fleet in
                let machine = try fleet.machine("web-1")
                let client = try fleet.client()
                let writer = Task {
                    var number = 0
                    while !Task.isCancelled {
                        number += 1
                        // More than one page of the disk, so that there is a middle.
                        try await client.batch { batch throws(FleetError) in
                            try batch.set("number", to: number)
                            try batch.set("ballast", to: String(repeating: "\(number % 10)", count: 20_000))
                            try batch.set("twin", to: number)
                        }
                    }
                }
                defer { writer.cancel() }
                var generator = SystemRandomNumberGenerator()
                var reached = 0
                for round in 0..<50 {
                    let agent = try machine.startAgent()
                    let before = reached
                    try await eventually("round \(round) has replaced the mirror") {
                        reached = try check(machine, atLeast: reached)
                        return reached > before
                    }
                    // Somewhere between two replacements or in the middle of one.
                    let end = ContinuousClock.now + .microseconds(Int.random(in: 0..<20_000, using: &generator))
                    while ContinuousClock.now < end { reached = try check(machine, atLeast: reached) }
                    try await agent.kill()
                    reached = try check(machine, atLeast: reached)
                }
                writer.cancel()
                _ = await writer.result
                _ = try machine.startAgent()
                try await machine.waitUntilCurrent()
                let number = try await fleet.run("get", "number").trimmingCharacters(in: .newlines)
                #expect(try machine.values()["number"] == number)
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(machine.folder.path)/\(TestFleet.application)")
                #expect(names.filter { $0.hasSuffix(".tmp") }.isEmpty, "\(names)")
            }
        }

        /// The revision of the mirror, which is whole.
        private func check(_ machine: FleetMachine, atLeast reached: Int) throws -> Int {
            guard let mirror = try machine.mirror() else {
                #expect(reached == 0, "the mirror is gone")
                return reached
            }
            #expect(mirror.origin.revision >= reached)
            #expect(mirror.values["number"] == mirror.values["twin"])
            return mirror.origin.revision
        }

        // MARK: Many

        @Test("A thousand agents of one etcd have each change, and all come back when it was started again", .heavy)
        func thousandAgents() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let machines = "\(fleet.folder)/machines"
                let folders = try (0..<1000).map { try #require(FleetFolder("\(machines)/\($0)")) }
                let ca = try #require(fleet.etcd.ca)
                // Not in this process: Foundation's Process copies what follows an entry of /proc/self/fd, too, so that a process with
                // some 1,350 open files may end itself when it starts another (seen in CI, Swift 6.3).
                _ = try fleet.processes.start(
                    "run-agents", fleet.etcd.endpoints.joined(separator: ","), ca.file, ca.client.file, ca.client.key, machines,
                    "\(folders.count)")
                print("1,000 agents begin: \(try await elapsed { try await wait(folders, for: 1) })")
                try await fleet.run("set", "limit", "2")
                print("1,000 agents have a change: \(try await elapsed { try await wait(folders, for: 2) })")
                try await fleet.etcd.members[0].kill()
                try await fleet.etcd.start()
                try await fleet.tool().setLimit(to: 3)
                print("1,000 agents are back: \(try await elapsed { try await wait(folders, for: 3) })")
            }
        }

        /// Waits until each mirror has that limit.
        private func wait(_ folders: [FleetFolder], for limit: Int) async throws {
            var missing = folders
            try await eventually("all have the limit \(limit)") {
                missing.removeAll { folder in
                    let url = URL(fileURLWithPath: folder.mirror(of: TestFleet.application))
                    guard let bytes = try? Data(contentsOf: url), let mirror = try? FleetMirror(parsing: Array(bytes)) else { return false }
                    return mirror.values["limit"]?.json == JSONValue(limit)
                }
                return missing.isEmpty
            }
        }
    }
#endif
