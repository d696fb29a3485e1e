import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct SecretSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Store a secret that you type, or from standard input.",
        discussion: """
            On a terminal you type it twice, and it is not shown. From a pipe or a file it is the whole input, without \
            one line break at the end: printf %s "$TOKEN" | stored-values secret set token
            """)

    @Argument(help: "The secret's name.") var key: SecretArgument
    @OptionGroup var secrets: SecretOptions
    @Flag(help: "Keep a line break at the end of standard input.") var verbatim = false

    func run() async throws {
        let id = SecretIdentifier(service: try secrets.serviceName(), account: key.text)
        let secret = try SecretInput.read(id, isVerbatim: verbatim)
        try await secrets.openKeyring().write(secret, for: id, label: id.description)
    }
}
