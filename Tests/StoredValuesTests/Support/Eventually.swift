/// Waits until `condition` holds, looking every 10 ms; records a failure when it does not within `limit`. That is long, for
/// only a failure waits so long, and under the thread sanitizer a busy machine takes its time.
/// The only place in the tests that sleeps.
func eventually(
    _ what: String, within limit: Duration = hangLimit, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw NeverHappened(what: what, limit: limit) }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// What `eventually` waited for in vain.
struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let limit: Duration
    var description: String { "not within \(limit): \(what)" }
}

/// How long `body` took.
func elapsed(_ body: () async throws -> Void) async rethrows -> Duration {
    let start = ContinuousClock.now
    try await body()
    return ContinuousClock.now - start
}
