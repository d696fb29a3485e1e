/// Runs `body` with storage of its own, for tests: they run side by side and touch nobody's data.
///
/// ```swift
/// withTemporaryStorage(preferences: #"{"limit": 7}"#, secrets: ["token": "t"]) {
///     print(StoredValue(key: "limit", default: 60).wrappedValue)  // 7
/// }
/// ```
///
/// Inside, ``PreferencesFile/standard`` and ``PreferencesFile/named(_:)`` are files in a temporary folder, which is
/// removed at the end, and ``Keyring/system`` is an ``InMemoryKeyring``. Every operation of a wrapper uses the storage of the task it
/// runs in, else that in which the wrapper was made, else the real one. Child tasks and `Task { }` inherit the storage. Whatever
/// uses it after the end finds it empty.
///
/// Not covered: files and keyrings that are named explicitly, and a wrapper that was made outside and is used from a
/// dispatch queue or a detached task.
///
/// - Parameters:
///   - preferences: What ``PreferencesFile/standard`` begins with: one JSON object, as the file holds it. Anything else traps with
///     a message that says where.
///   - secrets: What the keyring begins with: texts by the keys of the application's secrets.
///   - body: What runs with it.
public func withTemporaryStorage<Result>(
    preferences: String = "{}", secrets: [String: String] = [:], _ body: () throws -> Result
) rethrows -> Result {
    try TemporaryScope.run { scope in
        begin(in: scope, preferences, InMemoryKeyring(secrets: secrets))
        return try body()
    }
}

/// ``withTemporaryStorage(preferences:secrets:_:)`` for asynchronous code.
public func withTemporaryStorage<Result>(
    preferences: String = "{}", secrets: [String: String] = [:], isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
) async rethrows -> Result {
    try await TemporaryScope.run(isolation: isolation) { scope in
        begin(in: scope, preferences, InMemoryKeyring(secrets: secrets))
        return try await body()
    }
}

/// ``withTemporaryStorage(preferences:secrets:_:)`` with a keyring of your own: an ``InMemoryKeyring`` that is to fail, or another one.
public func withTemporaryStorage<Result>(
    preferences: String = "{}", keyring: some Keyring, _ body: () throws -> Result
) rethrows -> Result {
    try TemporaryScope.run { scope in
        begin(in: scope, preferences, keyring)
        return try body()
    }
}

/// ``withTemporaryStorage(preferences:keyring:_:)`` for asynchronous code.
public func withTemporaryStorage<Result>(
    preferences: String = "{}", keyring: some Keyring, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
) async rethrows -> Result {
    try await TemporaryScope.run(isolation: isolation) { scope in
        begin(in: scope, preferences, keyring)
        return try await body()
    }
}

/// Puts what a test begins with into `scope`, which is the current one.
private func begin(in scope: TemporaryScope, _ preferences: String, _ keyring: some Keyring) {
    SystemKeyring.put(keyring, into: scope)
    PreferencesFile.standard.begin(with: preferences, for: "withTemporaryStorage(preferences:)")
}
