import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show all settings and their values.",
        discussion: """
            Values from the fleet and from the system-wide defaults are marked. Defaults in a program's code are not shown. In a \
            pipe or file, each setting is one line: the key, a tab, and the value as JSON; a line break in a key is written as \\n.
            """)

    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        let snapshot = try settings.soundStorage().snapshot
        let values = snapshot.keys.compactMap { key in snapshot[key].map { (key: key, value: $0) } }
        for key in snapshot.keys where snapshot[key] == nil {
            Output.error.note("\"\(key)\" cannot be read; stored-values get says why.")
        }
        guard !json else { return Output.standard.json(values) }
        let remarks: [ValueSource: String] = [.fleet: "fleet", .system: "system-wide default"]
        Row.print(values.map { key, value in Row(key, value, remark: snapshot.source(of: key).flatMap { remarks[$0] } ?? "") })
    }
}
