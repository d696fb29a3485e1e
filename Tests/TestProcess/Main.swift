import Logging

/// The other process of the tests: a program that links what a user's program links, and does what its arguments say.
///
///     TestProcess <command> <argument>…
///
/// It prints a line for whatever a test may wait for, and ends when its standard input is closed: so it outlives no test,
/// not even one that crashes. Another command is one more entry in a list such as `Command.preferences`.
@main
struct Main {
    static func main() async {
        endWithInput()
        LoggingSystem.bootstrap { _ in PrintingLogHandler() }
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard
            let command = Command.all.first(where: { $0.name == arguments.first }),
            command.parameters.count == arguments.count - 1
        else {
            for command in Command.all { say("usage: \(([command.name] + command.parameters).joined(separator: " "))") }
            end(.misused)
        }
        do {
            try await command.run(Array(arguments.dropFirst()))
        } catch {
            say("error: \(error)")
            end(.failed)
        }
    }
}
