import ArgumentParser
import StoredValues

struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Store a value; it is on the disk when the command returns.",
        discussion: """
            JSON is stored as such: 14, true, "14", {"width": 800}. Anything else is stored as a string: dark. Programs \
            that use the setting see the change at once. Put -- before a value that begins with a dash: set offset -- \
            -5
            """)

    @Argument(help: "The setting.") var key: KeyArgument
    @Argument(help: ArgumentHelp("A JSON value, or a string.", valueName: "json-or-text")) var value: String
    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Force the type: store the value as a string, even if it is JSON.") var text = false
    @Flag(help: "Force the type: refuse a value that is not JSON.") var json = false

    func validate() throws {
        guard !(text && json) else { throw ValidationError("Give either --text or --json.") }
    }

    func run() async throws {
        let key = try key.checked()
        let value = try parsed()
        let storage = try settings.soundStorage()
        let old = storage.snapshot[key]
        storage.set(key, to: value)
        try await storage.flush()
        if let old, old != .null, value != .null, old.kindForPeople != value.kindForPeople {
            let hint = old.stringValue == nil ? "" : " Use --text to keep it a string."
            let change = "\"\(key)\" was \(old.kindForPeople) and is now \(value.kindForPeople)."
            Output.error.line("stored-values: note: \(Output.error.oneLine(change))\(hint)")
        }
    }

    private func parsed() throws -> JSONValue {
        if text { return .string(value) }
        if let value = JSONValue(text: value) { return value }
        guard !json else {
            throw Failure(.badData, "The value for \"\(key.text)\" is not JSON; without --json it would be stored as a string.")
        }
        return .string(value)
    }
}

extension JSONValue {
    /// Its kind, in words.
    fileprivate var kindForPeople: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
