import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Store a value; it is on the disk when the command returns.",
        discussion: """
            JSON is stored as such: 14, true, "14", {"width": 800}. Anything else is stored as a string: dark. Programs \
            that use the setting see the change at once. Put -- before a value that begins with a dash: set offset -- \
            -5
            """)

    @Argument(help: "The setting.") var key: KeyArgument
    @OptionGroup var value: ValueArgument
    @OptionGroup var settings: SettingsOptions

    func run() async throws {
        let key = try key.checked()
        let value = try value.json(of: key)
        let storage = try settings.soundStorage()
        let old = storage.snapshot[key]
        storage.set(key, to: value)
        try await storage.flush()
        ValueArgument.note(key, replacing: old, with: value)
    }
}
