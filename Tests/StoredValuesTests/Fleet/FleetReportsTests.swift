#if Fleet
    import Foundation
    import StoredValues
    import Testing

    @testable import StoredValuesFleet

    @Suite("Fleet: which machines are current", .hangLimit)
    struct FleetReportsTests {
        @Test("Agents that are asked to report say how their machines are, seldom and under a lease, and status tells in one line; others say nothing")
        func reports() async throws {
            try await withFleet { fleet in
                let start = ContinuousClock.now, agents = "/stored-values/\(TestFleet.application)/agents/", silent = try fleet.machine("web-0")
                try await fleet.run("set", "limit", "1")
                _ = try silent.startAgent()
                try await silent.waitUntilCurrent()
                #expect(try await fleet.etcd.entries(agents).isEmpty)
                #expect(try await !fleet.tool().status().output.contains("machine"))
                for name in ["web-1", "web-2"] { _ = try fleet.machine(name).startAgent("--report") }
                func lastLine() async throws -> String { try await fleet.tool().status().output.split(separator: "\n").last.map(String.init) ?? "" }
                try await eventually("both are current") { try await lastLine() == "2 machines current" }
                // What is no encrypted file is the reason of both; then of none.
                try await fleet.etcd.put(TestFleet.secrets, "x")
                try await eventually("none is current") { try await lastLine().hasPrefix("0 of 2 machines current: web-1 is not since ") }
                #expect(try await lastLine().contains("not an encrypted file"))
                #expect(try await fleet.run("doctor").contains("0 of 2 machines current: "))
                let json = try await JSONValue(text: fleet.run("status", "--json"))?["machines"]?.arrayValue
                #expect(json?.count == 2 && json?.first?["ok"] == false && json?.first?["host"]?.stringValue == "web-1")
                let entries = try await fleet.etcd.entries(agents)
                #expect(entries.map(\.key) == ["\(agents)web-1", "\(agents)web-2"])
                // Not each second: at changes of state, and once a minute.
                let minutes = Int((ContinuousClock.now - start) / .seconds(60))
                #expect(entries.allSatisfy { $0.version <= 4 + minutes }, "\(entries)")
                #expect(try await fleet.etcd.run("lease", "list").split(separator: "\n").count == 3)
            }
        }

        @Test("A machine that says nothing for long is not current, and what is no report is passed over")
        func silence() throws {
            let now = Date(timeIntervalSince1970: 1_000_000)
            func status(_ agents: AgentReport...) -> String? {
                var status = FleetClusterStatus()
                status.agents = agents
                return status.machines(at: now)
            }
            let current = AgentReport(.current(revision: 3), of: "a", at: now - 170)
            let late = AgentReport(.current(revision: 3), of: "b", at: now - 190)
            let stale = AgentReport(.stale(since: now - 60, why: "Why."), of: "c", at: now)
            #expect(status() == nil && status(current) == "1 machine current")
            #expect(
                status(current, late, stale)
                    == "1 of 3 machines current: b has not reported since 1970-01-12T13:43:30.000Z; c is not since 1970-01-12T13:45:40.000Z: Why.")
            for report in [current, late, stale] { #expect(AgentReport(report.data) == report) }
            for text in ["", "x", "{}", #"{"host": "a", "at": "t"}"#] { #expect(AgentReport(Data(text.utf8)) == nil) }
        }
    }
#endif
