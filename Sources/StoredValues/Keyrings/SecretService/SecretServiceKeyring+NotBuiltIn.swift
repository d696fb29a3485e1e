#if !Libsecret
    // Built without libsecret.
    extension SecretServiceKeyring: NotBuiltInKeyring {
        package func inspect() async throws(KeyringError) -> SecretServiceInspection { throw .notBuiltIn }
    }
#endif
