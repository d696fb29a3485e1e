#if Fleet
    import Foundation
    import StoredValues

    /// A machine of a fleet: a home, an agent and programs.
    final class FleetMachine: Sendable {
        let name: String
        let groups: [String]
        let tool: FleetTool
        /// What its agents say.
        let log: String
        private let processes: TestProcesses

        init(_ name: String, groups: [String], _ tool: FleetTool, _ processes: TestProcesses) {
            (self.name, self.groups, self.tool, self.processes) = (name, groups, tool, processes)
            log = "\(tool.folder)/agent.log"
        }

        /// The same machine, whose programs are run otherwise.
        func with(_ change: (FleetTool) throws -> FleetTool) rethrows -> FleetMachine {
            FleetMachine(name, groups: groups, try change(tool), processes)
        }

        /// The same machine on a host of a network.
        func on(_ host: TestNetwork.Host) -> FleetMachine { launched(by: host.launcher) }

        /// The same machine, whose agents are run with a umask that lets nobody else read what they make.
        func withStrictUmask() -> FleetMachine { launched(by: ["/bin/sh", "-c", #"umask 077; exec "$0" "$@""#]) }

        private func launched(by launcher: [String]) -> FleetMachine {
            with { tool in
                var tool = tool
                tool.launcher = launcher
                return tool
            }
        }

        // MARK: Processes

        /// Starts an agent, without waiting for anything.
        func startAgent(_ arguments: String...) throws -> TestProcess {
            let identity = ["--host", name] + groups.flatMap { ["--group", $0] }
            return try processes.start(
                command: Leash.launcher(log: log) + tool.command(["agent"] + identity + arguments), environment: tool.environment)
        }

        /// Starts a program that reads its settings.
        func start(_ arguments: String...) throws -> TestProcess {
            try processes.start(command: TestProcess.command(arguments), environment: tool.environment)
        }

        /// Starts a program that prints what it hears of the fleet's freshness.
        func watchStatus() throws -> TestProcess { try start("watch-fleet") }

        /// What the agents have said so far.
        var words: String { (try? contents(ofFile: log)) ?? "" }

        // MARK: Files

        var folder: FleetFolder { FleetFolder("\(tool.folder)/fleet")! }  // nil only for what is in the environment

        /// Where the mirror lies.
        func path(of application: String = TestFleet.application) -> String { folder.mirror(of: application) }

        /// The mirror; nil if there is none. Throws if it is not whole.
        func mirror(of application: String = TestFleet.application) throws -> FleetMirror? {
            let path = path(of: application)
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            return try FleetMirror(parsing: Array(Data(contentsOf: URL(fileURLWithPath: path))))
        }

        /// The values in the mirror as JSON, by key.
        func values(of application: String = TestFleet.application) throws -> [String: String] {
            try mirror(of: application).map { mirror in
                Dictionary(uniqueKeysWithValues: mirror.values.map { ($0.text, $1.json.text(onOneLine: true)) })
            } ?? [:]
        }

        /// What the agent says of the mirror's freshness; nil if it says nothing.
        func report(of application: String = TestFleet.application) throws -> FleetReport? {
            let path = folder.report(of: application)
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            return FleetReport(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        }

        /// Waits until the mirror has exactly these values.
        func wait(for expected: [String: String], of application: String = TestFleet.application) async throws {
            var last: [String: String] = [:]
            do {
                try await eventually("\(name) has the values") {
                    last = try values(of: application)
                    return last == expected
                }
            } catch is NeverHappened {
                throw Otherwise(machine: name, values: last, expected: expected, words: words)
            }
        }

        /// Waits until the cluster has confirmed, after this call, that the mirror has all that was changed before it.
        func waitUntilCurrent(of application: String = TestFleet.application) async throws {
            let begin = ContinuousClock.now
            var last: FleetReport?
            do {
                try await eventually("\(name) is current") {
                    // Before the age, which grows: else a confirmation from before the call could look younger than the call.
                    let waited = ContinuousClock.now - begin
                    last = try report(of: application)
                    guard let last, case .current = last.state, let age = last.confirmed?.age else { return false }
                    return age < waited
                }
            } catch is NeverHappened {
                throw NotCurrent(machine: name, report: last, words: words)
            }
        }

        /// Waits until the report is stale, and the reason has these words.
        func waitUntilStale(_ part: String) async throws {
            try await eventually("\(name) is stale, because: \(part)") {
                guard case .stale(_, let why)? = try report()?.state else { return false }
                return why.contains(part)
            }
        }

        private struct NotCurrent: Error {
            let machine: String
            let report: FleetReport?
            let words: String
        }

        private struct Otherwise: Error {
            let machine: String
            let values: [String: String]
            let expected: [String: String]
            let words: String
        }
    }

    extension TestProcess {
        /// Reads what it prints up to the line that begins so, and returns that.
        @discardableResult
        func line(beginningWith beginning: String) async throws -> String {
            var lines: [String] = []
            while let line = try await line() {
                if line.hasPrefix(beginning) { return line }
                lines.append(line)
            }
            throw EndedBefore(line: beginning, lines: lines)
        }

        /// Reads what `watchStatus` prints up to the line by which the settings are stale for a reason with these words. Others may
        /// come before it: while a cluster starts again it cannot be connected to, and a program may find out by itself before it
        /// hears why.
        func staleLine(containing words: String) async throws {
            while try await !line(beginningWith: "stale").contains(words) {}
        }

        private struct EndedBefore: Error {
            let line: String
            let lines: [String]
        }
    }
#endif
