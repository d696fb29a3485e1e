import Testing

/// Waits until `condition` holds, and records an issue when it does not within `limit`. The only place in the tests that
/// sleeps: for events that nothing announces.
func eventually(
    _ what: Comment, within limit: Duration = .seconds(10), location: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("not within \(limit): \(what)", sourceLocation: location)
            return
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}
