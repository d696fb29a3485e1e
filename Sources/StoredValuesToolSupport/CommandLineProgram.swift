package import ArgumentParser
package import Logging
import StoredValuesSupport

/// Runs a tool's command, and turns an error into a message and an exit status.
package enum CommandLineProgram {
    /// The tool's name, which its messages begin with.
    package static let name = executableName()

    /// What `--version` prints. CHANGELOG.md begins with the same.
    package static let version = "0.1.0"

    package static func run<Command: AsyncParsableCommand>(_ type: Command.Type) async {
        System.ignoreClosedPipes()
        LoggingSystem.bootstrap { _ in HeldLog() }
        do {
            try requireUTF8()
            var command = try await Command.asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            ProgressLine.shared.end()
            HeldLog.letGo()
        } catch {
            guard let failure = Failure(error) else {
                // The argument parser's messages quote the command line.
                let code = Command.exitCode(for: error)
                let output = code == .success ? Output.standard : .error
                let text = code == .validationFailure && maySetSecret(Command.self) ? "Error: \(secretNotShown)" : Command.fullMessage(for: error)
                if !text.isEmpty { output.line(output.shown(text)) }
                Command.exit(withError: code)
            }
            // What was logged says the same in the library's words, and is not printed.
            Output.error.message(failure.sentence)
            Command.exit(withError: ExitCode(failure.status.rawValue))
        }
    }

    /// Whether the command line is `secret set`, or may be with one of both words mistyped, or in the other order: a user may have typed the
    /// secret there.
    private static func maySetSecret(_ root: any ParsableCommand.Type) -> Bool {
        func command(_ position: Int, of group: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
            guard let word = CommandLine.arguments.dropFirst(position).first else { return nil }
            return group.configuration.subcommands.first { $0.configuration.commandName?.isIdentical(to: word) == true }
        }
        // The first word may be the mistyped one.
        guard let secret = command(1, of: root) else { return CommandLine.arguments.contains { $0.isIdentical(to: "set") } }
        guard secret.configuration.commandName?.isIdentical(to: "secret") == true else {
            return CommandLine.arguments.dropFirst(2).first?.isIdentical(to: "secret") == true
        }
        return command(2, of: secret).map { $0.configuration.commandName?.isIdentical(to: "set") == true } ?? true
    }

    private static var secretNotShown: String {
        """
        The arguments are wrong, and not shown, as one may be the secret. That is typed when it is asked for, or comes from standard input. \
        See "\(name) secret set --help".
        """
    }

    /// Swift repairs arguments that are not UTF-8, and they would name another file, setting or secret.
    private static func requireUTF8() throws(Failure) {
        for number in (0..<Int(CommandLine.argc)).dropFirst() where CommandLine.unsafeArgv[number].map({ String(validatingCString: $0) == nil }) == true {
            throw Failure(.usage, "Argument \(number) is not UTF-8, and was not used. Give another one.")
        }
    }
}

/// Holds back what the library logs until a command has succeeded: a failed command prints only its own message.
package struct HeldLog: LogHandler {
    /// Nil once nothing is held back any more.
    private static let lines = Guarded<[String]?>([])

    package var metadata: Logger.Metadata = [:]
    package var logLevel = Logger.Level.warning

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let isHeld = Self.lines.withLock { lines in
            lines?.append("\(event.message)")
            return lines != nil
        }
        if !isHeld { Output.error.message("\(event.message)") }
    }

    /// Prints what was logged, and from now on each line as it is logged.
    package static func letGo() {
        for line in lines.withLock({ $0.take() }) ?? [] { Output.error.message(line) }
    }
}
