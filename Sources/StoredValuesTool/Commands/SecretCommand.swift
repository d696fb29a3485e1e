import ArgumentParser
import StoredValuesToolSupport

struct SecretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "List, read, store, remove and move secrets.",
        discussion: "A secret is never read from the command line, where other programs and the shell's history could see it.",
        subcommands: [
            SecretListCommand.self, SecretGetCommand.self, SecretSetCommand.self, SecretRemoveCommand.self, SecretMoveCommand.self,
        ]
    )
}
