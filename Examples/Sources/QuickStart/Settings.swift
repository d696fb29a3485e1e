import StoredValues

enum Theme: String, Codable {
    case light, dark, system
}

/// What lies in the preferences file, where people can read and edit it.
struct Settings {
    @StoredValue(key: "launches") var launches = 0
    @StoredValue(key: "theme") var theme = Theme.system
}
