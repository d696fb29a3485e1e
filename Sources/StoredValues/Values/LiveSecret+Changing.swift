import StoredValuesSupport

extension LiveSecret {
    func set(_ item: Item) async throws(KeyringError) {
        let secret = try SecretCoding.encode(item)
        try await turns.perform { () async throws(KeyringError) in try await write(item, secret, in: keyring) }
    }

    func reset() async throws(KeyringError) {
        try await turns.perform { () async throws(KeyringError) in try await remove(from: keyring) }
    }

    /// Reads the keyring, runs `change` on the item, and stores the result, or removes the secret if that is nil. All of it
    /// holds the keyring's lock, if there is one. Nothing is stored if the item is unchanged or `change` returns `isChanged:
    /// false`: without a lock, another process may have stored something else. If the lock is refused, an update without a
    /// change still succeeds.
    ///
    /// - Parameter change: Changes the item; `stored` holds the bytes it was decoded from.
    func update<Result: Sendable>(
        _ change: @Sendable (_ item: inout Item?, _ stored: Secret?) throws(KeyringError) -> (result: Result, isChanged: Bool)
    ) async throws(KeyringError) -> Result {
        try await turns.perform { () async throws(KeyringError) in
            let locked: Swift.Result<any Keyring, KeyringError>
            do throws(KeyringError) {
                locked = .success(try await keyring.locked(for: id))
            } catch {
                guard error == .accessDenied || error == .readOnly else {
                    changeFailed(error)
                    throw error
                }
                locked = .failure(error)
            }
            // Not the content in memory: an earlier read may have put an older one there, from before the lock was taken.
            let said = await ask().said
            let before = try said.answer.get()
            // Encoded now, because an object would be changed in place.
            let bytesBefore = before.flatMap { try? SecretCoding.encode($0) }
            var item = before
            let (result, isChanged) = try change(&item, said.secret)
            guard isChanged else { return result }
            if let item {
                let bytes = try SecretCoding.encode(item)
                if bytes != bytesBefore { try await write(item, bytes, in: locked.get()) }
            } else if before != nil {
                try await remove(from: locked.get())
            }
            return result
        }
    }

    private func write(_ item: Item, _ secret: Secret, in keyring: any Keyring) async throws(KeyringError) {
        try await changing { () async throws(KeyringError) in
            try await keyring.write(secret, for: id, label: id.description)
            take(.value(item, secret))
            ear.pass(secret, of: id, from: self)
        }
    }

    private func remove(from keyring: any Keyring) async throws(KeyringError) {
        try await changing { () async throws(KeyringError) in
            try await keyring.remove(id)
            take(.absent)
            ear.pass(nil, of: id, from: self)
        }
    }

    /// Runs a change and publishes its outcome; if it fails, the content in memory is no longer trusted.
    private func changing(_ change: () async throws(KeyringError) -> Void) async throws(KeyringError) {
        listen()
        state.withLock { $0.plan.changeBegan(isKnown: live.current.content.isAnswer) }
        defer { if state.withLock({ $0.plan.changeEnded() }) { beginReading() } }
        do throws(KeyringError) {
            try await change()
        } catch {
            changeFailed(error)
            throw error
        }
    }

    private func changeFailed(_ error: KeyringError) {
        switch error {
        case .tooLarge, .notDecodable, .notEncodable, .notStored, .readOnly: break  // the keyring answers, and its content is unchanged
        case .cancelled, .timedOut, .other: reload(anew: true)  // only the keyring knows whether it happened
        default: take(.unavailable(error))
        }
    }
}
