#if Configuration
    import Configuration
    import StoredValues

    /// The content of a ``StoredValuesProvider`` at one moment.
    struct StoredValuesSnapshot: ConfigSnapshot {
        /// The keyring's answer about a secret: its bytes, nil for absent, or why there is none.
        typealias Answer = Result<RawSecret?, SecretError>

        let providerName: String
        /// The path of the settings.
        let path: String
        let settings: PreferencesSnapshot
        /// By their names in the keyring.
        let secrets: [String: Answer]

        func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            let name = key.storedName
            if let answer = secrets[name] {
                guard let secret = try answer.get() else { return LookupResult(encodedKey: name, value: nil) }
                guard let content = ConfigContent(secret, type) else {
                    throw ValueNotConvertible(key: name, type: type, place: .keyring)
                }
                return LookupResult(encodedKey: name, value: ConfigValue(content, isSecret: true))
            }
            return try setting(forKey: key, type: type).get()
        }

        /// The setting under `key`, even if it is named as a secret.
        func setting(forKey key: AbsoluteConfigKey, type: ConfigType) -> Result<LookupResult, ValueNotConvertible> {
            let name = key.storedName
            let failure = ValueNotConvertible(key: name, type: type, place: .file(path: path))
            let found: JSONValue?
            do { found = try settings.value(atPath: name) } catch { return .failure(failure) }
            guard let json = found else { return .success(LookupResult(encodedKey: name, value: nil)) }
            guard let content = ConfigContent(json, type) else { return .failure(failure) }
            return .success(LookupResult(encodedKey: name, value: ConfigValue(content, isSecret: false)))
        }
    }

    extension StoredValuesSnapshot: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        var description: String { "\(providerName) at one moment (secrets: \(secrets.count))" }
        var debugDescription: String { description }
        var customMirror: Mirror { Mirror(self, children: [:]) }
    }
#endif
