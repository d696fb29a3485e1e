#if Libsecret
    import StoredValuesSecretService

    extension PortalKey {
        /// Sends the request to the portal.
        func begin() {
            SecretPortal(bus: busAddress.map { .address($0) } ?? .session).retrieve(
                accepted: { self.wasAccepted() }, take: { Secret($0) },
                done: { self.take($0.mapError { KeyringError($0) }) })
        }
    }
#endif
