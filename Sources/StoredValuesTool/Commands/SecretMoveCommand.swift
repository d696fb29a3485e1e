import ArgumentParser
import StoredValues

struct SecretMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move all secrets of a program into another keyring.",
        discussion: """
            Each is copied, read back and compared before the first one is removed, so that an interrupted move loses \
            nothing: repeat it. The program must be told of the new keyring, for instance by STORED_VALUES_KEYRING.
            """)

    @OptionGroup var secrets: SecretOptions
    @Option(help: "The keyring that they go to: secret-service or file:<path>.") var to: KeyringArgument
    @Flag(help: "Replace secrets of the same name that are different there.") var overwrite = false
    @Flag(help: "Print a JSON object of what was moved.") var json = false

    func run() async throws {
        let service = try secrets.serviceName()
        let source = try await secrets.openKeyring()
        let moved = try await source.moveSecrets(inService: service, to: to.keyring, overwriting: overwrite)
        guard !json else {
            return Output.standard.json(["moved": names(moved.copied), "already there": names(moved.alreadyThere)])
        }
        for id in moved.copied { Output.standard.line("moved: \(Output.standard.oneLine(id.account))") }
        for id in moved.alreadyThere { Output.standard.line("was there already: \(Output.standard.oneLine(id.account))") }
    }

    private func names(_ ids: [SecretIdentifier]) -> JSONValue { .array(ids.map { .string($0.account) }) }
}
