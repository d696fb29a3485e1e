#if Libsecret
    import StoredValuesSecretService

    extension SecretServiceKeyring {
        /// Looks who provides the keyring and whether it is open, without starting anything or asking anybody. Throws
        /// ``KeyringError/noSessionBus``, and what the keyring answers.
        package func inspect() async throws(KeyringError) -> SecretServiceInspection {
            do {
                let found = try await ItemStore(bus: busAddress.map { .address($0) } ?? .session, deadline: deadline).inspect()
                return SecretServiceInspection(
                    bus: found.bus, isRunning: found.owner != nil, process: found.owner?.process,
                    canBeStarted: found.canBeStarted, collection: found.owner?.collection?.label,
                    isLocked: found.owner?.collection?.isLocked ?? false, isPlain: found.owner?.isPlain
                )
            } catch {
                throw KeyringError(error)
            }
        }
    }
#endif
