#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet

    /// The fleet as programs change it.
    extension TestFleet {
        /// A client in this process, which waits as long as it takes.
        func client(_ endpoints: [String]? = nil, patience: Duration = hangLimit, user: EtcdCluster.Role? = nil) throws -> Fleet {
            var access = FleetAccess(authorities: etcd.ca?.file, certificate: etcd.ca?.client.file, key: etcd.ca?.client.key)
            if let user {
                access.user = "\(folder)/\(user.name).user"
                try Data("\(user.login)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(user.name).user"))
            }
            var client = try Fleet(endpoints: endpoints ?? etcd.endpoints, applicationID: Self.application, access: access)
            client.patience = patience
            return client
        }

        /// The records of the log as they lie there, by revision.
        func records() async throws -> [JSONValue] {
            try await etcd.entries(Self.log).sorted { $0.modRevision < $1.modRevision }.map { JSONValue(text: $0.value) ?? .null }
        }
    }
#endif
