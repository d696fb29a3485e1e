#if !Libsecret
    extension SecretServiceKeyring: UnusableKeyring {
        var reason: KeyringError { .notBuiltIn }

        package func inspect() async throws(KeyringError) -> SecretServiceInspection { throw .notBuiltIn }
    }

    /// The portal's key, which is never available.
    struct PortalKey {
        let place: String
        let secret: Secret? = nil
        let changes = KeyringChanges.none

        static func shared(onBus address: String?) -> PortalKey { PortalKey(place: "org.freedesktop.portal.Secret \(address ?? "")") }

        func ask(deadline: Duration) async throws(KeyringError) { throw .notBuiltIn }
        func unlock() async throws(KeyringError) { throw .notBuiltIn }
    }
#endif
