/// Runs `body` with storage of its own, for tests: they run side by side and touch nobody's data.
///
/// Inside, ``PreferencesFile/standard`` and ``PreferencesFile/named(_:)`` are empty files in a temporary folder, which is
/// removed at the end, and ``Keyring/system`` is `keyring`. Every operation of a wrapper uses the storage of the task it
/// runs in, else that in which the wrapper was made, else the real one. Child tasks and `Task { }` inherit the storage. Whatever
/// uses it after the end finds it empty.
///
/// Not covered: files and keyrings that are named explicitly, and a wrapper that was made outside and is used from a
/// dispatch queue or a detached task.
///
/// - Parameters:
///   - keyring: An ``InMemoryKeyring`` unless given; give one of your own to let it fail.
///   - body: What runs with it.
public func withTemporaryStorage<Result>(
    keyring: some Keyring = InMemoryKeyring(), _ body: () throws -> Result
) rethrows -> Result {
    try TemporaryScope.run { scope in
        SystemKeyring.put(keyring, into: scope)
        return try body()
    }
}

/// ``withTemporaryStorage(keyring:_:)`` for asynchronous code.
public func withTemporaryStorage<Result>(
    keyring: some Keyring = InMemoryKeyring(), isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
) async rethrows -> Result {
    try await TemporaryScope.run(isolation: isolation) { scope in
        SystemKeyring.put(keyring, into: scope)
        return try await body()
    }
}
