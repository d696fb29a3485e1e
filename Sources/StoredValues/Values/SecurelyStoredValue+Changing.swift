extension SecurelyStoredValue {
    /// Stores `item`. Throws ``SecretError``; then nothing was stored, unless it says that nobody knows.
    public func set(_ item: Item) async throws(SecretError) {
        try await perform { secret async throws(KeyringError) in try await secret.set(item) }
    }

    /// Removes the secret; succeeds when there is none. Throws ``SecretError``.
    public func reset() async throws(SecretError) {
        try await perform { secret async throws(KeyringError) in try await secret.reset() }
    }

    /// Changes the secret in place, as one step among all tasks of this process: the keyring is read, `change` works on the
    /// secret or on nil, and what it leaves is stored; nil removes it.
    ///
    /// It is one step among processes, too, in an encrypted file, and in the desktop's keyring where these have a runtime
    /// folder (`$XDG_RUNTIME_DIR`) in common: whoever else calls this, ``set(_:)`` or ``reset()`` waits for it, and throws
    /// ``KeyringError/timedOut(after:)`` at the keyring's deadline, so let `change` be short. Of other programs that change
    /// the desktop's keyring, such as `secret-tool`, and in a keyring of your own, a change between reading and storing is lost.
    ///
    /// Throws what `change` throws, and then nothing was changed; and ``SecretError``, after which the same holds as for
    /// ``set(_:)``. Where `change` leaves the secret as it was, nothing is stored.
    public func update<Result: Sendable>(_ change: @Sendable (inout Item?) throws -> Result) async throws -> Result {
        // The closure's own error travels as a result, past the keyring's.
        let outcome = try await perform { secret async throws(KeyringError) in
            try await secret.update {
                item, _ throws(KeyringError) -> (result: Swift.Result<Result, any Error>, isChanged: Bool) in
                let outcome = Swift.Result { try change(&item) }
                return if case .success = outcome { (outcome, true) } else { (outcome, false) }
            }
        }
        return try outcome.get()
    }

    /// Changes the secret by a closure that may wait for something else, such as a server that gives a new token:
    ///
    /// ```swift
    /// struct Client {
    ///     @SecurelyStoredValue(key: "token") var token: String?
    ///
    ///     func freshToken() async throws -> String? {
    ///         try await $token.update { (token: inout String?) async throws in
    ///             if isExpired(token) { token = try await refresh(token) }
    ///             return token
    ///         }
    ///     }
    ///
    ///     func isExpired(_ token: String?) -> Bool { token == nil }
    ///     func refresh(_ token: String?) async throws -> String { "what the server says" }
    /// }
    /// ```
    ///
    /// The closures of one secret run one after another in this process, each on what the last one left: of 100 tasks that find
    /// the token expired, one has it refreshed. Each runs in a task of its own, with the caller's task-local values, and to its
    /// end: a caller that is cancelled only waits no longer, and throws ``KeyringError/cancelled``.
    ///
    /// No lock is held meanwhile: ``set(_:)``, ``reset()``, the other `update` and other processes do not wait. So the secret is
    /// compared before it is stored, and if it is not what the closure was given, **the closure runs again**, on what is there now.
    /// Do not change the secret inside the closure by other means than its argument. An update of the same secret would wait for
    /// itself, and throws ``KeyringError/other(domain:code:message:)`` that says so.
    ///
    /// Among processes:
    /// - In an encrypted file, and in the desktop's keyring where the processes have a runtime folder (`$XDG_RUNTIME_DIR`) in
    ///   common, comparing and storing are one step, so no change is lost. Of other programs that change the desktop's keyring, and
    ///   in a keyring of your own, a change in between is lost.
    /// - In no keyring does a closure wait for one of another process. Two processes may refresh a token at the same time; the one
    ///   that comes later finds the other's, and its closure runs again on that.
    /// - Credentials are read-only: a closure that changes one ends with ``KeyringError/readOnly``.
    ///
    /// Throws what `change` throws, and then nothing was changed; and ``SecretError``, after which the same holds as for
    /// ``set(_:)``, also where the closure has run: what it got elsewhere is not stored then. Where it leaves the secret as it was,
    /// nothing is stored.
    public func update<Result: Sendable>(
        _ change: @escaping @Sendable (inout Item?) async throws -> Result
    ) async throws -> Result {
        try await perform { secret async throws(KeyringError) in try await secret.updateAwaiting(change) }.get()
    }

    /// `update` for changes that can only fail as the keyring does.
    func updateInPlace(_ change: @Sendable (inout Item?) throws(KeyringError) -> Void) async throws(SecretError) {
        try await perform { secret async throws(KeyringError) in
            try await secret.update { item, _ throws(KeyringError) -> (result: Void, isChanged: Bool) in
                try change(&item)
                return ((), true)
            }
        }
    }

    /// Runs `body`; what it throws says which secret it is about.
    func perform<Result: Sendable>(
        _ body: (LiveSecret<Item>) async throws(KeyringError) -> Result
    ) async throws(SecretError) -> Result {
        let secret = secret
        do throws(KeyringError) { return try await body(secret) } catch { throw secret.failure(error) }
    }
}
