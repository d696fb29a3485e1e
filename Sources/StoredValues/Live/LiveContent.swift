import StoredValuesSupport

/// Something that changes and has readers: the content now, those who iterate over it, and those who observe it.
///
/// Readers' buffers are filled under the lock that the content changes under, so each gets all changes in their order.
/// Waking readers, telling observers and letting go of the old content is left to the ``Aftermath``.
final class LiveContent<Content: Sendable>: Sendable {
    private struct State {
        var content: Content
        /// Grows with every change.
        var revision: UInt64 = 0
        /// How often a content was made ready.
        var readyCount: UInt64 = 0
        var subscriptions: [ObjectIdentifier: Subscription] = [:]
    }

    let signal: ContentSignal
    private let letGo: @Sendable () -> (any Sendable)?
    private let state: Guarded<State>

    /// - Parameters:
    ///   - signal: Says what was made ready for readers.
    ///   - letGo: Lets go of that when the content changes. It runs under the lock, and returns what is to be released when
    ///     that is free.
    init(
        _ content: Content, signal: ContentSignal = ContentSignal(),
        letGo: @escaping @Sendable () -> (any Sendable)? = { nil }
    ) {
        self.signal = signal
        self.letGo = letGo
        state = Guarded(State(content: content))
    }

    /// The content now, and a number that is another one after every change.
    var current: (content: Content, revision: UInt64) {
        state.withLock { ($0.content, $0.revision) }
    }

    /// Puts `content` in place of the old one, if `expected` is still the revision or nil. Returns whether it was.
    @discardableResult
    func change(to content: Content, ifStill expected: UInt64? = nil, _ aftermath: inout Aftermath) -> Bool {
        let isChanged = state.withLock { state in
            guard expected == nil || state.revision == expected else { return false }
            signal.setReady(0)
            if let old = letGo() { aftermath.release(old) }
            aftermath.release(state.content)
            state.content = content
            state.revision += 1
            if !state.subscriptions.isEmpty {
                let box = ContentBox(content)
                for subscription in state.subscriptions.values { subscription.append(box, &aftermath) }
            }
            return true
        }
        // Both halves of the notice come after the change: an observer told before it could read the old content on
        // another thread, and would not be told again.
        if isChanged { aftermath.notify { [signal] in signal.tellObservers() } }
        return isChanged
    }

    /// Puts another form of the same content in its place, unless the content has changed; nobody is told.
    func refine(_ content: Content, ifStill expected: UInt64) {
        // The old form goes when the lock is free.
        let old = state.withLock { state -> Content in
            guard state.revision == expected else { return content }
            let old = state.content
            state.content = content
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Runs `prepare` and tells readers that the content is ready for them, unless it is another one by now. `prepare` runs
    /// under the lock, and returns what is to be released when that is free.
    func makeReady(ifStill expected: UInt64, isAbsent: Bool = false, _ prepare: () -> (any Sendable)?) {
        let old = state.withLock { state -> (any Sendable)? in
            guard state.revision == expected else { return nil }
            signal.setReady(0)
            let old = prepare()
            state.readyCount += 1
            signal.setReady(state.readyCount << 1 | (isAbsent ? 1 : 0))
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Gives the content another revision: it is as it was, but known anew.
    func confirm() {
        state.withLock { $0.revision += 1 }
    }

    // MARK: Readers

    /// Adds a reader, whose first element is the content now and who misses none after it.
    func subscribe(_ limit: BufferLimit) -> ActiveSubscription<Content> {
        let subscription = state.withLock { state in
            let subscription = Subscription(first: ContentBox(state.content), limit: limit)
            state.subscriptions[ObjectIdentifier(subscription)] = subscription
            return subscription
        }
        return ActiveSubscription(subscription) { [self] in
            let identifier = ObjectIdentifier(subscription)
            _ = state.withLock { $0.subscriptions.removeValue(forKey: identifier) }
        }
    }

    /// How many iterations are going on.
    var subscriptionCount: Int { state.withLock { $0.subscriptions.count } }
}
