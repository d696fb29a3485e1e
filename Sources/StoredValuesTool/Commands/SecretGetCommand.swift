import ArgumentParser
import StoredValues
import StoredValuesSupport
import StoredValuesToolSupport

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
