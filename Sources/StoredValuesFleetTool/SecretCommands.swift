#if Fleet
    import ArgumentParser
    import FoundationEssentials
    import StoredValues
    import StoredValuesFleet
    import StoredValuesToolSupport

    struct SecretCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "secret", abstract: "List, store, remove and move the fleet's secrets, and change their key.",
            discussion: """
                They are sealed before they leave this machine: the cluster has neither a secret nor the key. A secret is never read from \
                the command line. Each change is signed with the key, which agents check that were given its public half.
                """,
            subcommands: [
                SecretSetCommand.self, SecretListCommand.self, SecretRemoveCommand.self, SecretMoveCommand.self, SecretRekeyCommand.self,
                SecretConfirmCommand.self, SecretPublicKeyCommand.self,
            ])
    }

    struct SecretSetCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Store a secret from standard input, or as typed; all machines get it.",
            discussion: "One line break at the end of standard input is dropped, unless --verbatim is given.")

        @Argument(help: "The secret's name.") var name: String
        @OptionGroup var secrets: FleetSecretsOptions
        @Flag(help: "Store standard input byte for byte.") var verbatim = false

        func run() async throws {
            let id = try secrets.id(of: name)
            try await secrets.withKeyring { keyring in
                ProgressLine.shared.end()  // only the user is waited for
                let secret = try SecretInput.read(id, isVerbatim: verbatim)
                ProgressLine.shared.begin("Waiting for the cluster")
                try await keyring.write(secret, for: id, label: "\(id.service)/\(id.account)")
            }
        }
    }

    struct SecretListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the names of all secrets, one per line.")

        @OptionGroup var secrets: FleetSecretsOptions
        @Flag(help: "Print a JSON list.") var json = false

        func run() async throws {
            let service = try secrets.serviceName()
            let ids = try await secrets.withKeyring { try await $0.identifiers(inService: service) }
            Output.standard.names(ids.map(\.account), asJSON: json)
        }
    }

    struct SecretRemoveCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a secret from all machines.", discussion: "Removing a secret that does not exist succeeds.")

        @Argument(help: "The secret's name.") var name: String
        @OptionGroup var secrets: FleetSecretsOptions

        func run() async throws {
            let id = try secrets.id(of: name)
            try await secrets.withKeyring { try await $0.remove(id) }
        }
    }

    struct SecretMoveCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Move all secrets of a program from a keyring of this machine into the cluster.",
            discussion: """
                All are stored, read back and compared before the first one is removed, so an interrupted move loses nothing: repeat it.
                """)

        @OptionGroup var secrets: FleetSecretsOptions
        @Option(help: "The keyring to move from: secret-service or file:<path>.") var from: KeyringArgument
        @Flag(help: "Replace secrets of the same name that differ in the cluster.") var overwrite = false

        func run() async throws {
            let service = try secrets.serviceName()
            let moved = try await secrets.withKeyring { keyring in
                ProgressLine.shared.begin("Moving secrets")
                return try await from.keyring.moveSecrets(inService: service, to: keyring, overwriting: overwrite, progress: ProgressLine.shared.advance)
            }
            Output.standard.moved(moved, asJSON: false)
        }
    }

    struct SecretRekeyCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rekey", abstract: "Seal the secrets with a new key.",
            discussion: """
                Give the new key to all machines first, beside the old one: machines without it can read none of the secrets any more. \
                Agents with --secrets-public-key need the new public key first, too.
                """)

        @OptionGroup var secrets: FleetSecretsOptions
        @Option(help: ArgumentHelp("The file with the new key.", valueName: "file"), completion: .file()) var newKey: String

        func run() async throws {
            // The error of the library says where a missing key may be found; this one has yet to be made.
            guard !System.isMissing(newKey) else {
                throw Failure(
                    .misconfigured,
                    """
                    The new key "\(newKey)" does not exist. Make it, and give it to all machines first: \
                    (umask 077; head -c 32 /dev/urandom > "\(newKey)")
                    """)
            }
            try await secrets.withKeyring { try await $0.rekey(to: .file(newKey)) }
        }
    }

    struct SecretConfirmCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "confirm", abstract: "Accept restored secrets as current, although machines have seen later ones.",
            discussion: """
                Machines refuse secrets that are older than those that they have seen. Use this after a backup was restored on purpose. It needs the \
                key of the secrets, with which it signs that they count.
                """)

        @OptionGroup var secrets: FleetSecretsOptions
        @Flag(help: "Do not ask for confirmation.") var yes = false

        func run() async throws {
            let sentence = "This removes secrets that were stored after the backup from all machines."
            if !yes { try Question.confirm(sentence, orElse: "Nothing was changed.") }
            try await secrets.withKeyring { try await $0.confirmRestored() }
        }
    }

    struct SecretPublicKeyCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "public-key", abstract: "Print the public half of the key, for the option --secrets-public-key of agents.",
            discussion: "It is no secret. With it an agent knows secrets that were sealed with the key from forged ones. The cluster is not asked.")

        @OptionGroup var key: SecretsKeyOption

        func run() async throws { Output.standard.line(try SigningKey(of: .file(key.path())).publicKey.text) }
    }

    struct SecretsKeyOption: ParsableArguments {
        static let variable = "STORED_VALUES_FLEET_SECRETS_KEY"

        @Option(help: ArgumentHelp("The file with the key that seals the secrets, 32 random bytes; by default $\(variable).", valueName: "file"), completion: .file())
        var secretsKey: String?

        func path() throws -> String {
            guard let path = try secretsKey ?? System.environment(Self.variable), !path.isEmpty else {
                throw Failure(.usage, "Name the file with the key of the secrets: --secrets-key <file>, or \(Self.variable)=<file> in the environment.")
            }
            return path
        }
    }

    /// The secrets of one program in the cluster, and their key.
    struct FleetSecretsOptions: ParsableArguments {
        @OptionGroup var fleet: FleetOptions
        @OptionGroup var key: SecretsKeyOption
        @OptionGroup var service: ServiceOption

        func serviceName() throws -> String { try service.service ?? fleet.application.requiredID() }

        func id(of name: String) throws -> SecretIdentifier {
            guard !name.isEmpty else { throw Failure(.usage, "The name of a secret must not be empty.") }
            return SecretIdentifier(service: try serviceName(), account: name)
        }

        /// Runs `body` with the secrets, and reports a wrong key in the terms of this tool. A failed move may have stored some secrets.
        func withKeyring<Result>(_ body: (FleetSecrets) async throws -> Result) async throws -> Result {
            let path = try key.path()
            let keyring = try fleet.fleet().secrets(key: .file(path))
            do {
                return try await body(keyring)
            } catch KeyringError.wrongKey, SecretMoveError.destination(.wrongKey) {
                throw Failure(.refused, "The key in \"\(path)\" does not open the fleet's secrets. Use the one that they were sealed with last.")
            } catch KeyringError.other("FleetSecrets", _, let message) {
                throw Failure(.refused, "Nothing was changed: \(message).")
            } catch SecretMoveError.destination(.other("FleetSecrets", _, let message)) {
                throw Failure(.refused, "Not all secrets were moved: \(message).")
            }
        }
    }
#endif
