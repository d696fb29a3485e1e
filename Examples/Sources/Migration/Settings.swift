import StoredValues

struct Settings: Sendable {
    @StoredValue var appearance: Appearance

    /// - Parameter file: Where the settings lie; tests have one of their own.
    init(in file: PreferencesFile = .standard) {
        // It was called "look" until version 2 of the program.
        _appearance = StoredValue(wrappedValue: Appearance(), key: "appearance", formerKeys: ["look"], storage: file)
    }
}
