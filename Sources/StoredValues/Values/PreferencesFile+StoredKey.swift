// Using a file by declared keys.

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

    /// Removes what is stored under these keys, in one change of the file: as ``StoredValue/reset()`` does for each.
    ///
    /// ```swift
    /// extension StoredKey where Item == Int {
    ///     static let width = StoredKey("width", default: 800)
    ///     static let height = StoredKey("height", default: 600)
    /// }
    ///
    /// func resetWindow() { PreferencesFile.standard.reset(.width, .height) }
    /// ```
    public func reset<Item, each More>(_ key: StoredKey<Item>, _ more: repeat StoredKey<each More>) {
        batch {
            StoredValue(key, storage: self).reset()
            repeat StoredValue(each more, storage: self).reset()
        }
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
        settings(of: [AnyStoredKey](repeat each keys))
    }

    /// ``settings(of:)-8sbos`` of the ``standard`` file.
    public static func settings<each Item>(of keys: repeat StoredKey<each Item>) -> [Setting] {
        standard.settings(of: repeat each keys)
    }

    /// The keys in the file itself that none of `keys` declares, sorted: most likely typing errors. The former names of a
    /// declared key count as declared.
    public func undeclaredKeys<each Item>(besides keys: repeat StoredKey<each Item>) -> [String] {
        undeclaredKeys(besides: [AnyStoredKey](repeat each keys))
    }

    /// ``undeclaredKeys(besides:)-1jti1`` of the ``standard`` file.
    public static func undeclaredKeys<each Item>(besides keys: repeat StoredKey<each Item>) -> [String] {
        standard.undeclaredKeys(besides: repeat each keys)
    }
}
