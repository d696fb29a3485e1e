#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    /// The keys of one application in the cluster. Nothing else knows their form.
    struct FleetKeys: Sendable {
        /// A setting, and the machines that it is for.
        struct Place: Hashable, Sendable {
            var target: FleetTarget
            var key: PreferencesKey
        }

        let applicationID: String
        /// The prefix of what agents read: everything but the log and the reports.
        let settings: Data
        var log: Data { Data("/stored-values/\(applicationID)/log/") }
        /// The prefix of the agents' reports.
        var agents: Data { Data("/stored-values/\(applicationID)/agents/") }
        /// The encrypted file with the secrets, byte by byte.
        var secrets: Data { settings + Data("secrets") }
        /// Its signature: ``SecretsSignature``. Agents of older versions ignore it.
        var secretsSignature: Data { settings + Data("secrets-signature") }
        /// When restored secrets were last accepted: ``SecretsEpoch``.
        var secretsEpoch: Data { settings + Data("secrets-epoch") }
        /// The schema of the settings. Agents and older tools ignore it.
        var schema: Data { settings + Data("schema") }
        /// Each change also puts this key, unconditionally, with the key of its record in the log as the value. So reading one key tells
        /// whether anything has changed. It is under ``settings``, where everybody who changes settings may write.
        var mark: Data { settings + Data("revision") }

        init(applicationID id: String) throws(FleetError) {
            guard StorageSystem.isName(id) else {
                throw .misconfigured("\"\(id)\" is not an application id: it must not be empty, begin with a dot or contain a slash.")
            }
            applicationID = id
            settings = Data("/stored-values/\(id)/settings/")
        }

        /// A request for everything that agents read.
        func everything(_ options: [String: JSONValue] = [:]) -> EtcdRequest { .read(settings, to: settings.endOfPrefix, options) }

        /// A request for all settings, and nothing else: the keys from `everyone/` to the end of `host/`.
        func allSettings(_ options: [String: JSONValue]) -> EtcdRequest {
            .read(settings + Data("everyone/"), to: (settings + Data("host/")).endOfPrefix, options)
        }

        func key(of place: Place) -> Data { settings + Data("\(place.target.path)/\(place.key.text)") }

        /// The setting with that key in the cluster; nil if the key is not a setting's.
        func place(of key: Data) -> Place? {
            guard key.starts(with: settings), let text = String(validating: key.dropFirst(settings.count), as: UTF8.self) else { return nil }
            func place(_ key: some StringProtocol, _ target: FleetTarget) -> Place? {
                key.isEmpty || String(key).isReservedKey ? nil : Place(target: target, key: PreferencesKey(String(key)))
            }
            if let key = text.after(prefix: "everyone/") { return place(key, .everyone) }
            let group = text.after(prefix: "group/")
            guard let rest = group ?? text.after(prefix: "host/"), let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")), slash > rest.startIndex
            else { return nil }
            let name = String(rest[..<slash])
            return place(rest[rest.utf8.index(after: slash)...], group == nil ? .host(name) : .group(name))
        }

        /// A new, unique key for the log. Keys are in the order of the writers' clocks.
        func newLogKey(at time: Date) -> Data { logKeys(since: time) + Data("-\(UUID().uuidString)") }

        /// The lower bound of the log's keys from that time on.
        func logKeys(since time: Date) -> Data {
            let milliseconds = String(max(0, Int(time.timeIntervalSince1970 * 1000)))
            return log + Data(String(repeating: "0", count: max(0, 15 - milliseconds.utf8.count)) + milliseconds)
        }
    }
#endif
