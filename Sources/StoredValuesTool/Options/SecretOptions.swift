import ArgumentParser
import StoredValues
import StoredValuesSupport
import StoredValuesToolSupport

/// The service whose secrets a command is about, and the keyring they are in.
struct SecretOptions: ParsableArguments {
    @OptionGroup var application: ApplicationOptions

    @Option(help: ArgumentHelp("The service that the secrets belong to; by default the application id.", valueName: "name"))
    var service: String?

    @Option(help: "The keyring: secret-service, file:<path>, credentials:<path> or fleet:<key file>; by default the one that programs use here.")
    var keyring: KeyringArgument?

    @Flag(help: "Prompt for the password if the keyring is locked and there is a display.")
    var unlock = false

    func validate() throws {
        guard service != "" else { throw ValidationError("The name of --service must not be empty.") }
    }

    /// The service of the secrets.
    func serviceName() throws -> String {
        if let name = service ?? application.id { return name }
        throw Failure(.usage, "Name the program or service: --app <id>, --service <name>, or \(ApplicationOptions.variable)=<id> in the environment.")
    }

    /// The keyring, unlocked if requested.
    func openKeyring() async throws -> any Keyring {
        // The fleet's secrets are kept for each program by itself.
        if application.id != nil { try application.bootstrap() }
        let keyring = keyring?.keyring ?? SystemKeyring.selection.keyring
        if unlock { try await keyring.unlock() }
        return keyring
    }
}

/// A secret's name within its service, as typed.
struct SecretArgument: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        text = argument
    }

    static var defaultCompletionKind: CompletionKind { .custom { words, _, _ async in await accounts(words).completions } }

    /// The names of the secrets that the words typed so far select. No secret is read, and no prompt is shown.
    private static func accounts(_ words: [String]) async -> [String] {
        let options = CompletionWords(words)
        guard let service = options["--service"] ?? ApplicationOptions.id(options.app) else { return [] }
        let named = options["--keyring"].flatMap(KeyringArgument.init(argument:))
        let keyring = named?.keyring ?? SystemKeyring.selection.keyring
        return ((try? await keyring.identifiers(inService: service)) ?? []).map(\.account)
    }
}
