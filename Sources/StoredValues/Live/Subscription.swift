import DequeModule
import StoredValuesSupport

/// One reader of a live value: a buffer that changes go into, and the reader's place to wait.
///
/// Changes are appended under the lock of the live value, so every reader gets them in commit order; the reader is woken
/// when that lock is free.
///
/// It is not generic: to each of a thousand readers, looking up the types would cost a quarter of what telling it does. The
/// live value puts each content in one ``Box`` for all of them.
final class Subscription: Sendable {
    typealias AnyBox = any AnyObject & Sendable

    private struct State {
        var buffer: Deque<AnyBox>
        var reader: UnsafeContinuation<Void, Never>?
        var isCancelled = false
    }

    private let state: Guarded<State>
    private let limit: BufferLimit

    /// A subscription whose first element is `first`, or the first that is appended.
    init(first: AnyBox? = nil, limit: BufferLimit) {
        state = Guarded(State(buffer: first.map { [$0] } ?? []))
        self.limit = limit
    }

    /// Adds an element; what the limit drops for it and the reader to wake go into `later`.
    func append(_ content: AnyBox, _ later: inout AfterUnlocking) {
        let (reader, dropped) = state.withLock { state -> (UnsafeContinuation<Void, Never>?, AnyBox?) in
            state.buffer.append(content)
            let dropped: AnyBox? =
                switch limit {
                case .oldest(let limit) where state.buffer.count > limit: state.buffer.popLast()
                case .newest(let limit) where limit <= 0: state.buffer.popLast()
                case .newest(let limit) where state.buffer.count > limit: state.buffer.popFirst()
                default: nil
                }
            return (state.reader.take(), dropped)
        }
        if let dropped { later.release(dropped) }
        if let reader { later.wake(reader) }
    }

    /// The next element, waiting for it; nil once the task is cancelled.
    func next(isolation: isolated (any Actor)?) async -> AnyBox? {
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
                    return state.reader.take()
                }
                reader?.resume()
            }
        }
    }
}

/// Ends a subscription when its iterator goes.
final class ActiveSubscription<Content: Sendable>: Sendable {
    private let subscription: Subscription
    private let end: @Sendable () -> Void

    /// - Parameter subscription: One whose boxes are all `Box<Content>`.
    init(_ subscription: Subscription, end: @escaping @Sendable () -> Void) {
        (self.subscription, self.end) = (subscription, end)
    }

    /// The next content, waiting for it; nil once the task is cancelled.
    func next(isolation: isolated (any Actor)?) async -> Content? {
        guard let box = await subscription.next(isolation: isolation) else { return nil }
        return unsafeDowncast(box, to: Box<Content>.self).value  // sound: see init
    }

    deinit { end() }
}

/// What several share: the readers of a content, or of an item.
final class Box<Value: Sendable>: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// How much is kept for a slow reader.
enum BufferLimit: Sendable {
    case unlimited
    case oldest(Int)
    case newest(Int)

    /// The same in the standard library's words.
    init<Element>(_ policy: AsyncStream<Element>.Continuation.BufferingPolicy) {
        switch policy {
        case .bufferingOldest(let limit): self = .oldest(limit)
        case .bufferingNewest(let limit): self = .newest(limit)
        default: self = .unlimited
        }
    }
}
