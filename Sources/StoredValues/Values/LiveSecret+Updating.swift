import StoredValuesSupport

// No lock is held while a closure awaits: the secret is compared before it is stored.
extension LiveSecret {
    /// Reads the keyring, runs `change` on the item, and stores the result; if the keyring holds something else by then, it
    /// starts again. It runs in its own task, after earlier updates, and to its end: a cancelled caller only stops waiting.
    /// Errors of `change` are in the result.
    func updateAwaiting<Result: Sendable>(
        _ change: @escaping @Sendable (inout Item?) async throws -> Result
    ) async throws(KeyringError) -> Swift.Result<Result, any Error> {
        let outer = RunningUpdate.ofTask?.stillRunning
        if let outer, outer.concerns(self) { throw RunningUpdate.ofItself }
        if Task.isCancelled { throw .cancelled }
        let answer = OneShot<Swift.Result<Swift.Result<Result, any Error>, KeyringError>>()
        Task {
            do throws(KeyringError) {
                let result = try await updates.perform { () async throws(KeyringError) -> Swift.Result<Result, any Error> in
                    let update = RunningUpdate(of: self, inside: outer)
                    defer { update.end() }
                    return try await RunningUpdate.$ofTask.withValue(update) { await self.repeating(change) }.get()
                }
                answer.answer(.success(result))
            } catch {
                answer.answer(.failure(error))
            }
        }
        return try await answer.wait(cancelled: .failure(.cancelled)).get()
    }

    /// Runs `change` until the secret that it worked on is still the stored one at its end.
    private func repeating<Result: Sendable>(
        _ change: @Sendable (inout Item?) async throws -> Result
    ) async -> Swift.Result<Swift.Result<Result, any Error>, KeyringError> {
        do throws(KeyringError) {
            while true {
                let said = await ask().said
                _ = try said.answer.get()
                let before = said.secret
                // Decoded again: an object is changed in place, and memory shares this one.
                var item = try before.map { secret throws(KeyringError) in try SecretCoding.decode(Item.self, from: secret) }
                let result: Result
                do { result = try await change(&item) } catch { return .success(.failure(error)) }
                let after = item
                let isDone = try await update { item, stored throws(KeyringError) -> (result: Bool, isChanged: Bool) in
                    guard stored == before else { return (false, false) }
                    item = after
                    return (true, true)
                }
                if isDone { return .success(.success(result)) }
            }
        } catch {
            return .failure(error)
        }
    }
}
