import ArgumentParser
import Logging
import StoredValues

/// Runs the command, and turns an error into a message and an exit status.
@main
struct Main {
    static func main() async {
        LoggingSystem.bootstrap { _ in HeldLog() }
        do {
            var command = try await StoredValuesCommand.asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            HeldLog.print()
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        guard let failure = Failure(error) else {
            // The argument parser's messages quote the command line.
            let code = StoredValuesCommand.exitCode(for: error)
            let output = code == .success ? Output.standard : .error
            let text = StoredValuesCommand.fullMessage(for: error)
            if !text.isEmpty { output.line(output.shown(text)) }
            StoredValuesCommand.exit(withError: code)
        }
        // What was logged says the same in the library's words, and is not printed.
        if let sentence = failure.sentence { Output.error.line("stored-values: \(Output.error.oneLine(sentence))") }
        StoredValuesCommand.exit(withError: failure.status.code)
    }
}
