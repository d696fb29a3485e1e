import ArgumentParser
import StoredValues
import StoredValuesToolSupport

/// The file that a command is about.
struct SettingsOptions: ParsableArguments {
    @OptionGroup var application: ApplicationOptions

    @Option(help: "Use the settings file at this path, without those of a fleet or system-wide defaults.", completion: .file(extensions: ["json"]))
    var file: String?

    @Option(
        help: "Use another settings file of the program: a profile, for instance. list --names prints which there are.",
        completion: .custom { words, _, _ in (CompletionWords(words).storage == nil ? [] : (try? PreferencesFile.names) ?? []).completions })
    var name: String?

    func validate() throws {
        guard file == nil || application.app == nil else {
            throw ValidationError("Give either --app or --file, not both.")
        }
        guard file != "" else { throw ValidationError("The path of --file must not be empty.") }
        guard let name else { return }
        guard file == nil else { throw ValidationError("Give either --name or --file, not both.") }
        do { _ = try PreferencesFile(checkingName: name) } catch { throw ValidationError("\(error)") }
    }

    /// The file, not checked yet.
    func storage() throws -> PreferencesFile {
        if let file { return PreferencesFile(path: file) }
        try application.bootstrap()
        return try name.map { try PreferencesFile(checkingName: $0) } ?? .standard
    }

    /// Whether it is the program's standard file, beside which there may be others with names.
    var isStandard: Bool { file == nil && name == nil }

    /// The options that name this file, to be typed after another command.
    var typed: String {
        guard file == nil else { return Self.option("file", file, "path") }
        return Self.option("app", try? application.id, "id") + Self.option("name", name, "name")
    }

    /// An option to be typed; without a value none, and with one that a shell could change, a place for it.
    static func option(_ name: String, _ value: String?, _ place: String) -> String {
        value.map { " --\(name) \($0.isPlainWord ? $0 : "<\(place)>")" } ?? ""
    }

    /// The file, if it is whole or missing: a script must not read older values in place of a broken file's, nor overwrite a
    /// file that the user still has to correct.
    func soundStorage() throws -> PreferencesFile {
        let storage = try storage()
        guard let inspection = try storage.inspect().first else { return storage }
        switch inspection.content {
        case .missing, .keys: return storage
        case .unreadable(let sentence): throw Failure(.notSaved, sentence)
        case .broken(let why):
            throw Failure(
                .badData,
                "The settings \"\(inspection.path)\" are not JSON: \(why). Correct the file in an editor; \"stored-values edit\(typed)\" opens it.")
        }
    }
}

/// The service whose secrets a command is about, and the keyring they are in.
struct SecretOptions: ParsableArguments {
    @OptionGroup var application: ApplicationOptions

    @OptionGroup var service: ServiceOption

    @Option(help: "The keyring: secret-service, file:<path>, credentials:<path> or fleet:<key file>; by default the one that programs use here.")
    var keyring: KeyringArgument?

    @Flag(help: "Prompt for the password if the keyring is locked and there is a display.")
    var unlock = false

    func serviceName() throws -> String {
        if let name = try service.service ?? application.id { return name }
        throw Failure(.usage, "Name the program or service: --app <id>, --service <name>, or \(ApplicationOptions.variable)=<id> in the environment.")
    }

    /// The keyring, unlocked if requested.
    func openKeyring() async throws -> any Keyring {
        // The fleet's secrets are kept for each program by itself.
        if try application.id != nil { try application.bootstrap() }
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
        let options = CompletionWords(words), id = try? ApplicationOptions.id(options.app)
        guard let service = options["--service"] ?? id else { return [] }
        if let id { StorageSystem.bootstrap(applicationID: id) }  // the fleet's secrets are kept for each program by itself
        let named = options["--keyring"].flatMap(KeyringArgument.init(argument:))
        let keyring = named?.keyring ?? SystemKeyring.selection.keyring
        return ((try? await keyring.identifiers(inService: service)) ?? []).map(\.account)
    }
}

/// A key of a setting, as typed.
struct KeyArgument: ExpressibleByArgument {
    let text: String

    init?(argument: String) { text = argument }

    /// The key, if it is valid for a setting.
    func checked() throws -> String {
        guard !text.isEmpty, !text.isReservedKey else {
            throw Failure(.usage, "\"\(text)\" is not a valid key: keys must not be empty or begin with $.")
        }
        return text
    }

    static var defaultCompletionKind: CompletionKind { .custom { words, _, _ in keys(words).completions } }

    /// The keys of the file that the words typed so far name: those that are stored, and those that programs declare.
    private static func keys(_ words: [String]) -> [String] {
        guard let storage = CompletionWords(words).storage else { return [] }
        return (storage.snapshot.keys + (storage.publishedSchema()?.currentKeys ?? [])).distinctKeys
    }
}
