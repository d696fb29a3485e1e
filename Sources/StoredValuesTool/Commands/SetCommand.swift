import ArgumentParser
import StoredValues

struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Store a value, on the disk when this returns.",
        discussion: """
            What is JSON is stored as such: 14, true, "14", {"width": 800}. Anything else is a text: dark. Programs \
            that use the setting see the change at once. A value that begins with a dash comes after --: set offset -- \
            -5
            """)

    @Argument(help: "The setting.") var key: KeyArgument
    @Argument(help: ArgumentHelp("JSON or text.", valueName: "json-or-text")) var value: String
    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Store the value as a text, whatever it looks like.") var text = false
    @Flag(help: "Refuse a value that is not JSON.") var json = false

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
            let hint = old.stringValue == nil ? "" : " --text keeps it a text."
            let change = "\"\(key)\" was \(old.kindForPeople) and is \(value.kindForPeople) now."
            Output.error.line("stored-values: note: \(Output.error.oneLine(change))\(hint)")
        }
    }

    private func parsed() throws -> JSONValue {
        if text { return .string(value) }
        if let value = JSONValue(text: value) { return value }
        guard !json else {
            throw Failure(.badData, "The value for \"\(key.text)\" is not JSON; without --json it is stored as a text.")
        }
        return .string(value)
    }
}

extension JSONValue {
    /// What it is, in words.
    fileprivate var kindForPeople: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
