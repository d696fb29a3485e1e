import Foundation
import StoredValuesSupport
import Testing

/// Hosts with a network of their own each, joined by a switch that can be parted.
///
/// They are nameless network namespaces, each kept by a process on a leash, so that nothing remains, whatever ends the tests; nothing
/// of it is seen outside. What is cut off hears nothing more, not even that it is cut off: packets vanish.
final class TestNetwork: Sendable {
    static let mostHosts = 8
    static func address(of number: Int) -> String { "10.77.0.\(number)" }

    /// A host, by its name.
    struct Host: Sendable {
        let name: String
        let number: Int
        /// A launcher for `TestProcesses.start`: what it runs is on this host.
        let launcher: [String]
        var address: String { TestNetwork.address(of: number) }
        /// Its port of the switch.
        fileprivate var port: String { "port\(number)" }
        fileprivate var hardware: String { "02:00:00:00:00:0\(number)" }
    }

    private let hosts: [Host]
    private let folder: String
    private let processes = TestProcesses()
    /// What is run beside the switch.
    private let launcher: [String]

    /// A network that is whole. Where there can be none, it ends the test's case and says why.
    init(_ names: String..., in folder: String) async throws {
        precondition(names.count <= Self.mostHosts)
        self.folder = folder
        launcher = try await Self.launcher(processes, in: folder)
        let unshare = try Program.orSkip("unshare").path, nsenter = try Program.orSkip("nsenter").path
        var hosts: [(host: Host, keeper: Int32)] = []
        for (index, name) in names.enumerated() {
            guard let keeper = try await Self.keeper(launcher + [unshare, "-n"], processes, in: folder) else { throw Ended(host: name) }
            // Entered from beside the switch, whose user's it is.
            let host = Host(name: name, number: index + 1, launcher: launcher + [nsenter, "-t", "\(keeper)", "-n"])
            hosts.append((host, keeper))
        }
        self.hosts = hosts.map(\.host)
        for (host, keeper) in hosts { try await connect(host, keeper) }
        try await heal()
    }

    /// The way into the network of the switch.
    private static func launcher(_ processes: TestProcesses, in folder: String) async throws -> [String] {
        let unshare = try Program.orSkip("unshare").path, nsenter = try Program.orSkip("nsenter").path
        // As root, or as the root of a user namespace of one's own.
        for (way, user) in [("-n", []), ("-Urn", ["-U", "--preserve-credentials"])] {
            guard let keeper = try await keeper([unshare, way], processes, in: folder) else { continue }
            return [nsenter, "-t", "\(keeper)", "-n"] + user
        }
        try SkippedCase.end(because: "this user may make no network (unshare -n)", isRequired: true)
    }

    /// The number of a process that keeps a new network; nil where this way does not work here.
    private static func keeper(_ unshare: [String], _ processes: TestProcesses, in folder: String) async throws -> Int32? {
        let process = try processes.start(
            command: Leash.launcher(log: "\(folder)/network.log") + unshare + ["sh", "-c", "echo $$; exec sleep infinity"])
        return try await process.line().flatMap { Int32($0) }
    }

    /// Gives the host its cable, and its place among the others.
    private func connect(_ host: Host, _ keeper: Int32) async throws {
        let ip = try Program.orSkip("ip").path
        let end = ["name", "eth0", "address", host.hardware, "netns", "\(keeper)"]
        try await run(launcher + [ip, "link", "add", host.port, "type", "veth", "peer"] + end)
        try await run(launcher + [ip, "link", "set", host.port, "up"])
        // Where the others are is never asked for, for that nobody answers would be noticed.
        let neighbours = hosts.filter { $0.number != host.number }.map {
            "neigh add \($0.address) lladdr \($0.hardware) dev eth0 nud permanent"
        }
        let own = ["link set lo up", "link set eth0 up", "addr add \(host.address)/24 dev eth0"]
        try await run(host.launcher + [ip, "-batch", "-"], input: (own + neighbours).joined(separator: "\n"))
    }

    private struct Ended: Error {
        let host: String
    }

    func host(_ name: String) throws -> Host { try #require(hosts.first { $0.name == name }, "no host \(name)") }

    // MARK: What is cut off

    /// Parts the network: only hosts of the same group hear each other, and what is in no group hears nobody.
    func split(_ groups: [String]...) async throws {
        var commands = hosts.map { "link set \($0.port) nomaster" }
        for (index, group) in groups.enumerated() {
            try await addSwitch("switch\(index)")
            for name in group { commands.append("link set \(try host(name).port) master switch\(index)") }
        }
        try await run(launcher + [Program.orSkip("ip").path, "-batch", "-"], input: commands.joined(separator: "\n"))
    }

    /// All hear each other again.
    func heal() async throws { try await split(hosts.map(\.name)) }

    /// Has `host` answer `other` no more, whom everybody else goes on to answer; or again.
    func mute(_ host: String, towards other: String, _ isMute: Bool = true) async throws {
        let target = try self.host(other).address
        try await run(
            self.host(host).launcher + [Program.orSkip("ip").path, "route", isMute ? "add" : "del", "blackhole", "\(target)/32"])
    }

    /// Adds the switch if it is not there. It forwards at once: what it knows of its ports is not asked for.
    private func addSwitch(_ name: String) async throws {
        let ip = try Program.orSkip("ip").path
        let known = try await FinishedProgram.run(launcher + [ip, "link", "show", name], environment: [:], in: folder)
        guard known.status != 0 else { return }
        let options = ["stp_state", "0", "forward_delay", "0", "mcast_snooping", "0"]
        try await run(launcher + [ip, "link", "add", name, "type", "bridge"] + options)
        try await run(launcher + [ip, "link", "set", name, "up"])
    }

    private func run(_ command: [String], input: String = "") async throws {
        let result = try await FinishedProgram.run(command, environment: [:], input: input, in: folder)
        guard result.status == 0 else { throw Refused(command: command.joined(separator: " "), errors: result.errors) }
    }

    private struct Refused: Error {
        let command: String
        let errors: String
    }
}
