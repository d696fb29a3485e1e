#if Fleet
    import Foundation
    import StoredValues
    import Testing

    @testable import StoredValuesFleet

    @Suite("Fleet: which machines are current", .hangLimit)
    struct FleetReportsTests {}

    extension FleetReportsTests {
        private static let agents = "/stored-values/\(TestFleet.application)/agents/"

        @Test("Agents that are asked to report say how their machines are, seldom and under a lease, and status tells in one line; others say nothing")
        func reports() async throws {
            try await withFleet { fleet in
                let agents = Self.agents, silent = try fleet.machine("web-0")
                try await fleet.run("set", "limit", "1")
                _ = try silent.startAgent()
                try await silent.waitUntilCurrent()
                #expect(try await fleet.etcd.entries(agents).isEmpty)
                #expect(try await !fleet.tool().status().output.contains("machine"))
                for name in ["web-1", "web-2"] { _ = try fleet.machine(name).startAgent("--report") }
                func lastLine() async throws -> String { try await fleet.tool().status().output.split(separator: "\n").last.map(String.init) ?? "" }
                try await eventually("both are current") { try await lastLine() == "2 machines current" }
                // What is no encrypted file is the reason of both; then of none. Status leaves out what is not answered within 3 s.
                try await fleet.etcd.put(TestFleet.secrets, "x")
                try await eventually("none is current") {
                    let line = try await lastLine()
                    return line.hasPrefix("0 of 2 machines current: web-1 is not since ") && line.contains("not an encrypted file")
                }
                try await eventually("doctor says so, too") {
                    let run = try await fleet.tool().run("doctor")
                    return run.status == 0 && run.output.contains("0 of 2 machines current: ")
                }
                try await eventually("so does status for scripts") {
                    let run = try await fleet.tool().run("status", "--json"), json = JSONValue(text: run.output)?["machines"]?.arrayValue
                    guard run.status == 0, json?.count == 2 else { return false }
                    return json?.first?["ok"] == false && json?.first?["host"]?.stringValue == "web-1"
                }
                #expect(try await fleet.etcd.entries(agents).map(\.key) == ["\(agents)web-1", "\(agents)web-2"])
                let entries = try await JSONValue(text: fleet.etcd.run("get", "--prefix", "--write-out=json", agents))?["kvs"]?.arrayValue ?? []
                #expect(entries.count == 2 && entries.allSatisfy { $0["lease"]?.intValue ?? 0 > 0 }, "\(entries)")
            }
        }

        @Test("A report is written at changes of state and once a minute, with the rights of the article at each of several members; without them each attempt uses the same lease")
        func writer() async throws {
            try await withFleet { fleet in
                let role = EtcdCluster.Role(
                    name: "agents", password: TestSecret.text("agents"), rights: [("read", TestFleet.settings), ("write", Self.agents)])
                let other = EtcdCluster.Role(name: "others", password: TestSecret.text("others"), rights: [("read", TestFleet.settings)])
                try await fleet.etcd.requireLogin(role, other)
                // Of several members each is asked first which cluster it belongs to.
                let endpoints = fleet.etcd.endpoints + ["https://localhost:\(fleet.etcd.members[0].port)"]
                func writer(_ role: EtcdCluster.Role) throws -> ReportWriter {
                    let client = try fleet.client(endpoints, user: role)
                    return ReportWriter(client.gateway, client.keys, host: "web-1")
                }
                let begin = ContinuousClock.now, stale = FleetReport.State.stale(since: .now, why: "Why.")
                var refused = try writer(other), allowed = try writer(role)
                // What a busy cluster does not answer within 2 s is sent again, and may be done twice: then there are several leases, and a
                // report is written more than once. So what counts is whether anything is done at all.
                var leases: [Int] = []
                func countLeases() async throws {
                    leases.append(try await fleet.etcd.run("lease", "list").split(separator: "\n").count - 1)
                }
                for minute in 0..<3 {
                    do throws(EtcdError) {
                        try await refused.write(stale, timeout: hangLimit, at: begin + .seconds(61 * minute))
                        Issue.record("It was allowed.")
                    } catch { #expect(error.reason == .accessDenied, "\(error)") }
                    try await countLeases()
                }
                #expect(leases[0] > 0 && Set(leases).count == 1, "\(leases)")
                let states: [(second: Int, state: FleetReport.State, isWritten: Bool)] = [
                    (0, .current(revision: 1), true), (59, .current(revision: 2), false), (59, stale, true), (118, stale, false),
                    (120, stale, true), (120, .current(revision: 2), true),
                ]
                var version = 0
                for (second, state, isWritten) in states {
                    try await allowed.write(state, timeout: hangLimit, at: begin + .seconds(second))
                    try await countLeases()
                    let versions = try await fleet.etcd.entries(Self.agents).map(\.version)
                    try #require(versions.count == 1)
                    #expect(isWritten ? versions[0] > version : versions[0] == version)
                    version = versions[0]
                }
                #expect(leases[3] > leases[2] && Set(leases[3...]).count == 1, "\(leases)")
            }
        }

        @Test("Where its lease is gone, as with a restored cluster, the next report has another one; also while half of the named members are away")
        func lostLease() async throws {
            try await withFleet(isSecure: false) { fleet in
                let away = try LoopbackPort(), begin = ContinuousClock.now
                let client = try fleet.client(fleet.etcd.endpoints + ["http://127.0.0.1:\(away.number)"])
                var writer = ReportWriter(client.gateway, client.keys, host: "web-1")
                try await writer.write(.current(revision: 1), timeout: hangLimit, at: begin)
                // A busy etcd may have granted more than one.
                for line in try await fleet.etcd.run("lease", "list").split(separator: "\n").dropFirst() { try await fleet.etcd.run("lease", "revoke", "\(line)") }
                do throws(EtcdError) {
                    try await writer.write(.current(revision: 1), timeout: hangLimit, at: begin + .seconds(61))
                    Issue.record("It was written.")
                } catch { #expect(error.reason == .gone, "\(error)") }
                try await writer.write(.current(revision: 1), timeout: hangLimit, at: begin + .seconds(122))
                #expect(try await fleet.etcd.entries(Self.agents).map(\.key) == ["\(Self.agents)web-1"])
                withExtendedLifetime(away) {}
            }
        }

        @Test("A machine is remembered for a day from its last report on, also where that comes at the end of its lease's use")
        func memory() async throws {
            try await withFleet(isSecure: false) { fleet in
                let client = try fleet.client()
                var writer = ReportWriter(client.gateway, client.keys, host: "web-1")
                try await writer.write(.current(revision: 1), timeout: hangLimit)
                let lease = try #require(try await fleet.etcd.run("lease", "list").split(separator: "\n").last.map(String.init))
                let words = try await fleet.etcd.run("lease", "timetolive", lease)
                let seconds = try #require(words.firstMatch(of: /TTL\(([0-9]+)s\)/).flatMap { Int($0.1) }, "\(words)")
                #expect(seconds >= 86_400 + AgentReport.renewal, "\(words)")
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
