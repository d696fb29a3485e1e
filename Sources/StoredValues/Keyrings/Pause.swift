import Dispatch
import StoredValuesSupport

/// Waits for `duration`, or until the task is cancelled; true if it waited the whole time.
///
/// Not `Task.sleep`: its alarm goes off on Swift's cooperative pool, and whoever waits here may be what that pool waits for.
func pause(for duration: Duration) async -> Bool {
    let alarm = Alarm()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            alarm.start(continuation, after: duration)
        }
    } onCancel: {
        alarm.ring(afterWholeTime: false)
    }
}

private final class Alarm: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Bool, Never>?
        var isCancelled = false
    }

    private let state = Guarded(State())

    func start(_ continuation: CheckedContinuation<Bool, Never>, after duration: Duration) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return state.isCancelled
        }
        if isCancelled { return continuation.resume(returning: false) }
        keyringDeadlines.asyncAfter(deadline: .now() + duration.dispatchInterval) {
            self.ring(afterWholeTime: true)
        }
    }

    func ring(afterWholeTime: Bool) {
        let continuation = state.withLock { state in
            if !afterWholeTime { state.isCancelled = true }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: afterWholeTime)
    }
}
