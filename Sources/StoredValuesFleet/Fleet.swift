#if Fleet
    import FoundationEssentials
    public import StoredValues
    import StoredValuesFiles

    /// The settings that the machines of a fleet share, for programs that change them. Programs that only use settings do not need
    /// this: they read them through ``/StoredValues/StoredValue``, from the mirror that the machine's agent keeps.
    ///
    /// ```swift
    /// import StoredValues
    /// import StoredValuesFleet
    ///
    /// func raiseTheLimit() async throws {
    ///     let fleet = try Fleet(
    ///         endpoints: ["https://db1.example.com:2379"], applicationID: "com.example.Server",
    ///         access: FleetAccess(authorities: "/etc/fleet/ca.pem", user: "/run/credentials/fleet-user"))
    ///     try await fleet.set("limit", to: 200, for: .group("canary"))
    ///     let limit = try await fleet.update("limit", default: 60) { $0 += 1 }
    ///     print(limit)
    /// }
    /// ```
    ///
    /// Every change is one transaction, which includes a record for the log. When a call returns, its change was made exactly once,
    /// however many attempts it took, and survives the loss of any minority of the cluster. When it throws,
    /// ``FleetError/outcome`` says whether the change may have been made. Every call ends within ``timeout``, and soon after its
    /// task is cancelled.
    public struct Fleet: Sendable {
        let gateway: EtcdGateway
        let keys: FleetKeys
        let schemas = FleetSchemas()
        /// Who changes settings, for the log.
        public let writer: String
        /// The maximum duration of a call, with all attempts on all members.
        public var timeout: Duration = EtcdGateway.timeout

        /// A client of the cluster. Connects when it is first used.
        ///
        /// Throws if an address or a file cannot be used. `http://` is allowed to this machine only.
        ///
        /// - Parameters:
        ///   - endpoints: The members' addresses, such as `https://db1.example.com:2379`.
        ///   - applicationID: The program whose settings these are.
        ///   - access: The files with certificates, key and password.
        ///   - writer: Who changes settings, for the log; by default the user of `access`, otherwise this process's user and the machine's name.
        public init(
            endpoints: [String], applicationID: String = StorageSystem.applicationID, access: FleetAccess = FleetAccess(),
            writer: String? = nil
        ) throws(FleetError) {
            keys = try FleetKeys(applicationID: applicationID)
            var members: [EtcdEndpoint] = []
            for endpoint in try endpoints.map(EtcdEndpoint.init) where !members.contains(endpoint) { members.append(endpoint) }
            gateway = try EtcdGateway(members, access)
            let user = try access.login()?.name
            self.writer = writer ?? user ?? Self.user
        }

        private static var user: String {
            let name = ProcessInfo.processInfo.userName
            return "\(name.isEmpty ? "uid \(effectiveUser())" : name)@\(ProcessInfo.processInfo.hostName)"
        }

        /// The item that is set for `target` itself; nil if none is. Throws ``FleetError/Reason/notDecodable`` and
        /// ``FleetError/Reason/newerVersion``.
        public func value<Item: StorableItem>(
            _ key: String, as type: Item.Type = Item.self, for target: FleetTarget = .everyone
        ) async throws(FleetError) -> Item? {
            try await record(key, for: target).map { record throws(FleetError) in try Self.item(type, in: record, key) }
        }

        /// Stores an item. Replaces any stored one, of whatever type or version. Throws ``FleetError/Reason/notValid``, before anything is
        /// changed, if a schema is published that does not allow it.
        public func set(_ key: String, to item: some StorableItem, for target: FleetTarget = .everyone) async throws(FleetError) {
            var batch = FleetBatch()
            try batch.set(key, to: item, for: target)
            try await commit(batch)
        }

        /// Removes what is set for `target`, which uncovers what is set for wider targets. Succeeds if nothing is.
        public func reset(_ key: String, for target: FleetTarget = .everyone) async throws(FleetError) {
            try await replace(key, with: nil, for: target)
        }

        /// Changes an item atomically: no change that others make meanwhile is lost. Returns the new item.
        ///
        /// `change` runs on the caller's actor, if there is one. It may run several times, each time with the current item. If it throws, its
        /// error is rethrown and nothing is changed, with one exception: if it ran before, and there was no answer to that attempt, the earlier
        /// item may still be stored. The default is used while nothing is stored. Throws
        /// ``FleetError/Reason/notValid`` if a schema is published that does not allow the new item.
        @discardableResult
        public nonisolated(nonsending) func update<Item: StorableItem>(
            _ key: String, default defaultItem: Item, for target: FleetTarget = .everyone, _ change: (inout Item) throws -> Void
        ) async throws -> Item {
            let place = try Self.place(key, target)
            return try await changeSettings([place], "update \"\(key)\"", isChecked: true) { found in
                var item = try Self.record(found[0], place).map { try Self.item(Item.self, in: $0, key) } ?? defaultItem
                try change(&item)
                return ([try Self.encoded(item, key)], item)
            }
        }

        /// Makes several changes as one: in one transaction, at one revision, with one record in the log. All or none are made.
        ///
        /// ```swift
        /// func moveTraffic(_ fleet: Fleet) async throws {
        ///     try await fleet.batch { batch in
        ///         try batch.set("primary", to: "db2")
        ///         try batch.reset("maintenance", for: .group("canary"))
        ///     }
        /// }
        /// ```
        ///
        /// `changes` runs once, on the caller's actor, if there is one. More than 126 settings, etcd's limit, throw
        /// ``FleetError/Reason/tooManyChanges(limit:)`` before anything is sent. Throws ``FleetError/Reason/notValid`` if a schema is published that
        /// does not allow one of the items.
        public nonisolated(nonsending) func batch(_ changes: (inout FleetBatch) throws -> Void) async throws {
            var batch = FleetBatch()
            try changes(&batch)
            try await commit(batch)
        }
    }

    /// The changes that one transaction makes; see ``Fleet/batch(_:)``. Of several changes of one setting the last counts.
    public struct FleetBatch {
        private(set) var contents: [(place: FleetKeys.Place, value: FleetMirror.Value?)] = []

        /// Stores an item. Replaces any stored one, of whatever type or version.
        public mutating func set(_ key: String, to item: some StorableItem, for target: FleetTarget = .everyone) throws(FleetError) {
            put(try Fleet.encoded(item, key), at: try Fleet.place(key, target))
        }

        /// Removes what is set for `target`.
        public mutating func reset(_ key: String, for target: FleetTarget = .everyone) throws(FleetError) {
            put(nil, at: try Fleet.place(key, target))
        }

        private mutating func put(_ value: FleetMirror.Value?, at place: FleetKeys.Place) {
            contents.removeAll { $0.place == place }
            contents.append((place, value))
        }
    }
#endif
