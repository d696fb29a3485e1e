import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct SecretListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the names of all secrets, one per line, without reading the secrets.")

    @OptionGroup var secrets: SecretOptions
    @Flag(help: "Print a JSON list.") var json = false

    func run() async throws {
        let service = try secrets.serviceName()
        let accounts = try await secrets.openKeyring().identifiers(inService: service).map(\.account)
        guard !json else { return Output.standard.json(.array(accounts.map { .string($0) })) }
        for account in accounts { Output.standard.line(Output.standard.oneLine(account)) }
    }
}
