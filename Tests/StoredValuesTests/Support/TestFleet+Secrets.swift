#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet

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

        /// Stores a secret by the command.
        func setSecret(_ name: String, to text: String, key: String, of application: String = TestFleet.application) async throws {
            let result = try await tool().run(["secret", "set", name, "--secrets-key", key, "--app", application], input: text)
            guard result.status == 0, result.output.isEmpty, result.errors.isEmpty else { throw NotStored(result: result) }
        }

        private struct NotStored: Error {
            let result: FinishedProgram
        }
    }

    extension FleetTool {
        /// Runs the tool with this as its standard input.
        func run(_ arguments: [String], input: String) async throws -> FinishedProgram {
            try await FinishedProgram.run(command(arguments), environment: environment, input: input, in: folder)
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
