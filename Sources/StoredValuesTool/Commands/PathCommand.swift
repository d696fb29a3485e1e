import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct PathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Print the path of the settings file, whether or not it exists.")

    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print JSON, with the paths of the system-wide defaults.") var json = false

    func run() async throws {
        let inspections = try settings.storage().inspect()
        let paths = inspections.map(\.path)
        guard json else { return Output.standard.line(Output.standard.shown(paths.first ?? "")) }
        Output.standard.json([
            "path": .string(paths.first ?? ""), "system-wide": .array(paths.dropFirst().map { .string($0) }),
        ])
    }
}
