import DequeModule
package import StoredValuesSupport

/// One reader of a live value: a buffer for changes, and the reader that waits for them.
///
/// Changes are appended under the lock of the live value, so every reader gets them in commit order; the reader is woken
/// without that lock.
///
/// It is not generic: with a thousand readers, looking up type metadata would cost a quarter of notifying them. The live value
/// puts each content in one ``Box`` for all of them.
package final class Subscription: Sendable {
    package typealias AnyBox = any AnyObject & Sendable

    private struct State {
        var buffer: Deque<AnyBox>
        /// What a waiting reader was woken for; it is not limited.
        var handedOver: AnyBox?
        var reader: UnsafeContinuation<Void, Never>?
        var isCancelled = false
    }

    private let state: Guarded<State>
    private let limit: BufferLimit

    /// A subscription whose first elements are `first`, whatever the limit.
    package init(first: [AnyBox] = [], limit: BufferLimit) {
        state = Guarded(State(buffer: Deque(first)))
        self.limit = limit
    }

    /// Appends an element, which a waiting reader gets whatever the limit. What the limit drops, and the reader to wake, go into `later`.
    package func append(_ content: AnyBox, _ later: inout AfterUnlocking) {
        let (reader, dropped) = state.withLock { state -> (UnsafeContinuation<Void, Never>?, AnyBox?) in
            if let reader = state.reader.take() {
                state.handedOver = content  // it waits because there is no other
                return (reader, nil)
            }
            state.buffer.append(content)
            let dropped: AnyBox? =
                switch limit {
                case .oldest(let limit) where state.buffer.count > limit, .newest(let limit) where limit <= 0: state.buffer.popLast()
                case .newest(let limit) where state.buffer.count > limit: state.buffer.popFirst()
                default: nil
                }
            return (nil, dropped)
        }
        if let dropped { later.release(dropped) }
        if let reader { later.wake(reader) }
    }

    /// Waits for the next element; nil once the task is cancelled.
    func next(isolation: isolated (any Actor)?) async -> AnyBox? {
        while true {
            guard !Task.isCancelled else { return nil }  // also while elements are left
            let (content, isCancelled) = state.withLock { ($0.isCancelled ? nil : $0.handedOver.take() ?? $0.buffer.popFirst(), $0.isCancelled) }
            if let content { return content }
            if isCancelled { return nil }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { reader in
                    let mustWait = state.withLock { state in
                        guard state.buffer.isEmpty, state.handedOver == nil, !state.isCancelled else { return false }
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

/// Ends a subscription, all of whose boxes are `Box<Content>`, when its iterator is released.
package final class ActiveSubscription<Content: Sendable>: Sendable {
    let subscription: Subscription
    private let end: @Sendable () -> Void

    package init(_ subscription: Subscription, end: @escaping @Sendable () -> Void) {
        (self.subscription, self.end) = (subscription, end)
    }

    deinit { end() }
}

/// How many elements are kept for a slow reader.
package enum BufferLimit: Sendable {
    case unlimited
    case oldest(Int)
    case newest(Int)

    /// The same as the standard library's policy.
    init<Element>(_ policy: AsyncStream<Element>.Continuation.BufferingPolicy) {
        switch policy {
        case .bufferingOldest(let limit): self = .oldest(limit)
        case .bufferingNewest(let limit): self = .newest(limit)
        default: self = .unlimited
        }
    }
}
