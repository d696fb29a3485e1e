#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import StoredValuesSupport

    /// A fleet of a test's own: a real etcd, machines, and those who operate them.
    final class TestFleet: Sendable {
        let etcd: EtcdCluster
        let folder: String
        /// Ended with the fleet.
        let processes = TestProcesses()

        /// The application of most tests, which is what their other process is called.
        static let application = "TestProcess"
        /// Where its settings lie in etcd.
        static let settings = "/stored-values/\(application)/settings/"
        /// What each change puts there.
        static let mark = "\(settings)revision"
        /// Where its log lies.
        static let log = "/stored-values/\(application)/log/"

        fileprivate init(_ etcd: EtcdCluster, _ folder: String) { (self.etcd, self.folder) = (etcd, folder) }

        /// The tool as an operator runs it.
        func tool(_ name: String = "operator") throws -> FleetTool { try FleetTool(in: "\(folder)/\(name)", etcd) }

        /// Runs the tool as an operator, where it must succeed, and returns what it prints.
        @discardableResult
        func run(_ arguments: String...) async throws -> String { try await run(arguments) }

        /// The same with a list of arguments.
        @discardableResult
        func run(_ arguments: [String]) async throws -> String {
            let result = try await tool().runUntilReached(arguments)
            guard result.status == 0 else { throw Refused(command: arguments, result: result) }
            return result.output
        }

        /// A machine, whose agent is not started yet.
        func machine(_ name: String, groups: [String] = []) throws -> FleetMachine {
            FleetMachine(name, groups: groups, try tool(name), processes)
        }

        private struct Refused: Error {
            let command: [String]
            let result: FinishedProgram
        }
    }

    /// Runs `body` with a fleet, and ends it. The parameters are those of `withEtcd`.
    func withFleet(
        _ members: Int = 1, isSecure: Bool = true, quota: Int? = nil, on hosts: [TestNetwork.Host]? = nil, waitsForTurn: Bool = true,
        isolation: isolated (any Actor)? = #isolation, _ body: (TestFleet) async throws -> Void
    ) async throws {
        try await withEtcd(members, isSecure: isSecure, quota: quota, on: hosts, waitsForTurn: waitsForTurn) { etcd in
            try await withTemporaryFolder { folder in
                let fleet = TestFleet(etcd, folder)
                try await body(fleet)
                withExtendedLifetime(fleet) {}
            }
        }
    }

    extension EtcdCluster {
        /// A client in this process, which waits as long as it takes.
        func client(
            _ endpoints: [String]? = nil, of application: String = TestFleet.application, timeout: Duration = hangLimit,
            userFile: String? = nil
        ) throws -> Fleet {
            var client = try Fleet(
                endpoints: endpoints ?? self.endpoints, applicationID: application,
                access: FleetAccess(authorities: ca?.file, certificate: ca?.client.file, key: ca?.client.key, user: userFile))
            client.timeout = timeout
            return client
        }
    }

    /// The fleet as programs change it.
    extension TestFleet {
        /// A client in this process, which waits as long as it takes.
        func client(_ endpoints: [String]? = nil, timeout: Duration = hangLimit, user: EtcdCluster.Role? = nil) throws -> Fleet {
            let file = user.map { "\(folder)/\($0.name).user" }
            if let user, let file { try writePrivate("\(user.login)\n", to: file) }
            return try etcd.client(endpoints, timeout: timeout, userFile: file)
        }

        /// The records of the log as they lie there, by revision.
        func records() async throws -> [JSONValue] {
            try await etcd.entries(Self.log).sorted { $0.modRevision < $1.modRevision }.map { JSONValue(text: $0.value) ?? .null }
        }
    }

    /// The secrets of a fleet.
    extension TestFleet {
        /// Where they lie in etcd.
        static let secrets = "\(settings)secrets"

        /// A new key in a file.
        func newKey(_ name: String = "key") throws -> String {
            let path = "\(folder)/\(name)"
            try Self.writeKey(to: path)
            return path
        }

        static func writeKey(to path: String) throws {
            var generator = SystemRandomNumberGenerator()
            let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            guard FileManager.default.createFile(atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]) else {
                throw SystemFailure("write a key", errno)
            }
        }

        /// The secrets in the cluster, for a program that changes them.
        func secrets(_ key: String) throws -> FleetSecrets { try client().secrets(key: .file(key)) }

        /// How often they were changed, as their file says; nil if there are none.
        func secretsGeneration() async throws -> UInt64? {
            try await etcd.bytes(Self.secrets).flatMap { SealedSecrets.generation(of: $0) }
        }

        /// Stores a secret by the command, whoever else changes secrets meanwhile.
        func setSecret(_ name: String, to text: String, key: String, of application: String = TestFleet.application) async throws {
            let command = ["secret", "set", name, "--secrets-key", key, "--app", application]
            let result = try await tool().runUntilReached(command, input: text)
            guard result.status == 0, result.output.isEmpty, result.errors.isEmpty else { throw NotStored(result: result) }
        }

        private struct NotStored: Error {
            let result: FinishedProgram
        }
    }

    extension FleetMachine {
        /// The mirrored file with the secrets; nil if there is none.
        func secrets() throws -> [UInt8]? {
            let path = folder.secrets(of: TestFleet.application)
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        }

        /// Waits until this machine has the secrets that the cluster has.
        func waitForSecrets(_ etcd: EtcdCluster) async throws {
            let expected = try await etcd.bytes(TestFleet.secrets)
            try await eventually("\(name) has the secrets") { try secrets() == expected }
        }

        /// A program that answers what it reads with these keys: files, "mounted:<file>" or "credential:<name>"; "-" is none.
        func startReader(_ key: String, former: String = "-") throws -> TestProcess { try start("talk-fleet-secrets", key, former) }
    }
#endif
