import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct PathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Print the path of the settings file, whether or not it exists.")

    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print JSON, with the paths of the fleet's settings and the system-wide defaults.") var json = false

    func run() async throws {
        let inspections = try settings.storage().inspect()
        func paths(_ source: ValueSource) -> [String] { inspections.filter { $0.source == source }.map(\.path) }
        let path = paths(.file).first ?? ""
        guard json else { return Output.standard.line(Output.standard.shown(path)) }
        var answer: JSONValue = ["path": .string(path), "system-wide": .array(paths(.system).map { .string($0) })]
        answer["fleet"] = paths(.fleet).first.map { .string($0) }
        Output.standard.json(answer)
    }
}
