import ArgumentParser
import StoredValuesToolSupport

/// The tool with all its commands and its help text.
@main
struct StoredValuesCommand: AsyncParsableCommand {
    static func main() async { await CommandLineProgram.run(StoredValuesCommand.self) }

    static let configuration = CommandConfiguration(
        commandName: "stored-values",
        abstract: "Read, change and watch the settings and secrets that a program keeps with StoredValues.",
        discussion: """
            Name the program with --app, or once in the environment: export STORED_VALUES_APP=com.example.Editor

            EXAMPLES
              stored-values list --app com.example.Editor
              stored-values get theme --app com.example.Editor
              stored-values set window '{"width": 800}' --app com.example.Editor
              stored-values secret set token --app com.example.Editor < token.txt
              stored-values store export --app com.example.Editor > items.jsonl
              stored-values doctor --app com.example.Editor

            ENVIRONMENT
              \(ApplicationOptions.variable)          the program, in place of --app
              STORED_VALUES_PREFERENCES  the path of the program's settings
              STORED_VALUES_KEYRING      the keyring, in place of --keyring
              STORED_VALUES_FLEET        the folder of the settings that machines share
              VISUAL, EDITOR             the editor that edit starts
              NO_COLOR                   if it is not empty, no colours

            Options take precedence.

            EXIT STATUS
            \(ExitStatus.table)

            COMPLETIONS
            For bash, zsh or fish: stored-values --generate-completion-script <shell>
            The article "The command line tool" says where to install it.
            """,
        version: CommandLineProgram.version,
        subcommands: [
            ListCommand.self, GetCommand.self, SetCommand.self, ResetCommand.self, WatchCommand.self, EditCommand.self,
            PathCommand.self, SecretCommand.self, StoreCommand.self, DoctorCommand.self,
        ]
    )
}
