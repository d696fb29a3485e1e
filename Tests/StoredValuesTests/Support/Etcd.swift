import Foundation
import StoredValuesSupport
import Testing

/// A member of an `EtcdCluster`, a real etcd, which is started, killed, frozen and wiped as a test wants. It ends with the tests.
final class Etcd: Sendable {
    let name: String
    /// Where it answers clients: host and port.
    let address: String
    /// The same as clients are told of it.
    let endpoint: String
    /// Where it answers the other members.
    let peer: String
    /// What it keeps, which outlives it.
    let folder: String
    /// What it says.
    let log: String

    /// A launcher for what is to be near it, such as etcdctl: on its host.
    let launcher: [String]
    private let ports: [LoopbackPort]
    private let processes = TestProcesses()
    private let process = Guarded<TestProcess?>(nil)

    /// A member that is not started yet; on this machine's loopback without a `host`.
    init(_ name: String, in folder: String, isSecure: Bool, on host: TestNetwork.Host?) throws {
        self.name = name
        launcher = host?.launcher ?? []
        self.folder = "\(folder)/\(name)"
        log = "\(folder)/\(name).log"
        ports = host == nil ? [try LoopbackPort(), try LoopbackPort()] : []
        let numbers = host == nil ? ports.map(\.number) : [2379, 2380]
        let scheme = isSecure ? "https" : "http", machine = host?.address ?? "127.0.0.1"
        address = "\(machine):\(numbers[0])"
        endpoint = "\(scheme)://\(address)"
        peer = "\(scheme)://\(machine):\(numbers[1])"
    }

    /// The number of its port for clients.
    var port: Int { ports.first?.number ?? 2379 }

    /// What it says of itself, in plaintext: the number of this name.
    func metric(_ name: String) async throws -> Int {
        let script = #"exec 3<>"/dev/tcp/127.0.0.1/$0"; printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3; cat <&3"#
        let run = try await FinishedProgram.run(["/bin/bash", "-c", script, "\(port)"], environment: ["PATH": "/usr/bin:/bin"], in: "/")
        let line = run.output.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return Int(try #require(line?.split(separator: " ").last.flatMap { Double($0) }, "\(run)"))
    }

    // MARK: Its life

    var isRunning: Bool { process.withLock { $0?.hasEnded == false } }

    /// Starts it, on what it has kept if there is something. It may not answer yet.
    func start(_ arguments: [String]) throws {
        let etcd = try Program.orSkip("etcd").path
        let addresses = [
            "--name", name, "--data-dir", folder, "--listen-client-urls", endpoint, "--advertise-client-urls", endpoint,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
        ]
        let started = try processes.start(
            command: Leash.launcher(log: log) + launcher + [etcd] + addresses + arguments,
            environment: Self.environment)
        process.withLock { $0 = started }
    }

    /// No `ETCD_…` of ours. 3.4 wants to be told that it may run on anything but x86.
    private static let environment: [String: String] = {
        let path = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        #if arch(arm64)
            return path.merging(["ETCD_UNSUPPORTED_ARCH": "arm64"]) { $1 }
        #else
            return path
        #endif
    }()

    /// Kills it, and returns when it is gone. What it has acknowledged is on the disk.
    func kill() async throws { try await process.withLock { $0.take() }?.kill() }

    /// Stops it where it is: its connections stay open, and nobody is answered.
    func freeze() async throws { try await running().stop() }

    /// Lets it go on.
    func thaw() throws { try running().signal(SIGCONT) }

    /// Throws away what it has kept.
    func wipe() throws {
        precondition(!isRunning, "\(name) runs")
        try FileManager.default.removeItem(atPath: folder)
    }

    private func running() throws -> TestProcess {
        guard let process = process.withLock({ $0 }), !process.hasEnded else { throw Ended(member: self) }
        return process
    }

    /// It ended, or was never started, where a test needs it.
    struct Ended: Error, CustomStringConvertible {
        let description: String

        init(member: Etcd) {
            description = "etcd \(member.name) does not run; its last words:\n\(Leash.tail(ofLog: member.log))"
        }
    }
}

/// What a member of etcd says of itself.
struct EtcdStatus: Decodable, Sendable {
    struct Header: Decodable, Sendable {
        let member: UInt64
        let revision: Int
        /// The number of the vote for the leader that it knows of; each is greater than those before.
        let term: UInt64

        enum CodingKeys: String, CodingKey { case member = "member_id", revision, term = "raft_term" }
    }

    let header: Header
    /// The number of the member that leads; 0 is none.
    let leader: UInt64

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        header = try container.decode(Header.self, forKey: .header)
        leader = try container.decodeIfPresent(UInt64.self, forKey: .leader) ?? 0
    }

    private enum CodingKeys: String, CodingKey { case header, leader }
}
