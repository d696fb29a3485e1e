import ArgumentParser

struct SecretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "List, read, store, remove and move secrets.",
        discussion: "A secret is never taken from the command line, where other programs and the shell's history would see it.",
        subcommands: [
            SecretListCommand.self, SecretGetCommand.self, SecretSetCommand.self, SecretRemoveCommand.self, SecretMoveCommand.self,
        ]
    )
}
