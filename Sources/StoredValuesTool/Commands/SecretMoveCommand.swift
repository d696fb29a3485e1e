import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct SecretMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move all secrets of a program into another keyring.",
        discussion: """
            All secrets are copied, read back and compared before the first one is removed, so an interrupted move loses \
            nothing: repeat it. Then make the program use the new keyring, for example with STORED_VALUES_KEYRING.
            """)

    @OptionGroup var secrets: SecretOptions
    @Option(help: "The destination keyring: secret-service or file:<path>.") var to: KeyringArgument
    @Flag(help: "Replace secrets of the same name that differ at the destination.") var overwrite = false
    @Flag(help: "Print a JSON object of what was moved.") var json = false

    func run() async throws {
        let service = try secrets.serviceName()
        let source = try await secrets.openKeyring()
        let moved = try await source.moveSecrets(inService: service, to: to.keyring, overwriting: overwrite)
        guard !json else {
            return Output.standard.json(["moved": names(moved.copied), "already there": names(moved.alreadyThere)])
        }
        for id in moved.copied { Output.standard.line("moved: \(Output.standard.oneLine(id.account))") }
        for id in moved.alreadyThere { Output.standard.line("already there: \(Output.standard.oneLine(id.account))") }
    }

    private func names(_ ids: [SecretIdentifier]) -> JSONValue { .array(ids.map { .string($0.account) }) }
}
