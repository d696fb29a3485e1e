#if Fleet
    import ArgumentParser
    import StoredValuesToolSupport

    @main
    struct FleetCommand: AsyncParsableCommand {
        static func main() async { await CommandLineProgram.run(FleetCommand.self) }

        static let configuration = CommandConfiguration(
            commandName: "stored-values-fleet",
            abstract: "Change the settings that many machines share, and keep a copy of them on each machine.",
            discussion: """
                The settings are kept by an etcd cluster. On each machine an agent mirrors them into a file, which programs read \
                without being changed.

                EXAMPLES
                  stored-values-fleet agent --app com.example.Server --endpoints https://db1:2379,https://db2:2379 --ca ca.pem
                  stored-values-fleet set limit 200
                  stored-values-fleet set limit 300 --group canary
                  stored-values-fleet list
                  stored-values-fleet log limit --limit 10
                  stored-values-fleet undo 1234
                  stored-values-fleet secret set token --secrets-key /etc/fleet/secrets.key

                ENVIRONMENT
                  \(ApplicationOptions.variable) (--app), \(ConnectionOptions.Variable.endpoints) (--endpoints),
                  \(ConnectionOptions.Variable.authorities) (--ca), \(ConnectionOptions.Variable.certificate) (--cert),
                  \(ConnectionOptions.Variable.key) (--key), \(ConnectionOptions.Variable.user) (--user-file),
                  \(SecretsKeyOption.variable) (--secrets-key),
                  \(AgentCommand.publicKeys) (--secrets-public-key),
                  STORED_VALUES_FLEET (--folder). Options take precedence.

                EXIT STATUS
                \(ExitStatus.table)

                COMPLETIONS
                For bash, zsh or fish: stored-values-fleet --generate-completion-script <shell>
                """,
            version: CommandLineProgram.version,
            subcommands: [
                AgentCommand.self, ListCommand.self, GetCommand.self, SetCommand.self, ResetCommand.self, LogCommand.self,
                UndoCommand.self, SchemaCommand.self, StatusCommand.self, SecretCommand.self,
            ])
    }
#endif
