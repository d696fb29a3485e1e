/// What a settings page or `--help` tells of a key; see ``PreferencesFile/settings(of:)-method``.
///
/// The values are in the form that stands in the file, and their descriptions are JSON: `"\(setting.value)"`. One that cannot be
/// encoded is null.
public struct Setting: Sendable {
    /// The member of the file that holds the value.
    public let name: String
    /// What the value is for.
    public let help: String
    /// What is read while nothing is stored.
    public let `default`: JSONValue
    /// What is read now.
    public let value: JSONValue
    /// Where that comes from.
    public let source: ValueSource

    init<Item>(_ stored: StoredValue<Item>) {
        func json(_ item: Item) -> JSONValue { (try? ItemEncoder.encode(item)) ?? .null }
        (name, help) = (stored.key, stored.declaration.help)
        (`default`, value, source) = (json(stored.declaration.defaultItem), json(stored.value), stored.source)
    }
}
