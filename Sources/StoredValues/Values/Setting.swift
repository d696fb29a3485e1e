/// A declared key and its value, for a settings page or `--help`; see ``PreferencesFile/settings(of:)-method``.
///
/// The values are JSON, as in the file: `"\(setting.value)"` prints it. A value that cannot be encoded is null.
public struct Setting: Sendable {
    /// The member of the file that holds the value.
    public let name: String
    /// What the value is for, as declared.
    public let help: String
    /// The value while nothing is stored.
    public let `default`: JSONValue
    /// The current value.
    public let value: JSONValue
    /// Where the current value comes from.
    public let source: ValueSource

    init<Item>(_ stored: StoredValue<Item>) {
        func json(_ item: Item) -> JSONValue { (try? ItemEncoder.encode(item)) ?? .null }
        (name, help) = (stored.key, stored.declaration.help)
        (`default`, value, source) = (json(stored.declaration.defaultItem), json(stored.value), stored.source)
    }
}
