import ArgumentParser
import StoredValues

struct SecretGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Write a secret into a pipe or a file.",
        discussion: """
            Its bytes are written as they are, with nothing behind them. To a terminal it is only shown with --show. \
            Where there is no such secret the status is 1; where the keyring cannot be asked it is another, see: \
            stored-values help
            """)

    @Argument(help: "The secret's name.") var key: SecretArgument
    @OptionGroup var secrets: SecretOptions
    @Flag(help: "Show the secret on the terminal.") var show = false

    func run() async throws {
        let id = SecretIdentifier(service: try secrets.serviceName(), account: key.text)
        let output = Output.standard
        guard show || !output.isTerminal else {
            throw Failure(.usage, "A secret is not shown on a terminal unless you add --show; or send it into a pipe or a file.")
        }
        let keyring = try await secrets.openKeyring()
        guard let secret = try await keyring.read(id) else {
            throw Failure(.absent, "There is no secret \"\(id)\" in \(keyring).")
        }
        guard output.isTerminal else { return secret.withBytes { output.write($0) } }
        guard secret.withBytes({ Self.isPlainText($0) }) else {
            throw Failure(
                .usage, "The secret \"\(id)\" is no text that a terminal can show (\(secret.count) bytes): send it into a file.")
        }
        secret.withBytes { output.write($0) }
        output.line()
    }

    /// Whether a terminal would show it as it is. The bytes are looked at where they are: a `String` could not be wiped.
    private static func isPlainText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let text = try? UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span) else { return false }
        var scalars = text.makeUnicodeScalarIterator()
        while let scalar = scalars.next() {
            guard !scalar.steersTerminals || scalar == "\n" || scalar == "\t" else { return false }
        }
        return true
    }
}
