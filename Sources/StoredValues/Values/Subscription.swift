import DequeModule
import Locking

/// One reader of a live value: a buffer that changes go into, and the reader's place to wait.
///
/// Changes are appended under the lock of the live value, so every reader gets them in commit order; the reader is woken
/// when that lock is free.
final class Subscription<Content: Sendable>: Sendable {
    /// How much is kept for a slow reader; the standard library's own choice of words.
    typealias BufferingPolicy = AsyncStream<Content>.Continuation.BufferingPolicy

    private struct State {
        var buffer: Deque<Content>
        var reader: UnsafeContinuation<Void, Never>?
        var isCancelled = false
    }

    private let state: Guarded<State>
    private let policy: BufferingPolicy

    /// A subscription whose first element is `first`.
    init(first: Content, policy: BufferingPolicy) {
        state = Guarded(State(buffer: [first]))
        self.policy = policy
    }

    /// Adds an element; what the policy drops for it and the reader to wake go into `aftermath`.
    func append(_ content: Content, _ aftermath: inout Aftermath) {
        let (reader, dropped) = state.withLock { state -> (UnsafeContinuation<Void, Never>?, Content?) in
            let reader = state.reader
            state.reader = nil
            switch policy {
            case .bufferingOldest(let limit) where state.buffer.count >= limit:
                return (reader, content)
            case .bufferingNewest(let limit) where state.buffer.count >= limit:
                guard limit > 0 else { return (reader, content) }
                let dropped = state.buffer.popFirst()
                state.buffer.append(content)
                return (reader, dropped)
            default:
                state.buffer.append(content)
                return (reader, nil)
            }
        }
        if let dropped { aftermath.release(dropped) }
        if let reader { aftermath.wake(reader) }
    }

    /// The next element, waiting for it; nil once the task is cancelled.
    func next(isolation: isolated (any Actor)?) async -> Content? {
        while true {
            let (content, isCancelled) = state.withLock { ($0.isCancelled ? nil : $0.buffer.popFirst(), $0.isCancelled) }
            if let content { return content }
            if isCancelled { return nil }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { reader in
                    let mustWait = state.withLock { state in
                        guard state.buffer.isEmpty, !state.isCancelled else { return false }
                        state.reader = reader
                        return true
                    }
                    if !mustWait { reader.resume() }
                }
            } onCancel: {
                let reader = state.withLock { state in
                    state.isCancelled = true
                    defer { state.reader = nil }
                    return state.reader
                }
                reader?.resume()
            }
        }
    }
}
