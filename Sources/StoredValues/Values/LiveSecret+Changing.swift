import StoredValuesSupport

extension LiveSecret {
    func set(_ item: Item) async throws(KeyringError) {
        let secret = try SecretCoding.encode(item)
        try await turns.perform { () async throws(KeyringError) in try await write(item, secret, in: keyring) }
    }

    func reset() async throws(KeyringError) {
        try await turns.perform { () async throws(KeyringError) in try await remove(from: keyring) }
    }

    /// Reads the keyring, lets `change` work on the item, and stores what it leaves, or removes it when that is nil, all under
    /// the keyring's lock where it has one. Where it changes nothing, or says so, nothing is stored: where there is no lock,
    /// another process may have stored something else meanwhile. Who is refused the lock may still find nothing to change.
    ///
    /// - Parameter change: Works on the item; `stored` is what that was decoded from.
    func update<Result: Sendable>(
        _ change: @Sendable (_ item: inout Item?, _ stored: Secret?) throws(KeyringError) -> (result: Result, isChanged: Bool)
    ) async throws(KeyringError) -> Result {
        try await turns.perform { () async throws(KeyringError) in
            let locked: Swift.Result<any Keyring, KeyringError>
            do throws(KeyringError) {
                locked = .success(try await keyring.lockedIfPossible(for: id))
            } catch {
                guard error == .accessDenied || error == .readOnly else {
                    changeFailed(error)
                    throw error
                }
                locked = .failure(error)
            }
            // Not what memory answers: a reading that began earlier may have put there what was stored before the lock was had.
            let said = await ask().said
            let before = try said.answer.get()
            // Encoded now, for an object is changed in place.
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

    /// Runs a change and takes its outcome over; when it fails, memory no longer claims to know.
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
        case .tooLarge, .notDecodable, .notStored, .readOnly: break  // the keyring answers, and holds what it held
        case .cancelled, .timedOut, .other: reload(anew: true)  // whether it happened, only the keyring knows
        default: take(.unavailable(error))
        }
    }
}
