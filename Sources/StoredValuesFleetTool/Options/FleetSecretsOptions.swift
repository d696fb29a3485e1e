#if Fleet
    import ArgumentParser
    import StoredValues
    import StoredValuesFleet
    import StoredValuesToolSupport

    /// The secrets of one program in the cluster, and their key.
    struct FleetSecretsOptions: ParsableArguments {
        static let keyVariable = "STORED_VALUES_FLEET_SECRETS_KEY"

        @OptionGroup var fleet: FleetOptions

        @Option(help: ArgumentHelp("The file with the key that seals the secrets, 32 random bytes; by default $\(keyVariable).", valueName: "file"), completion: .file())
        var secretsKey: String?

        @Option(help: ArgumentHelp("The service that the secrets belong to; by default the application id.", valueName: "name"))
        var service: String?

        func validate() throws {
            guard service != "" else { throw ValidationError("The name of --service must not be empty.") }
        }

        func serviceName() throws -> String { try service ?? fleet.application.requiredID() }

        func id(of name: String) throws -> SecretIdentifier { SecretIdentifier(service: try serviceName(), account: name) }

        /// Runs `body` with the secrets. That their key does not open them is said in the terms of this tool.
        func withKeyring<Result>(_ body: (FleetSecrets) async throws -> Result) async throws -> Result {
            let path = try keyPath()
            let keyring = try fleet.fleet().secrets(key: .file(path))
            do {
                return try await body(keyring)
            } catch KeyringError.wrongKey {
                throw Failure(.refused, "The key in \"\(path)\" does not open the fleet's secrets; nothing was changed. Use the one that they were sealed with last.")
            }
        }

        private func keyPath() throws -> String {
            guard let path = try secretsKey ?? System.environment(Self.keyVariable), !path.isEmpty else {
                throw Failure(.usage, "Name the file with the key of the secrets: --secrets-key <file>, or \(Self.keyVariable)=<file> in the environment.")
            }
            return path
        }
    }
#endif
