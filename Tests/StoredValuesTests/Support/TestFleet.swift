#if Fleet
    import Foundation
    import StoredValues
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
        /// Where its log lies.
        static let log = "/stored-values/\(application)/log/"

        fileprivate init(_ etcd: EtcdCluster, _ folder: String) { (self.etcd, self.folder) = (etcd, folder) }

        /// The tool as an operator runs it.
        func tool(_ name: String = "operator") throws -> FleetTool { try FleetTool(in: "\(folder)/\(name)", etcd) }

        /// Runs the tool as an operator, where it must succeed, and returns what it prints.
        @discardableResult
        func run(_ arguments: String...) async throws -> String {
            let result = try await tool().run(arguments)
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
#endif
