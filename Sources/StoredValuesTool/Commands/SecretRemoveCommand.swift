import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct SecretRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a secret.",
        discussion: "Removing a secret that does not exist succeeds. With --all, you are asked first on a terminal, unless --yes is given.")

    @Argument(help: "The secret's name.") var key: SecretArgument?
    @OptionGroup var secrets: SecretOptions
    @Flag(help: "Remove all secrets of the program.") var all = false
    @Flag(help: "Do not ask for confirmation of --all.") var yes = false

    func validate() throws {
        guard (key != nil) != all else { throw ValidationError("Give either the secret's name or --all.") }
        guard all || !yes else { throw ValidationError("--yes requires --all: a single secret is removed without confirmation.") }
    }

    func run() async throws {
        let service = try secrets.serviceName()
        let keyring = try await secrets.openKeyring()
        guard let key else { return try await removeAll(of: service, in: keyring) }
        try await keyring.remove(SecretIdentifier(service: service, account: key.text))
    }

    private func removeAll(of service: String, in keyring: any Keyring) async throws {
        let names = try await list(keyring.identifiers(inService: service))
        guard !names.isEmpty else { return Output.error.line("Nothing is stored.") }
        if !yes { try Question.confirm("This removes the secrets of \"\(service)\" from \(keyring): \(names).", orElse: "Nothing was removed.") }
        let removed = try await list(keyring.removeAll(inService: service))
        Output.error.line("Removed: \(Output.error.oneLine(removed))")
    }

    private func list(_ ids: [SecretIdentifier]) -> String { ids.map(\.account).joined(separator: ", ") }
}
