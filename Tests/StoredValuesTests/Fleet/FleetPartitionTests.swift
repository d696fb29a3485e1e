#if Fleet
    import Foundation
    import StoredValues
    import Testing

    /// Members and machines with a network of their own each, which is parted: nobody is told of it.
    @Suite("A fleet in a parted network", .heavy, .hangLimit)
    struct FleetPartitionTests {}

    extension FleetPartitionTests {
        @Test("A machine that is cut off is stale though its connections look open, and current again when it is back")
        func machine() async throws {
            try await withNetwork { network, fleet, machine, status in
                try await network.split(["one", "two", "three", "office"])
                try await status.line(beginningWith: "stale")
                try await office(fleet, on: network).setLimit(to: 2)
                #expect(try machine.values() == ["limit": "1"])
                try await network.heal()
                try await status.line(beginningWith: "current")
                try await machine.wait(for: ["limit": "2"])
            }
        }

        @Test("A machine that is left with the old leader alone is stale, and never takes its old settings for fresh ones")
        func leader() async throws {
            try await withNetwork { network, fleet, machine, _ in
                let leader = try await fleet.etcd.waitForLeader()
                let names = ["one", "two", "three"]
                let index = try #require(fleet.etcd.members.firstIndex { $0 === leader })
                try await network.split([names[index], "client"], names.filter { $0 != names[index] } + ["office"])
                _ = try await fleet.etcd.waitForLeader(otherThan: leader)
                try await office(fleet, on: network).setLimit(to: 2)
                // Heard from now on: what was said before the network was parted tells nothing.
                let status = try machine.watchStatus()
                try await status.line(beginningWith: "stale")
                #expect(try machine.values() == ["limit": "1"])
                try await network.heal()
                let current = try await status.line(beginningWith: "current")
                try await machine.wait(for: ["limit": "2"])
                let change = try #require(try await fleet.etcd.entries("\(TestFleet.settings)everyone/limit").first)
                let revision = try #require(Int(current.dropFirst("current ".count)), "\(current)")
                #expect(revision >= change.modRevision, "it was never current without the change")
            }
        }

        @Test("A machine that is left with the quorum without its old leader has each change there")
        func quorum() async throws {
            try await withNetwork { network, fleet, machine, _ in
                let leader = try await fleet.etcd.waitForLeader()
                let names = ["one", "two", "three"]
                let index = try #require(fleet.etcd.members.firstIndex { $0 === leader })
                try await network.split([names[index]], names.filter { $0 != names[index] } + ["client", "office"])
                _ = try await fleet.etcd.waitForLeader(otherThan: leader)
                try await office(fleet, on: network).setLimit(to: 2)
                try await machine.wait(for: ["limit": "2"])
                try await machine.waitUntilCurrent()
            }
        }

        @Test("Where every member is alone nothing can be changed, and a change says that it did not happen or may have")
        func alone() async throws {
            try await withNetwork { network, fleet, machine, status in
                try await network.split(["one", "client", "office"], ["two"], ["three"])
                try await status.line(beginningWith: "stale")
                let change = try await office(fleet, on: network).run("set", "limit", "2")
                #expect([69, 75].contains(change.status), "\(change)")
                try await network.heal()
                try await status.line(beginningWith: "current")
                // Made later or not at all: the machine has what the cluster has.
                var stored = ""
                try await eventually("it can be read") {
                    let run = try await office(fleet, on: network).run("get", "limit")
                    stored = run.output
                    return run.status == 0
                }
                try await machine.wait(for: ["limit": stored.trimmingCharacters(in: .newlines)])
                if change.status == 69 { #expect(stored == "1\n") }
            }
        }

        @Test("A member that hears a machine and never answers it is left for another one")
        func mute() async throws {
            try await withNetwork { network, fleet, machine, _ in
                for (index, name) in ["one", "two", "three"].enumerated() {
                    try await network.mute(name, towards: "client")
                    try await office(fleet, on: network).setLimit(to: index + 2)
                    try await machine.wait(for: ["limit": "\(index + 2)"])
                    try await machine.waitUntilCurrent()
                    try await network.mute(name, towards: "client", false)
                }
            }
        }

        /// Runs `body` with members on three hosts, an agent on a fourth that is current, what a program hears there, and an
        /// operator on a fifth, the "office".
        private func withNetwork(
            _ body: (TestNetwork, TestFleet, FleetMachine, TestProcess) async throws -> Void
        ) async throws {
            try await withTemporaryFolder { folder in
                let network = try await TestNetwork("one", "two", "three", "client", "office", in: folder)
                let hosts = try ["one", "two", "three"].map(network.host)
                try await withFleet(3, on: hosts) { fleet in
                    try await office(fleet, on: network).setLimit(to: 1)
                    let machine = try fleet.machine("web-1").on(network.host("client"))
                    _ = try machine.startAgent()
                    let status = try machine.watchStatus()
                    try await status.line(beginningWith: "current")
                    try await body(network, fleet, machine, status)
                }
                withExtendedLifetime(network) {}
            }
        }

        private func office(_ fleet: TestFleet, on network: TestNetwork) throws -> FleetTool {
            var tool = try fleet.tool("office")
            tool.launcher = try network.host("office").launcher
            return tool
        }
    }
#endif
