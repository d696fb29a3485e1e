import Foundation
import StoredValuesSupport
import Testing

/// A real etcd of one member or more, and what its administrator does with it. `withEtcd` starts it.
final class EtcdCluster: Sendable {
    let folder: String
    let members: [Etcd]
    /// Nil where it is spoken with in the clear.
    let ca: TestCA?
    /// What tells clusters of the same addresses apart: the cluster's id is made of it.
    private let token: Guarded<String>
    /// Once authentication is on, the administrator's name and password.
    private let administrator = Guarded<String?>(nil)
    private let arguments: [String]

    fileprivate init(_ setup: EtcdSetup, in folder: String) async throws {
        for program in ["etcd", "etcdctl", "openssl"] { _ = try Program.orSkip(program) }
        self.folder = folder
        let ca = setup.isSecure ? try await TestCA.shared() : nil
        self.ca = ca
        members = try (0..<setup.members).map { index in
            try Etcd("member\(index)", in: folder, isSecure: setup.isSecure, on: setup.hosts?[index])
        }
        token = Guarded(setup.token)
        var arguments = ["--bcrypt-cost", "4"]  // else each login takes 0.1 s
        if let quota = setup.quota { arguments += ["--quota-backend-bytes", "\(quota)"] }
        if let ca {
            let (file, key) = (ca.server.file, ca.server.key)
            arguments += ["--trusted-ca-file", ca.file, "--cert-file", file, "--key-file", key, "--client-cert-auth"]
            arguments += ["--peer-trusted-ca-file", ca.file, "--peer-cert-file", file, "--peer-key-file", key]
            arguments += ["--peer-client-cert-auth"]
        }
        self.arguments = arguments + setup.options
    }

    /// What clients are given: every member's address.
    var endpoints: [String] { members.map(\.endpoint) }

    // MARK: Its life

    /// Starts all that does not run, and waits until each takes part.
    func start() async throws {
        try startMembers()
        for member in members { try await waitUntilHealthy(member) }
    }

    /// The same without waiting: without a quorum none is healthy.
    func startMembers() throws {
        for member in members where !member.isRunning { try member.start(arguments + cluster) }
    }

    /// Starts one, without waiting for it.
    func start(_ member: Etcd) throws { try member.start(arguments + cluster) }

    func waitUntilHealthy(_ member: Etcd) async throws {
        try await eventually("etcd \(member.name) is healthy") {
            guard member.isRunning else { throw Etcd.Ended(member: member) }
            return try await etcdctl(["endpoint", "health"], on: member).status == 0
        }
    }

    func killAll() async throws { for member in members { try await member.kill() } }

    /// An empty cluster takes its place: the same id at the same addresses.
    func wipe() async throws {
        try await killAll()
        for member in members { try member.wipe() }
        try await start()
    }

    private var cluster: [String] {
        ["--initial-cluster", members.map { "\($0.name)=\($0.peer)" }.joined(separator: ",")]
            + ["--initial-cluster-token", token.withLock { $0 }, "--initial-cluster-state", "new"]
    }

    // MARK: The leader

