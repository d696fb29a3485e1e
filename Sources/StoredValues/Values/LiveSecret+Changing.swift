import StoredValuesSupport

extension LiveSecret {
    func set(_ item: Item) async throws(KeyringError) {
        let secret = try SecretCoding.encode(item)
        try await inTurn(.changes) { () async throws(KeyringError) in try await store(.value(item, secret), in: keyring) }
    }

    func reset() async throws(KeyringError) {
        try await inTurn(.changes) { () async throws(KeyringError) in try await store(.absent, in: keyring) }
    }

    /// Reads the keyring, runs `change` on the item and the bytes it was decoded from, and stores the result, or removes the secret if that
    /// is nil. The keyring's lock, if it has one, is held throughout. Nothing is stored if the item is unchanged or `change` returns a failure:
    /// without a lock, another process may have stored something else. If the lock is refused, an update without a change still succeeds.
    func update<Success: Sendable, Failure>(
        _ change: @Sendable (_ item: inout Item?, _ stored: Secret?) -> Result<Success, Failure>
    ) async throws(KeyringError) -> Result<Success, Failure> {
        try await inTurn(.changes) { () async throws(KeyringError) in
            let locked: Result<any Keyring, KeyringError>
            do throws(KeyringError) {
                locked = .success(try await keyring.locked(for: id))
            } catch {
                guard error == .accessDenied || error == .readOnly else {
                    carryOut { $0.changeFailed(error) }
                    throw error
                }
                locked = .failure(error)
            }
            // Not the content in memory, which an earlier read may have put there before the lock was taken.
            let content = await ask(try? locked.get())
            var item = try content.itemToChange()
            let bytesBefore = item.flatMap { try? SecretCoding.encode($0) }
            let result = change(&item, content.secret)
            guard case .success = result else { return result }
            if let item {
                let bytes = try SecretCoding.encode(item)
                if bytes != bytesBefore { try await store(.value(item, bytes), in: locked.get()) }
            } else if content.secret != nil {
                try await store(.absent, in: locked.get())
            }
            return result
        }
    }

    /// Runs `body` when all earlier callers are done. Throws ``KeyringError/cancelled`` if the task is cancelled while it waits, and
    /// ``KeyringError/updateOfItself`` inside the closure of an update of this secret.
    private func inTurn<Success: Sendable>(
        _ line: SecretState<Item>.Line, _ turn: Waiter = Waiter(), _ body: () async throws(KeyringError) -> Success
    ) async throws(KeyringError) -> Success {
        if Task.isCancelled { throw .cancelled }
        let outer = RunningUpdate.ofTask.compactMap(\.turn)
        carryOut { $0.enter(line, turn, inside: outer) }
        var failure = await turn.wait()
        defer { carryOut { $0.leave(line, turn, after: failure) } }
        if let failure { throw failure }
        do throws(KeyringError) {
            return try await body()
        } catch {
            failure = error
            throw error
        }
    }
}

// MARK: Closures that await

/// An update whose closure is running the current task, or has created it. Its turn is nil once the update has ended.
private struct RunningUpdate: Sendable {
    /// The updates around the current task, outermost first.
    @TaskLocal static var ofTask: [RunningUpdate] = []

    weak var turn: Waiter?
}

// No lock is held while a closure awaits: the secret is compared before it is stored.
extension LiveSecret {
    /// Reads the keyring, runs `change` on the item, and stores the result; if the keyring holds something else by then, it starts again. It
    /// runs in a task of its own, after earlier updates, and to its end: a cancelled caller only stops waiting. Errors of `change` are in the result.
    func updateAwaiting<Success: Sendable>(
        _ change: @escaping @Sendable (inout Item?) async throws -> Success
    ) async throws(KeyringError) -> Result<Success, any Error> {
        if Task.isCancelled { throw .cancelled }
        let answer = OneShot<Result<Result<Success, any Error>, KeyringError>>()
        let turn = Waiter()
        Task {
            do throws(KeyringError) {
                let result = try await inTurn(.updates, turn) { () async throws(KeyringError) in try await repeating(change, in: turn) }
                answer.answer(.success(result))
            } catch {
                answer.answer(.failure(error))
            }
        }
        return try await answer.wait(cancelled: .failure(.cancelled)).get()
    }

    /// Runs `change` again until the secret has not changed meanwhile, also if `change` throws.
    private func repeating<Success: Sendable>(
        _ change: @Sendable (inout Item?) async throws -> Success, in turn: Waiter
    ) async throws(KeyringError) -> Result<Success, any Error> {
        let updates = RunningUpdate.ofTask.filter { $0.turn != nil } + [RunningUpdate(turn: turn)]
        var failures = 0
        while true {
            let content = await ask(), before = content.secret
            var item = try content.itemToChange()
            let success: Success
            do {
                success = try await RunningUpdate.$ofTask.withValue(updates) { try await change(&item) }
            } catch {
                // A server may refuse a token that another process has just used; its new one is stored by then. Twice at most, in case the
                // closure itself changes the secret by another way.
                failures += 1
                guard failures < 3, case let now = await ask(), now.isAnswer, now.secret != before else { return .failure(error) }
                continue
            }
            let after = item
            let isStored = try await update { item, stored -> Result<Bool, Never> in
                if stored == before { item = after }
                return .success(stored == before)
            }
            if isStored.get() { return .success(success) }
        }
    }
}
