import StoredValues
import Testing

/// Expects that `call` throws a ``SecretError`` for this reason.
func expectSecretError(
    _ reason: KeyringError, sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> some Any
) async {
    let error = await #expect(throws: SecretError.self, sourceLocation: sourceLocation) { _ = try await call() }
    #expect(error?.reason == reason, sourceLocation: sourceLocation)
}
