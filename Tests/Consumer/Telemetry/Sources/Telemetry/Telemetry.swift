import StoredValues

extension PreferencesFile {
    /// The settings of this library, in each program that uses it.
    public static var telemetry: PreferencesFile { .named("com.example.Telemetry") }
}

/// Sends reports of how a program is used.
public struct Telemetry: Sendable {
    /// The keys in ``PreferencesFile/telemetry``.
    public enum Keys {
        public static let isEnabled = StoredKey("isEnabled", default: false, title: "Telemetry", help: "Whether reports are sent")
        public static let interval = StoredKey("interval", default: 60, in: 1...3600, title: "Interval", help: "Seconds between two reports")
        public static let all = [AnyStoredKey(isEnabled), AnyStoredKey(interval)]
    }

    @StoredValue public var isEnabled: Bool
    @StoredValue public var interval: Int
    @SecurelyStoredValue public var token: String?
    private let storage: PreferencesFile

    /// `storage` is another file for the settings, `keyring` another place for the token.
    public init(storage: PreferencesFile = .telemetry, keyring: some Keyring = .system) {
        _isEnabled = StoredValue(Keys.isEnabled, storage: storage)
        _interval = StoredValue(Keys.interval, storage: storage)
        _token = SecurelyStoredValue(key: "com.example.Telemetry.token", keyring: keyring)
        self.storage = storage
    }

    /// Tells the tool `stored-values` and editors which settings there are.
    public func publishSchema() { storage.publishSchema(of: Keys.all) }
}
