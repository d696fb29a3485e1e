import Dispatch

/// Runs `body`, which blocks its thread for long, on a thread of its own, so that tests beside it go on.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "test").async { continuation.resume(returning: body()) }
    }
}
