#if Configuration
    public import Configuration
    import FoundationEssentials
    public import StoredValues
    import StoredValuesSupport

    /// Lets a `ConfigReader` read a preferences file and, for the keys that are named as secrets, a keyring.
    ///
    ///     let config = ConfigReader(provider: StoredValuesProvider(secrets: ["api.token"]))
    ///
    ///     let timeout = config.int(forKey: "http.timeout", default: 30)
    ///     let token = try await config.fetchRequiredString(forKey: "api.token")
    ///
    /// **Settings.** The key `http.timeout` is the stored value of that name, else the member `timeout` of the stored value `http`; the
    /// longest name that matches counts. An object is a level of keys, and a stored nil is no value. The layers below the file apply as
    /// for wrappers, and so do environment variables of keys that a wrapper has used; defaults in code, migrations and `formerKeys` do
    /// not. A value has the type that a wrapper would read: a number without a fraction is an int, any number is a double, and bytes are
    /// `Data` (base64) or a list of numbers. Any other throws ``ValueNotConvertible``.
    ///
    /// **Secrets.** The key `api.token` is the secret of `SecurelyStoredValue<String>(key: "api.token")`. It is never read from the file,
    /// and is marked as secret, so that access reporters redact it. A string is the secret's text, and any other type is read from its
    /// JSON; bytes may also be base64 without quotes, or a secret that is not UTF-8. A keyring that gives no answer is never read as "no
    /// value": every method here throws or yields its `SecretError`. But `string(forKey:)` of a `ConfigReader` returns nil or the default for any
    /// error; `requiredString(forKey:)` and `fetchString(forKey:)` throw it.
    ///
    /// **Freshness.** Values come from memory, which follows the file and the keyring; only the first read of a secret waits for the
    /// keyring, for at most 5 s. `fetchValue(forKey:type:)` asks the keyring, or reads the files again. Watched values
    /// and snapshots yield the latest state at once and after each change; a slow reader gets only the newest. The context of keys is
    /// ignored.
    public struct StoredValuesProvider: Sendable {
        /// The provider's name for access reporters.
        public let providerName: String
        let storage: PreferencesFile
        /// By their names in the keyring.
        let secrets: [String: SecurelyStoredValue<RawSecret>]

        /// A provider of the settings in `storage`, and of the named secrets in `keyring`.
        ///
        /// - Parameters:
        ///   - storage: The file of settings.
        ///   - secrets: The keys whose values are in the keyring. An empty one traps.
        ///   - service: The service that the secrets belong to; by default the application id (`StorageSystem`).
        ///   - keyring: The keyring that stores them.
        ///   - name: Distinguishes several providers in access reports.
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

        /// The current settings, with these answers of the keyring.
        func snapshot(_ answers: [String: StoredValuesSnapshot.Answer], of storage: PreferencesFile? = nil) -> StoredValuesSnapshot {
            let storage = storage ?? self.storage
            return StoredValuesSnapshot(providerName: providerName, path: storage.path, settings: storage.snapshot, secrets: answers)
        }
    }

    extension StoredValuesProvider: ConfigProvider {
        /// The known value. Throws ``ValueNotConvertible``, and `SecretError` if the keyring gives no answer.
        public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            let name = key.storedName
            let secret = secrets[name].map { [name: $0] } ?? [:]
            return try snapshot(SecurelyStoredValue.knownAnswers(of: secret)).value(forKey: key, type: type)
        }

        /// The value that the keyring or the file holds now. Throws as ``value(forKey:type:)`` does.
        public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
            guard let secret = secrets[key.storedName] else {
                storage.reload()
                return try value(forKey: key, type: type)
            }
            return try snapshot([key.storedName: .success(try await secret.load())]).value(forKey: key, type: type)
        }

        /// All settings at one moment, and the known value of each secret.
        public func snapshot() -> any ConfigSnapshot { snapshot(SecurelyStoredValue.knownAnswers(of: secrets)) }
    }

    // MARK: Watching

    extension StoredValuesProvider {
        /// The result of ``value(forKey:type:)`` now and after each change. For a secret, the first element arrives when the
        /// keyring has answered.
        nonisolated(nonsending) public func watchValue<Return: ~Copyable>(
            forKey key: AbsoluteConfigKey, type: ConfigType,
            updatesHandler: nonisolated(nonsending) (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
        ) async throws -> Return {
            guard let secret = secrets[key.storedName] else {
                // As JSON, which is compared byte by byte: two texts that only look alike are a change.
                let last = Guarded<Result<JSONValue?, ValueNotConvertible>?>(nil)
                let storage = storage.pinned  // the sequence may be read in another task
                let updates = storage.changes.compactMap { _ -> Result<LookupResult, any Error>? in
                    let snapshot = snapshot([:], of: storage)
                    let found = Result { () throws(ValueNotConvertible) in try snapshot.json(forKey: key, type: type) }
                    guard last.withLock({ exchange(&$0, with: found) }) != found else { return nil }
                    return Result { try snapshot.value(forKey: key, type: type) }
                }
                return try await updatesHandler(ConfigUpdatesAsyncSequence(updates))
            }
            let updates = secret.answers.map { answer in
                Result { try snapshot([key.storedName: answer]).value(forKey: key, type: type) }
            }
            return try await updatesHandler(ConfigUpdatesAsyncSequence(updates))
        }

        /// A snapshot now and after each change of any setting or named secret. The first one arrives when the keyring has
        /// answered for each of them.
        nonisolated(nonsending) public func watchSnapshot<Return: ~Copyable>(
            updatesHandler: nonisolated(nonsending) (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
        ) async throws -> Return {
            try await updatesHandler(ConfigUpdatesAsyncSequence(snapshots))
        }

        /// Ends with its reader; a slow one gets only the newest snapshot.
        private var snapshots: AsyncStream<any ConfigSnapshot> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                // In one lock, so that no older snapshot follows a newer one.
                let answers = Guarded<[String: StoredValuesSnapshot.Answer]>([:])
                let note = { @Sendable (new: [String: StoredValuesSnapshot.Answer]) in
                    answers.withLock { answers in
                        answers.merge(new) { $1 }
                        if answers.count == secrets.count { continuation.yield(snapshot(answers)) }
                    }
                }
                let changes = storage.changes
                var tasks = [Task { for await _ in changes { note([:]) } }]
                for (name, secret) in secrets { tasks.append(Task { for await answer in secret.answers { note([name: answer]) } }) }
                continuation.onTermination = { [tasks] _ in for task in tasks { task.cancel() } }
            }
        }
    }

    extension StoredValuesProvider: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// Its name and the number of secrets.
        public var description: String { "\(providerName) (secrets: \(secrets.count))" }
        /// The same.
        public var debugDescription: String { description }
        /// A mirror with no children.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    extension AbsoluteConfigKey {
        /// The key's name in the file and in the keyring.
        var storedName: String { components.joined(separator: ".") }
    }

    /// A stored value does not have the requested type.
    public struct ValueNotConvertible: Error, Hashable {
        /// Where the value is stored.
        public enum Place: Sendable, Hashable {
            /// In the preferences at this path, or the system-wide defaults below them.
            case file(path: String)
            /// In the keyring.
            case keyring
        }

        /// The key, its components joined by dots.
        public let key: String
        /// The requested type.
        public let type: ConfigType
        /// Where the value is stored.
        public let place: Place
    }

    extension ValueNotConvertible: StoredValuesError {
        /// Which value, where it is stored and what to do; never the value.
        public var description: String {
            switch place {
            case .file(let path):
                "\"\(key)\" in the preferences \"\(path)\" cannot be read as \(type). Request the type it was stored as, or correct the file."
            case .keyring:
                "The secret \"\(key)\" in the keyring cannot be read as \(type). Request the type it was stored as, or store it again."
            }
        }

        /// 65, of sysexits(3): invalid data.
        public var exitStatus: Int32 { 65 }
    }
#endif
