#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    /// The keys of one application in the cluster: all that is known of their form.
    struct FleetKeys: Sendable {
        /// Of which setting, for whom.
        struct Place: Hashable, Sendable {
            var target: FleetTarget
            var key: PreferencesKey
        }

        let applicationID: String
        /// What agents read: everything but the log.
        let settings: Data
        var log: Data { Data("/stored-values/\(applicationID)/log/") }
        /// What agents say of their machines, if they are asked to.
        var agents: Data { Data("/stored-values/\(applicationID)/agents/") }
        /// The encrypted file with the secrets, as it is.
        var secrets: Data { settings + Data("secrets") }
        /// Who has sealed it: ``SecretsSignature``. Agents of older versions pass over it.
        var secretsSignature: Data { settings + Data("secrets-signature") }
        /// Since when older secrets count again, after a restore.
        var secretsEpoch: Data { settings + Data("secrets-epoch") }
        /// What values the settings may have. Agents and older tools pass over it.
        var schema: Data { settings + Data("schema") }
        /// What each change puts, too, without a condition: the key of its record in the log. By it one question for one key finds out
        /// whether anything was changed. It lies here, where all who change settings may write.
        var mark: Data { settings + Data("revision") }

        init(applicationID id: String) throws(FleetError) {
            guard StorageSystem.isName(id) else {
                throw .misconfigured("\"\(id)\" is not an application id: it must not be empty, begin with a dot or contain a slash.")
            }
            applicationID = id
            settings = Data("/stored-values/\(id)/settings/")
        }

        /// A question for all that agents read.
        func everything(_ options: [String: JSONValue] = [:]) -> EtcdRequest { .read(settings, to: settings.endOfPrefix, options) }

        /// One for all settings, and nothing else: what lies between `everyone/` and the end of `host/`.
        func allSettings(_ options: [String: JSONValue]) -> EtcdRequest {
            .read(settings + Data("everyone/"), to: (settings + Data("host/")).endOfPrefix, options)
        }

        func key(of place: Place) -> Data { settings + Data("\(place.target.path)/\(place.key.text)") }

        /// The setting with that key in the cluster; nil if it is none.
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

        /// A new key for the log: in the order of the writers' clocks, and never one that exists.
        func newLogKey(at time: Date) -> Data { logKeys(since: time) + Data("-\(UUID().uuidString)") }

        /// What keys of the log from that moment on are not smaller than.
        func logKeys(since time: Date) -> Data {
            let milliseconds = String(max(0, Int(time.timeIntervalSince1970 * 1000)))
            return log + Data(String(repeating: "0", count: max(0, 15 - milliseconds.utf8.count)) + milliseconds)
        }
    }
#endif
