import StoredValues

enum Theme: String, Codable {
    case light, dark, system
}

/// What is in the preferences file, which users can read and edit.
struct Settings {
    @StoredValue(key: "launches") var launches = 0
    @StoredValue(key: "theme") var theme = Theme.system
}