    /// The member that leads by the last vote that a running one knows of; nil while there is none, or it does not answer.
    func leader() async throws -> Etcd? {
        let answers = try await withThrowingTaskGroup(of: (Etcd, EtcdStatus?).self) { group in
            for member in members where member.isRunning { group.addTask { (member, try await self.status(of: member)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let known = answers.compactMap { answer in answer.1.map { (member: answer.0, status: $0) } }
        let last = known.filter { $0.status.leader != 0 }.max { $0.status.header.term < $1.status.header.term }
        return known.first { $0.status.header.member == last?.status.leader }?.member
    }

    /// Waits for a leader, or for another than `old`.
    func waitForLeader(otherThan old: Etcd? = nil) async throws -> Etcd {
        var found: Etcd?
        try await eventually("etcd has a leader") {
            found = try await leader()
            return found != nil && found !== old
        }
        return try #require(found)
    }

    /// Kills the leader, and returns it when the others have a new one.
    func killLeader() async throws -> Etcd {
        let leader = try await waitForLeader()
        try await leader.kill()
        _ = try await waitForLeader(otherThan: leader)
        return leader
    }

    /// What a member says of itself; nil if it does not answer within 2 s.
    func status(of member: Etcd) async throws -> EtcdStatus? {
        let result = try await etcdctl(["endpoint", "status", "--write-out=json"], on: member, within: .seconds(2))
        guard result.status == 0 else { return nil }
        return try JSONDecoder().decode([EtcdAnswer].self, from: Data(result.output.utf8)).first?.status
    }

    private struct EtcdAnswer: Decodable {
        let status: EtcdStatus
        enum CodingKeys: String, CodingKey { case status = "Status" }
    }

    // MARK: etcdctl

    /// Runs etcdctl as the administrator, on all members or one, near which it is then.
    func etcdctl(
        _ arguments: [String], input: String = "", on member: Etcd? = nil, within limit: Duration = .seconds(30)
    ) async throws -> FinishedProgram {
        try await etcdctl(arguments, inputBytes: Data(input.utf8), on: member, within: limit)
    }

    /// The same with any bytes as its input.
    func etcdctl(
        _ arguments: [String], inputBytes: Data, on member: Etcd? = nil, within limit: Duration = .seconds(30)
    ) async throws -> FinishedProgram {
        var command = (member ?? members[0]).launcher + [try Program.orSkip("etcdctl").path]
        command += ["--endpoints", (member.map { [$0.endpoint] } ?? endpoints).joined(separator: ",")]
        command += ["--command-timeout", "\(limit.components.seconds)s", "--dial-timeout", "\(limit.components.seconds)s"]
        if let ca { command += ["--cacert", ca.file, "--cert", ca.client.file, "--key", ca.client.key] }
        if let user = administrator.withLock({ $0 }) { command += ["--user", user] }
        let environment = ["PATH": "/usr/bin:/bin", "ETCDCTL_API": "3"]
        return try await FinishedProgram.run(command + arguments, environment: environment, inputBytes: inputBytes, in: folder)
    }

    /// The same, where it must succeed. Returns what it prints.
    @discardableResult
    func run(_ arguments: String..., input: String = "", on member: Etcd? = nil) async throws -> String {
        let result = try await etcdctl(arguments, input: input, on: member)
        guard result.status == 0 else { throw Refused(command: arguments.joined(separator: " "), errors: result.errors) }
        return result.output
    }

    struct Refused: Error {
        let command: String
        let errors: String
    }

    // MARK: Its history

    /// Saves all it holds to a file.
    func saveSnapshot(to file: String) async throws { try await run("snapshot", "save", file, on: members[0]) }

    /// Puts what the file holds in place of everything; with another `token` it is another cluster then, by its id.
    func restoreSnapshot(from file: String, token newToken: String? = nil) async throws {
        try await killAll()
        if let newToken { token.withLock { $0 = newToken } }
        for member in members {
            try member.wipe()
            let result = try await etcdctl(
                ["snapshot", "restore", file, "--name", member.name, "--data-dir", member.folder]
                    + ["--initial-advertise-peer-urls", member.peer] + cluster.dropLast(2))
            guard result.status == 0 else { throw Refused(command: "snapshot restore", errors: result.errors) }
        }
        try await start()
    }

    /// Has etcdctl come as this user from now on; nil is nobody.
    func come(as user: String?) { administrator.withLock { $0 = user } }
}

extension EtcdCluster {
    /// One for tests that need none of their own. It ends with the test process.
    static func shared() async throws -> EtcdCluster {
        for program in ["etcd", "etcdctl", "openssl"] { _ = try Program.orSkip(program) }
        return try await one.value
    }

    private static let one = Task {
        let folder = "\(ProcessFolder.path)/etcd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let cluster = try await EtcdCluster(EtcdSetup(members: 1, isSecure: true, quota: nil, token: "shared", options: [], hosts: nil), in: folder)
        try await cluster.start()
        return cluster
    }
}

/// What a cluster is made as.
private struct EtcdSetup: Sendable {
    let members: Int
    let isSecure: Bool
    let quota: Int?
    let token: String
    let options: [String]
    let hosts: [TestNetwork.Host]?
}

/// Runs `body` with an etcd that answers, and ends it.
///
/// - Parameters:
///   - members: How many there are.
///   - isSecure: With TLS, where clients need a certificate; or in the clear.
///   - quota: How many bytes it may keep before it says that there is no space.
///   - options: Further options of its members.
///   - hosts: Where its members are; without them, on this machine's loopback.
///   - waitsForTurn: Whether it begins only when few others run. The test that takes longest does not wait: with its wait it would be
///     what all tests together take.
func withEtcd(
    _ members: Int = 1, isSecure: Bool = true, quota: Int? = nil, token: String = "tests", options: [String] = [],
    on hosts: [TestNetwork.Host]? = nil, waitsForTurn: Bool = true, isolation: isolated (any Actor)? = #isolation, _ body: (EtcdCluster) async throws -> Void
) async throws {
    if waitsForTurn { await turns.begin() }
    defer { if waitsForTurn { turns.end() } }
    try await withTemporaryFolder { folder in
        let setup = EtcdSetup(members: members, isSecure: isSecure, quota: quota, token: token, options: options, hosts: hosts)
        let cluster = try await EtcdCluster(setup, in: folder)
        do {
            try await cluster.start()
            try await body(cluster)
        } catch {
            try await cluster.killAll()
            throw error
        }
        try await cluster.killAll()  // before its folder goes
    }
}

/// All tests together may want more than a hundred of them, which would starve each other; what a cluster does in time counts.
private let turns = Turns(6)
