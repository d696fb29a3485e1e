#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet

    extension EtcdCluster {
        /// A client in this process, which waits as long as it takes.
        func client(
            _ endpoints: [String]? = nil, of application: String = TestFleet.application, patience: Duration = hangLimit,
            userFile: String? = nil
        ) throws -> Fleet {
            var client = try Fleet(
                endpoints: endpoints ?? self.endpoints, applicationID: application,
                access: FleetAccess(authorities: ca?.file, certificate: ca?.client.file, key: ca?.client.key, user: userFile))
            client.patience = patience
            return client
        }
    }

    /// The fleet as programs change it.
    extension TestFleet {
        /// A client in this process, which waits as long as it takes.
        func client(_ endpoints: [String]? = nil, patience: Duration = hangLimit, user: EtcdCluster.Role? = nil) throws -> Fleet {
            let file = user.map { "\(folder)/\($0.name).user" }
            if let user, let file { try Data("\(user.login)\n".utf8).write(to: URL(fileURLWithPath: file)) }
            return try etcd.client(endpoints, patience: patience, userFile: file)
        }

        /// The records of the log as they lie there, by revision.
        func records() async throws -> [JSONValue] {
            try await etcd.entries(Self.log).sorted { $0.modRevision < $1.modRevision }.map { JSONValue(text: $0.value) ?? .null }
        }
    }
#endif
