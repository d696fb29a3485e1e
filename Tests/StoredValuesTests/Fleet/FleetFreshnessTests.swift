#if Fleet
    import Foundation
    import StoredValues
    import Testing

    /// What programs hear of the fleet's freshness while things go wrong. They keep the last settings all the while.
    @Suite("A fleet's freshness", .hangLimit)
    struct FleetFreshnessTests {}

    extension FleetFreshnessTests {
        @Test("Without a quorum the settings are stale, though a member answers; with one they are current again")
        func quorum() async throws {
            try await withFleet(3) { fleet in
                try await check(fleet, says: nil) {
                    let leader = try await fleet.etcd.waitForLeader()
                    let others = fleet.etcd.members.filter { $0 !== leader }
                    // The leader and one more stand still: the third has nobody to vote with.
                    for member in [leader, others[0]] { try await member.freeze() }
                    return { for member in [leader, others[0]] { try member.thaw() } }
                }
            }
        }

        @Test("So it is when all members are gone")
        func gone() async throws {
            try await withFleet(3) { fleet in
                try await check(fleet, says: "could not be connected to") {
                    try await fleet.etcd.killAll()
                    return { try await fleet.etcd.start() }
                }
            }
        }

        @Test("So it is when members accept connections and answer nothing")
        func frozen() async throws {
            try await withFleet { fleet in
                try await check(fleet, says: "in time") {
                    try await fleet.etcd.members[0].freeze()
                    return { try fleet.etcd.members[0].thaw() }
                }
            }
        }

        @Test("One member of three that is gone or stands still makes nothing stale for long, and a change arrives", arguments: [false, true])
        func one(isFrozen: Bool) async throws {
            try await withFleet(3) { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await machine.waitUntilCurrent()
                for (index, member) in fleet.etcd.members.enumerated() {
                    if isFrozen { try await member.freeze() } else { try await member.kill() }
                    try await fleet.tool().setLimit(to: index + 2)
                    try await machine.wait(for: ["limit": "\(index + 2)"])
                    try await machine.waitUntilCurrent()
                    if isFrozen { try member.thaw() } else { try fleet.etcd.start(member) }
                    try await fleet.etcd.waitUntilHealthy(member)
                }
            }
        }

        @Test("An agent that is killed or stands still is noticed by programs, without its help", arguments: [false, true])
        func agent(isFrozen: Bool) async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                let agent = try machine.startAgent()
                let status = try machine.watchStatus()
                try await status.line(beginningWith: "current")
                if isFrozen { try await agent.stop() } else { try await agent.kill() }
                try await status.staleLine(containing: "has ended, or is stuck")
                try await checkPrograms(machine, "limit", "1", "stale")
                if isFrozen { agent.signal(SIGCONT) } else { _ = try machine.startAgent() }
                try await status.line(beginningWith: "current")
            }
        }

        @Test("A right that is revoked makes the settings stale, and says why; granted again it makes them current")
        func right() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let agents = EtcdCluster.Role(name: "agents", password: TestSecret.text("agents"), rights: [("read", TestFleet.settings)])
                try await fleet.etcd.requireLogin(agents)
                let machine = try fleet.machine("web-1").with { try $0.with(agents) }
                _ = try machine.startAgent()
                let status = try machine.watchStatus()
                try await status.line(beginningWith: "current")
                try await fleet.etcd.revoke(TestFleet.settings, from: agents)
                try await status.staleLine(containing: "permission denied")
                #expect(try machine.values() == ["limit": "1"])
                try await fleet.etcd.grant("read", TestFleet.settings, to: agents)
                try await status.line(beginningWith: "current")
            }
        }

        @Test("An agent that never reached a cluster says never, programs run on what is in their code, and the first settings reach them")
        func never() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                try await fleet.etcd.killAll()
                let machine = try fleet.machine("web-1")
                let status = try machine.watchStatus()
                #expect(try await status.line() == "none")
                let program = try machine.start("watch-setting", "limit")
                #expect(try await program.line() == "0")
                _ = try machine.startAgent()
                #expect(try await status.line() == "never")
                try await checkPrograms(machine, "limit", "0", "never")
                try await fleet.etcd.start()
                #expect(try await program.line() == "1")
                try await status.line(beginningWith: "current")
            }
        }

        @Test("An application without any setting is current too, and says nothing else")
        func empty() async throws {
            try await withFleet { fleet in
                let machine = try fleet.machine("web-1")
                let status = try machine.watchStatus()
                _ = try machine.startAgent()
                try await status.line(beginningWith: "current")
                let program = try machine.start("talk", "standard")
                #expect(try await program.ask("get limit") == "0")
                try await eventually("it is current") { try await program.ask("fleet").hasPrefix("current") }
            }
        }

        @Test("An agent that starts while the cluster is away leaves the mirror of before, and programs start on it")
        func startsWithout() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                let first = try machine.startAgent()
                try await machine.waitUntilCurrent()
                try await first.kill()
                try await fleet.etcd.killAll()
                _ = try machine.startAgent()
                let status = try machine.watchStatus()
                try await status.line(beginningWith: "stale")
                try await checkPrograms(machine, "limit", "1", "stale")
                try await fleet.etcd.start()
                try await status.line(beginningWith: "current")
            }
        }

        /// Has a machine become stale by `break`, keep its settings, and become current by what that returns, with what changed then.
        private func check(
            _ fleet: TestFleet, says words: String?, _ break: () async throws -> () async throws -> Void
        ) async throws {
            try await fleet.run("set", "limit", "1")
            let machine = try fleet.machine("web-1")
            _ = try machine.startAgent()
            let status = try machine.watchStatus()
            try await status.line(beginningWith: "current")
            let cure = try await `break`()
            if let words { try await status.staleLine(containing: words) } else { try await status.line(beginningWith: "stale") }
            try await checkPrograms(machine, "limit", "1", "stale")
            try await cure()
            try await status.line(beginningWith: "current")
            try await fleet.run("set", "limit", "2")
            try await machine.wait(for: ["limit": "2"])
        }

        /// A program that starts now has the value and hears the status.
        private func checkPrograms(_ machine: FleetMachine, _ key: String, _ value: String, _ status: String) async throws {
            let program = try machine.start("talk", "standard")
            #expect(try await program.ask("get \(key)") == value)
            // On a busy machine a status may be another one for a moment before what the test does takes effect.
            try await eventually("the program hears \(status)") { try await program.ask("fleet").hasPrefix(status) }
        }
    }
#endif
