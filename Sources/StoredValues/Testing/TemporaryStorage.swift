import StoredValuesSupport

/// Runs `body` with its own storage, for tests: tests can run side by side and never touch real data.
///
/// ```swift
/// withTemporaryStorage(preferences: #"{"limit": 7}"#, secrets: ["token": "t"]) {
///     print(StoredValue(key: "limit", default: 60).wrappedValue)  // 7
/// }
/// ```
///
/// Inside, ``PreferencesFile/standard`` and ``PreferencesFile/named(_:)`` are files in a temporary folder, which is removed at
/// the end, without layers and variables, and ``Keyring/system`` is an ``InMemoryKeyring``. Every operation of a wrapper uses the storage of the task that it
/// runs in, else the storage in which the wrapper was made, else the real one. Child tasks and `Task { }` inherit the storage.
/// After the end it is empty for whoever still uses it. A key or secret that was used inside keeps its type until then; pass what an older version of
/// the program stored as `preferences` or `secrets`.
///
/// Not covered: files and keyrings that are named explicitly, and what runs on a dispatch queue or in a detached task, except through a
/// wrapper, or a ``PreferencesFile/named(_:)``, that was made inside.
///
/// - Parameters:
///   - preferences: The initial content of ``PreferencesFile/standard``: one JSON object, as in the file. Anything else traps
///     with a message that names the position.
///   - named: The same for each ``PreferencesFile/named(_:)`` that has an initial content, by name.
///   - secrets: The initial secrets of the application in the keyring: a text for each key.
///   - body: The code to run.
public func withTemporaryStorage<Result>(
    preferences: String = "{}", named: [String: String] = [:], secrets: [String: String] = [:], _ body: () throws -> Result
) rethrows -> Result {
    try withTemporaryStorage(preferences: preferences, named: named, keyring: InMemoryKeyring(secrets: secrets), body)
}

/// ``withTemporaryStorage(preferences:named:secrets:_:)`` for asynchronous code.
public func withTemporaryStorage<Result>(
    preferences: String = "{}", named: [String: String] = [:], secrets: [String: String] = [:], isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
) async rethrows -> Result {
    try await withTemporaryStorage(
        preferences: preferences, named: named, keyring: InMemoryKeyring(secrets: secrets), isolation: isolation, body)
}

/// ``withTemporaryStorage(preferences:named:secrets:_:)`` with your own keyring, such as an ``InMemoryKeyring`` with injected faults.
/// Traps if that is ``SystemKeyring``, or passes calls to it.
public func withTemporaryStorage<Result>(
    preferences: String = "{}", named: [String: String] = [:], keyring: some Keyring, _ body: () throws -> Result
) rethrows -> Result {
    try TemporaryScope.run { scope in
        begin(in: scope, preferences, named, keyring)
        return try body()
    }
}

/// ``withTemporaryStorage(preferences:named:keyring:_:)`` for asynchronous code.
public func withTemporaryStorage<Result>(
    preferences: String = "{}", named: [String: String] = [:], keyring: some Keyring, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
) async rethrows -> Result {
    try await TemporaryScope.run(isolation: isolation) { scope in
        begin(in: scope, preferences, named, keyring)
        return try await body()
    }
}

/// Puts a test's initial storage into `scope`, the current one.
private func begin(in scope: TemporaryScope, _ preferences: String, _ named: [String: String], _ keyring: some Keyring) {
    requireProperUse(
        !keyring.asksSystem, "withTemporaryStorage(keyring:): .system cannot stand for itself. Pass .secretService, or another keyring.")
    SystemKeyring.keyring(of: scope, orElse: keyring)
    PreferencesFile.standard.begin(with: preferences, for: "withTemporaryStorage(preferences:)")
    for (name, text) in named { PreferencesFile.named(name).begin(with: text, for: "withTemporaryStorage(named: [\"\(name)\": …])") }
}
