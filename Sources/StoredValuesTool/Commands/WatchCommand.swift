import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print values now and after each change, until interrupted.",
        discussion: """
            For one setting, each line is its value, or empty while nothing is stored. For all settings, each line is a \
            key, a tab and the value, or only the key after it was removed. With --json each line is an object: {"key": \
            "theme", "value": "dark"}, without a value after it was removed.
            """)

    @Argument(help: "The setting; all settings if omitted.") var key: KeyArgument?
    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print one JSON object per line.") var json = false

    func run() async throws {
        let key = try key?.checked()
        let storage = try settings.soundStorage()
        let changes = storage.changes  // before the first snapshot, so that no change is missed
        var last: [PreferencesKey: JSONValue] = [:]
        var isFirst = true
        func look() {
            let snapshot = storage.snapshot
            let keys = key.map { [$0] } ?? (snapshot.keys + last.keys.map(\.text)).distinctKeys
            for key in keys where snapshot[key] != last[PreferencesKey(key)] || (isFirst && self.key != nil) {
                show(key, snapshot[key])
            }
            last = Dictionary(keys.compactMap { key in snapshot[key].map { (PreferencesKey(key), $0) } }) { _, last in last }
            isFirst = false
        }
        look()
        HeldLog.letGo()  // the command may never end
        for await _ in changes { look() }
    }

    private func show(_ key: String, _ value: JSONValue?) {
        if json {
            var change: JSONValue = ["key": .string(key)]
            change["value"] = value
            return Output.standard.line(Output.standard.shownJSON(change.text(onOneLine: true)))
        }
        let text = Output.standard.shownJSON(value?.text(onOneLine: true) ?? "")
        guard self.key == nil else { return Output.standard.line(text) }
        let shownKey = Output.standard.styled(Output.standard.oneLine(key), .bold)
        Output.standard.line(value == nil ? shownKey : "\(shownKey)\t\(text)")
    }
}
