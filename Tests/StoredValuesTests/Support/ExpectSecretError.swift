import StoredValues
import Testing

/// Expects that `call` throws a ``SecretError`` for this reason.
func expectSecretError(
    _ reason: KeyringError, sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> some Any
) async {
    let error = await #expect(throws: SecretError.self, sourceLocation: sourceLocation) { _ = try await call() }
    #expect(error?.reason == reason, sourceLocation: sourceLocation)
}

/// Expects that of a thousand changes of one secret, in a keyring that does not answer, each fails with the deadline of the first.
func expectOneDeadline(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @escaping @Sendable (SecurelyStoredValue<String>, _ number: Int) async throws -> Void
) async {
    let keyring = InMemoryKeyring(deadline: .seconds(5))
    keyring.inject(.slow(.seconds(3600)))
    let token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: keyring)
    let time = await elapsed {
        await withTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    await expectSecretError(.timedOut(after: .seconds(5)), sourceLocation: sourceLocation) {
                        try await change(token, number)
                    }
                }
            }
        }
    }
    #expect(time < hangLimit, "a thousand deadlines are 5,000 s", sourceLocation: sourceLocation)
}
