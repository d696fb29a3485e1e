// Reading a file by declared keys.

extension PreferencesFile {
    /// The value of `key` now, as a ``StoredValue`` of it reads it. Use it to read a value once: a wrapper that is kept reads
    /// faster, and can be observed and changed.
    public subscript<Item>(key: StoredKey<Item>) -> Item { StoredValue(key, storage: self).value }

    /// ``StoredValue/set(checking:)`` of the value of `key`.
    public func set<Item>(_ key: StoredKey<Item>, checking item: Item) throws(PreferencesError) {
        try StoredValue(key, storage: self).set(checking: item)
    }

    /// ``StoredValue/set(durably:)`` of the value of `key`.
    public func set<Item>(_ key: StoredKey<Item>, durably item: Item) async throws(PreferencesError) {
        try await StoredValue(key, storage: self).set(durably: item)
    }

    /// The settings that `keys` declare, in their order, for a settings page or `--help`.
    ///
    /// ```swift
    /// extension StoredKey where Item == Int {
    ///     static let limit = StoredKey("limit", default: 60, help: "Requests a minute")
    /// }
    /// extension StoredKey where Item == String {
    ///     static let theme = StoredKey("theme", default: "light", help: "The colours")
    /// }
    ///
    /// func printHelp() {
    ///     for setting in PreferencesFile.standard.settings(of: .limit, .theme) {
    ///         print("\(setting.name): \(setting.help) (\(setting.value), by default \(setting.default))")
    ///     }
    ///     for key in PreferencesFile.standard.undeclaredKeys(besides: .limit, .theme) { print("Unknown setting: \(key)") }
    /// }
    /// ```
    public func settings<each Item>(of keys: repeat StoredKey<each Item>) -> [Setting] {
        var settings: [Setting] = []
        repeat settings.append(Setting(StoredValue(each keys, storage: self)))
        return settings
    }

    /// ``settings(of:)-method`` of the ``standard`` file.
    public static func settings<each Item>(of keys: repeat StoredKey<each Item>) -> [Setting] {
        standard.settings(of: repeat each keys)
    }

    /// The keys in the file itself that none of `keys` declares, sorted: most likely typing errors. The former names of a
    /// declared key count as declared.
    public func undeclaredKeys<each Item>(besides keys: repeat StoredKey<each Item>) -> [String] {
        var declared: Set<PreferencesKey> = []
        repeat declared.formUnion(([(each keys).name] + (each keys).formerKeys).map { PreferencesKey($0) })
        return self.keys.filter { !declared.contains(PreferencesKey($0)) }
    }

    /// ``undeclaredKeys(besides:)-method`` of the ``standard`` file.
    public static func undeclaredKeys<each Item>(besides keys: repeat StoredKey<each Item>) -> [String] {
        standard.undeclaredKeys(besides: repeat each keys)
    }
}

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
