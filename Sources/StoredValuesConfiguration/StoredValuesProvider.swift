#if Configuration
    public import Configuration
    public import StoredValues

    /// Lets a `ConfigReader` read a file of preferences and, for the keys that are named as secrets, a keyring.
    ///
    ///     let config = ConfigReader(provider: StoredValuesProvider(secrets: ["api.token"]))
    ///
    ///     let timeout = config.int(forKey: "http.timeout", default: 30)
    ///     let token = try await config.fetchRequiredString(forKey: "api.token")
    ///
    /// **Settings.** The key `http.timeout` is the stored value of that name, else the member `timeout` of the stored value
    /// `http`; of several that fit, the one with the longest name counts. An object is a level of keys and no value of its own,
    /// and a stored nil is no value. System-wide defaults are read as the wrappers read them; defaults in the code of a
    /// `StoredValue` are not, nor are its migrations and `formerKeys`: what is read is what is stored.
    ///
    /// A value has the type that a wrapper of that type would read: a number without a fraction is an int, any number is a
    /// double, a bool is a bool only, and bytes are what `Data` is stored as (base64) or a list of numbers. What does not
    /// fit throws ``ValueNotConvertible``.
    ///
    /// **Secrets.** The key `api.token` is the secret `api.token` of the service, the same that
    /// `SecurelyStoredValue<String>(key: "api.token")` keeps. It comes from the keyring only, never from the file, and is
    /// marked as secret, so that access reporters redact it. As a string it is the secret's text, as any other type
    /// what its JSON says; bytes may also be base64 without quotes, or a secret that is not UTF-8.
    ///
    /// A keyring that gives no answer is never read as "no value": `value(forKey:type:)`, `fetchValue(forKey:type:)`,
    /// snapshots and watched values then give its `SecretError`. Note what a `ConfigReader` makes of an error:
    /// `requiredString(forKey:)` and `fetchString(forKey:)` throw it, but `string(forKey:)` answers nil or the default.
    ///
    /// **Freshness.** Values come from memory, which follows the file and the keyring by itself. Only the first look at a secret
    /// waits for the keyring, for 5 s at most. `fetchValue(forKey:type:)` asks the keyring, or reads the file again if it has
    /// changed. Watched values and snapshots are the latest at once and then after each change, whoever makes it; steps that
    /// a slow reader has not taken become one. The context of keys is ignored.
    public struct StoredValuesProvider: Sendable {
        /// What access reporters call it.
        public let providerName: String
        let storage: PreferencesFile
        /// By what they are called in the keyring.
        let secrets: [String: SecurelyStoredValue<RawSecret>]

        /// A provider of what `storage` holds, and of the named secrets in `keyring`.
        ///
        /// - Parameters:
        ///   - storage: The file of settings.
        ///   - secrets: The keys whose values lie in the keyring. An empty one ends the program.
        ///   - service: Whose secrets they are; the application id unless named (`StorageSystem`).
        ///   - keyring: Where they are kept.
        ///   - name: Tells several providers apart in what access reporters say.
        public init(
            storage: PreferencesFile = .standard, secrets: Set<AbsoluteConfigKey> = [], service: String? = nil,
            keyring: some Keyring = .system, name: String? = nil
        ) {
            self.storage = storage
            let names = Set(secrets.map(\.storedName))
            self.secrets = Dictionary(
                uniqueKeysWithValues: names.map { ($0, SecurelyStoredValue(key: $0, service: service, keyring: keyring)) })
            providerName = name.map { "StoredValuesProvider[\($0)]" } ?? "StoredValuesProvider"
        }

        /// The settings as they are now, with these answers of the keyring.
        func snapshot(_ answers: [String: StoredValuesSnapshot.Answer]) -> StoredValuesSnapshot {
            StoredValuesSnapshot(
                providerName: providerName, path: storage.path, settings: storage.snapshot, secrets: answers)
        }
    }

    extension StoredValuesProvider: ConfigProvider {
        /// What is at hand. Throws ``ValueNotConvertible``, and `SecretError` where the keyring gives no answer.
        public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            let name = key.storedName
            let secret = secrets[name].map { [name: $0] } ?? [:]
            return try snapshot(SecurelyStoredValue.answersAtHand(secret)).value(forKey: key, type: type)
        }

        /// What the keyring answers now, or the file holds now. Throws as ``value(forKey:type:)`` does.
        public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
            guard let secret = secrets[key.storedName] else {
                storage.reload()
                return try value(forKey: key, type: type)
            }
            return try snapshot([key.storedName: .success(try await secret.load())]).value(forKey: key, type: type)
        }

        /// All settings at one moment, and what is at hand of each secret.
        public func snapshot() -> any ConfigSnapshot { snapshot(SecurelyStoredValue.answersAtHand(secrets)) }
    }

    extension StoredValuesProvider: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// Its name and how many keys are secrets.
        public var description: String { "\(providerName) (secrets: \(secrets.count))" }
        /// The same.
        public var debugDescription: String { description }
        /// A mirror with no children.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    extension AbsoluteConfigKey {
        /// What the key is called in the file and in the keyring.
        var storedName: String { components.joined(separator: ".") }
    }
#endif
