import ArgumentParser
import StoredValues
import StoredValuesSupport
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

struct SecretListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the names of all secrets, one per line, without reading the secrets.")

    @OptionGroup var secrets: SecretOptions
    @Flag(help: "Print a JSON list.") var json = false

    func run() async throws {
        let service = try secrets.serviceName()
        Output.standard.names(try await secrets.openKeyring().identifiers(inService: service).map(\.account), asJSON: json)
    }
}

struct SecretGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Write a secret into a pipe or a file.",
        discussion: """
            The secret's exact bytes are written, without a line break. On a terminal it is shown only with --show. \
            The exit status is 1 if there is no such secret, and another one if the keyring is unavailable; see: \
            stored-values help
            """)

    @Argument(help: "The secret's name.") var key: SecretArgument
    @OptionGroup var secrets: SecretOptions
    @Flag(help: "Show the secret on the terminal.") var show = false

    func run() async throws {
        let id = SecretIdentifier(service: try secrets.serviceName(), account: key.text)
        let output = Output.standard
        guard show || !output.isTerminal else {
            throw Failure(.usage, "A secret is shown on a terminal only with --show. Add it, or write the secret to a pipe or a file.")
        }
        let keyring = try await secrets.openKeyring()
        guard let secret = try await keyring.read(id) else {
            throw Failure(.absent, "There is no secret \"\(id)\" in \(keyring).")
        }
        guard output.isTerminal else { return secret.withBytes { output.write($0) } }
        guard secret.withBytes({ Self.isPlainText($0) }) else {
            throw Failure(
                .usage, "The secret \"\(id)\" is not text that a terminal can show (\(secret.count) bytes): write it to a file.")
        }
        secret.withBytes { output.write($0) }
        output.line()
    }

    /// Whether a terminal would show it unchanged. The bytes are checked in place: a `String` could not be wiped.
    private static func isPlainText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let text = try? UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span) else { return false }
        var scalars = text.makeUnicodeScalarIterator()
        while let scalar = scalars.next() {
            guard !scalar.steersTerminals || scalar == "\n" || scalar == "\t" else { return false }
        }
        return true
    }
}

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
        ProgressLine.shared.begin("Moving secrets")
        let moved = try await source.moveSecrets(inService: service, to: to.keyring, overwriting: overwrite, progress: ProgressLine.shared.advance)
        Output.standard.moved(moved, asJSON: json)
    }
}
