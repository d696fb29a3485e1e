extension SecurelyStoredValue {
    /// Stores `item`. Throws ``SecretError``; nothing was stored then, unless the error says that this is unknown.
    public func set(_ item: Item) async throws(SecretError) {
        try await perform { secret async throws(KeyringError) in try await secret.set(item) }
    }

    /// Removes the secret; succeeds if there is none. Throws ``SecretError``.
    public func reset() async throws(SecretError) {
        try await perform { secret async throws(KeyringError) in try await secret.reset() }
    }

    /// Changes the secret in place, atomically among all tasks of this process: reads the keyring, runs `change` on the secret
    /// or on nil, and stores the result; nil removes the secret.
    ///
    /// It is also atomic among processes in an encrypted file, and in the desktop's keyring if the processes share a runtime
    /// folder (`$XDG_RUNTIME_DIR`): their calls of this, ``set(_:)`` and ``reset()`` wait, and throw
    /// ``KeyringError/timedOut(after:)`` at the keyring's deadline, so keep `change` short. In a custom keyring, and where
    /// another program such as `secret-tool` changes the desktop's keyring, a change made between reading and storing is lost.
    ///
    /// Throws ``SecretError`` as ``set(_:)`` does. If `change` leaves the secret unchanged, nothing is stored.
    @discardableResult
    public func update<Result: Sendable>(_ change: @Sendable (inout Item?) -> Result) async throws(SecretError) -> Result {
        try await perform { secret async throws(KeyringError) in
            try await secret.update { item, _ in Swift.Result<Result, Never>.success(change(&item)) }
        }.get()
    }

    /// The same by a closure that may throw. Throws what `change` throws, and nothing was changed then; or ``SecretError``.
    @discardableResult
    public func update<Result: Sendable>(_ change: @Sendable (inout Item?) throws -> Result) async throws -> Result {
        // The closure's own error is returned as a result, because the keyring's error is typed.
        try await perform { secret async throws(KeyringError) in
            try await secret.update { item, _ in Swift.Result { try change(&item) } }
        }.get()
    }

    /// Changes the secret by an asynchronous closure, such as one that gets a new token from a server:
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
    /// The closures of one secret run one after another in this process, each on the result of the one before: of 100 tasks
    /// that find the token expired, one refreshes it. Each runs in its own task, with the caller's task-local values, and to
    /// its end: a cancelled caller only stops waiting, and throws ``KeyringError/cancelled``.
    ///
    /// No lock is held meanwhile: ``set(_:)``, ``reset()``, the other `update` and other processes do not wait. The secret is
    /// compared before it is stored. If it changed since the closure read it, **the closure runs again**, on the current
    /// secret. Inside the closure, change the secret only through its argument: any other change of the same secret in it, or in a
    /// task that it creates, throws a ``KeyringError/other(domain:code:message:)`` that says so, because an update would wait for
    /// itself, and after a ``set(_:)`` the closure would run again and again. Two cases are not detected, and never end: two secrets
    /// whose closures update each other, so update several secrets in one order everywhere; and a closure that has a detached task
    /// change the same secret, each time that it runs, and waits for it.
    ///
    /// Among processes, comparing and storing are one step where the other `update` is atomic, so no change is lost there. A closure
    /// never waits for one of another process: of two that refresh a token at the same time, the later one finds the other's, and
    /// its closure runs again on that, also if it has thrown because the server knows the old token no more. A closure that changes a
    /// secret in a read-only keyring ends with ``KeyringError/readOnly``.
    ///
    /// Throws what `change` throws, having asked the keyring whether the secret has changed since: then `change` runs again, at most twice for
    /// that. Nothing was changed then. Throws ``SecretError`` as ``set(_:)`` does, possibly after the closure has run: its result is not stored
    /// then. If the closure leaves the secret unchanged, nothing is stored.
    @discardableResult
    public func update<Result: Sendable>(
        _ change: @escaping @Sendable (inout Item?) async throws -> Result
    ) async throws -> Result {
        try await perform { secret async throws(KeyringError) in try await secret.updateAwaiting(change) }.get()
    }

    /// `update` for closures that throw only keyring errors.
    func updateInPlace(_ change: @Sendable (inout Item?) throws(KeyringError) -> Void) async throws(SecretError) {
        try await perform { secret async throws(KeyringError) in
            try await secret.update { item, _ in Result { () throws(KeyringError) in try change(&item) } }.get()
        }
    }

    /// Runs `body`; adds to its error which secret it is about.
    func perform<Result: Sendable>(
        _ body: (LiveSecret<Item>) async throws(KeyringError) -> Result
    ) async throws(SecretError) -> Result {
        let secret = secret
        do throws(KeyringError) { return try await body(secret) } catch { throw secret.failure(error) }
    }
}

// MARK: Shorthands for `update(_:)`, with the same guarantees, and unavailable declarations for better compiler errors

extension SecurelyStoredValue {
    /// Sets one property of the secret. Throws ``KeyringError/notStored`` if there is no secret.
    public func set<Property: Sendable>(
        _ property: any WritableKeyPath<Item, Property> & Sendable, to value: Property
    ) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in
            guard item != nil else { throw .notStored }
            item?[keyPath: property] = value
        }
    }

    /// Unavailable: a secret in the source code would not be secret.
    @available(*, unavailable, message: "a secret has no default: leave out \"= …\"; the property is nil while none is known")
    public convenience init(wrappedValue: Item?, key: String, service: String? = nil, keyring: some Keyring = .system) {
        preconditionFailure("unavailable")
    }

    /// Unavailable: use ``reset()``.
    @available(*, unavailable, renamed: "reset()")
    public func remove() async throws(SecretError) { preconditionFailure("unavailable") }
}

extension SecurelyStoredValue where Item == Bool {
    /// Toggles the value. Throws ``KeyringError/notStored`` if none is stored.
    public func toggle() async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in
            guard let value = item else { throw .notStored }
            item = !value
        }
    }
}

extension SecurelyStoredValue where Item: RangeReplaceableCollection, Item.Element: Sendable {
    /// Appends `element` to the list, which is empty if none is stored.
    public func append(_ element: Item.Element) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in
            item = item ?? Item()
            item?.append(element)
        }
    }
}

extension SecurelyStoredValue where Item: RangeReplaceableCollection, Item.Element: Equatable & Sendable {
    /// Replaces every element that equals `element` with `replacement`; changes nothing if there is none.
    public func replace(_ element: Item.Element, with replacement: Item.Element) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in item = item?.replacing(every: element, with: replacement) }
    }

    /// Removes every element that equals `element`, or appends it if there is none.
    public func togglePresence(_ element: Item.Element) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in item = (item ?? Item()).togglingPresence(of: element) }
    }
}

extension SecurelyStoredValue {
    /// Sets one entry of the dictionary, which is empty if none is stored; nil removes the entry.
    public func update<Key: Sendable, Value: Sendable>(
        key: Key, value: Value?
    ) async throws(SecretError) where Item == [Key: Value] {
        try await updateInPlace { item throws(KeyringError) in
            item = item ?? [:]
            item?[key] = value
        }
    }
}
