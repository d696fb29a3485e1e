import Observation
import StoredValuesSupport
import Synchronization

/// A changing content and its readers: the current content, those who iterate over it, and those who observe it.
///
/// Readers' buffers are filled under the same lock as the content, so each gets all changes in order. Waking readers, notifying
/// observers and releasing the old content happens in ``AfterUnlocking``.
///
/// The content may be of any type, and examining it costs 50 times as much as reading an item should. So the first reader
/// prepares the item for the next ones (``ReadyItem``).
final class LiveValue<Content: Sendable, Item: Sendable>: HasObservers {
    private struct State {
        var content: Box<Content>
        var revision = newRevision()
        var subscriptions: [ObjectIdentifier: Subscription] = [:]
    }

    let ready = ReadyItem<Item>()
    // Used under the lock of `ready` only, so that nobody else accesses it meanwhile, which would else be checked at run time.
    @exclusivity(unchecked) nonisolated(unsafe) private var state: State

    init(_ content: Content) { state = State(content: Box(content)) }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        ready.lock.lock()
        defer { ready.lock.unlock() }
        return body(&state)
    }

    // MARK: The content

    /// The current content, and a revision that is unique for each change and each live value.
    var current: (content: Content, revision: UInt64) { withState { ($0.content.value, $0.revision) } }

    func change(to content: Content, _ later: inout AfterUnlocking) {
        beginChange()
        put(Box(content), &later)
        endChange()
        later.notifyObservers(of: self)
    }

    /// Makes readers wait until ``endChange()``. If several live values change together, all begin before the first is changed,
    /// and none ends before the last is: a reader that has seen one new content sees no old one.
    func beginChange() {
        ready.lock.lock()
        ready.invalidate()
    }

    /// Lets readers continue.
    func endChange() { ready.lock.unlock() }

    /// The content that ``put(_:_:)`` replaces. Call it between `beginChange()` and `endChange()`.
    var replaced: (content: Content, revision: UInt64) { (state.content.value, state.revision) }

    /// Replaces the content. Call it between `beginChange()` and `endChange()`, and see that the observers are notified.
    func put(_ content: Box<Content>, _ later: inout AfterUnlocking) {
        if let old = ready.clear() { later.release(old) }
        later.release(state.content)
        state.content = content
        state.revision = newRevision()
        for subscription in state.subscriptions.values { subscription.append(content, &later) }
    }

    /// Notifies observers of both willSet and didSet, after the change: an observer notified before it could read the old content on
    /// another thread, and would not be notified again.
    func notifyObservers() { ready.registrar.withMutation(of: Observed(), keyPath: ready.property) {} }

    /// Replaces the content with another form of the same content, unless it has changed; nobody is notified.
    func refine(_ content: Content, ifStill expected: UInt64) {
        // The old form is released without the lock.
        let new = Box(content)
        let old = withState { state -> Box<Content> in
            guard state.revision == expected else { return new }
            defer { state.content = new }
            return state.content
        }
        withExtendedLifetime(old) {}
    }

    /// Lets readers get `item`, nil if nothing is stored, without examining the content, unless the content has changed.
    func makeReady(_ item: @autoclosure () -> Box<Item>?, ifStill expected: UInt64) {
        guard ready.revision != expected else { return }
        let item = item()
        withState { state in
            guard state.revision == expected, ready.revision != expected else { return }
            ready.write(item, of: expected)  // each change has cleared what was there
        }
    }

    // MARK: Readers

    /// Adds a reader, whose first element is the current content and who misses no later one.
    func subscribe(_ limit: BufferLimit) -> ActiveSubscription<Content> {
        let subscription = withState { state in
            let subscription = Subscription(first: [state.content], limit: limit)
            state.subscriptions[ObjectIdentifier(subscription)] = subscription
            return subscription
        }
        return ActiveSubscription(subscription) { [self] in
            let identifier = ObjectIdentifier(subscription)
            _ = withState { $0.subscriptions.removeValue(forKey: identifier) }
        }
    }

    var subscriptionCount: Int { withState { $0.subscriptions.count } }
}

extension LiveValue: CustomReflectable {
    /// A mirror without children, because the content may be a secret.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

private let lastRevision = Atomic<UInt64>(0)

/// A number that no content of any live value has had.
private func newRevision() -> UInt64 { lastRevision.add(1, ordering: .relaxed).newValue }
