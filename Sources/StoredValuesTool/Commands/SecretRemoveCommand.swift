import ArgumentParser
import StoredValues

struct SecretRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a secret. Removing what is not there succeeds.")

    @Argument(help: "The secret's name.") var key: SecretArgument
    @OptionGroup var secrets: SecretOptions

    func run() async throws {
        let id = SecretIdentifier(service: try secrets.serviceName(), account: key.text)
        try await secrets.openKeyring().remove(id)
    }
}
