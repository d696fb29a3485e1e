#if Configuration
    public import Configuration
    import StoredValues

    extension StoredValuesProvider {
        /// The result of ``value(forKey:type:)`` now and after each change. For a secret, the first element arrives when the
        /// keyring has answered.
        nonisolated(nonsending) public func watchValue<Return: ~Copyable>(
            forKey key: AbsoluteConfigKey, type: ConfigType,
            updatesHandler: nonisolated(nonsending) (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
        ) async throws -> Return {
            guard let secret = secrets[key.storedName] else {
                return try await updatesHandler(ConfigUpdatesAsyncSequence(settings(forKey: key, type: type)))
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
            let updates = HintedSequence<any ConfigSnapshot> {
                let watch = SnapshotWatch(self)
                return (watch.hints, { watch.answers.map(snapshot) })
            }
            return try await updatesHandler(ConfigUpdatesAsyncSequence(updates))
        }

        private func settings(
            forKey key: AbsoluteConfigKey, type: ConfigType
        ) -> HintedSequence<Result<LookupResult, any Error>> {
            HintedSequence {
                var last: Result<LookupResult, ValueNotConvertible>?
                let look = { () -> Result<LookupResult, any Error>? in
                    let found = snapshot([:]).setting(forKey: key, type: type)
                    guard found != last else { return nil }
                    last = found
                    return found.mapError { $0 }
                }
                return (storage.changes, look)
            }
        }
    }
#endif
