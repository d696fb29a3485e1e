import Observation
import StoredValuesSupport
import Synchronization

/// A changing content and its readers: the current content, those who iterate over it, and those who observe it.
///
/// Readers' buffers are filled under the same lock as the content, so each gets all changes in order. Waking readers, notifying
/// observers and releasing the old content happens in ``AfterUnlocking``.
///
/// The content may be of any type, and examining it costs 50 times as much as reading an item should. So the first reader
/// prepares the item for the next ones: as bytes that they copy without a lock, or, if that is impossible, in a box that they
/// copy it from under the lock.
final class LiveValue<Content: Sendable, Item: Sendable>: Sendable {
    private struct State {
        var content: Box<Content>
        var revision = newRevision()
        var subscriptions: [ObjectIdentifier: Subscription] = [:]
    }

    // First the fields that a read needs and whose size does not depend on the types: the compiler knows their offsets.
    /// Identifies the content that the ready item belongs to, and holds its bytes. The last bit of the stamp says that nothing
    /// is stored.
    private let ready = SequenceLock()
    /// Whether the item is copied as bytes.
    private let isBytes: Bool
    // Not `Guarded<State>`: its closures would look up type metadata, which takes a reader of the box as long as the lock.
    private let lock = Guarded(())
    /// The ready item if it is not copied as bytes, retained. Readers do not retain the box: that would be two writes to memory
    /// shared by all of them.
    nonisolated(unsafe) private var box: Unmanaged<Box<Item>>?  // used under `lock` only, and in `deinit`
    /// Created once: creating a key path costs more than the rest of a read.
    private let property: any KeyPath<Observed, Void> & Sendable = \Observed.content
    private let registrar = ObservationRegistrar()
    nonisolated(unsafe) private var state: State  // used under `lock` only

    init(_ content: Content) {
        // `Item.self is any BitwiseCopyable` would be clearer, but is not allowed at run time.
        isBytes = _isPOD(Item.self) && MemoryLayout<Item>.size <= SequenceLock.capacity && MemoryLayout<Item>.alignment <= 8
        state = State(content: Box(content))
    }

    deinit { box?.release() }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }

    // MARK: The content

    /// The current content, and a revision that is unique for each change and each live value.
    var current: (content: Content, revision: UInt64) { withState { ($0.content.value, $0.revision) } }

    /// Puts `content` in place of the old one.
    func change(to content: Content, _ later: inout AfterUnlocking) {
        beginChange()
        put(Box(content), &later)
        endChange()
    }

    /// Makes readers wait until ``endChange()``. If several live values change together, all begin before the first is changed,
    /// and none ends before the last is: a reader that has seen one new content sees no old one.
    func beginChange() {
        lock.lock()
        ready.beginWriting()
    }

    /// Lets readers continue.
    func endChange() { lock.unlock() }

    /// The content that ``put(_:_:)`` replaces. Call it between `beginChange()` and `endChange()`.
    var replaced: (content: Content, revision: UInt64) { (state.content.value, state.revision) }

    /// Replaces the content. Call it between `beginChange()` and `endChange()`.
    func put(_ content: Box<Content>, _ later: inout AfterUnlocking) {
        if let old = exchange(nil) { later.release(old) }
        later.release(state.content)
        state.content = content
        state.revision = newRevision()
        for subscription in state.subscriptions.values { subscription.append(content, &later) }
        // Observers are notified of both willSet and didSet after the change: an observer notified before it could read the old
        // content on another thread, and would not be notified again.
        later.notify { [self] in registrar.withMutation(of: Observed(), keyPath: property) {} }
    }

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

    /// Records the access for Observation.
    @inline(__always)
    func noteAccess() { registrar.access(Observed(), keyPath: property) }

    // MARK: The item

    /// The item, or `absent` if none is stored. It was the current one at some time during the call. Records the access for
    /// Observation.
    @inline(__always)
    func item(orIfAbsent absent: @autoclosure () -> Item) throws(NotReady) -> Item {
        noteAccess()
        let stamp = ready.currentStamp
        return stamp & 1 == 0 ? try item(of: stamp) : absent()
    }

    /// The same, but nil if none is stored. An optional item type would cost a metadata lookup.
    @inline(__always)
    func itemIfAny() throws(NotReady) -> Item? {
        noteAccess()
        let stamp = ready.currentStamp
        return stamp & 1 == 0 ? try item(of: stamp) : nil
    }

    @inline(__always)
    private func item(of stamp: UInt64) throws(NotReady) -> Item {
        guard stamp != 0 else { throw NotReady() }
        guard isBytes else { return try boxedItem() }
        let bytes = try ready.bytes(of: stamp)
        // Sound: they are the bytes of an item that consists of nothing else, aligned to 8.
        return bytes.span.bytes.unsafeLoad(as: Item.self)
    }

    @inline(__always)
    private func boxedItem() throws(NotReady) -> Item {
        lock.lock()
        defer { lock.unlock() }
        guard let box else { throw NotReady() }
        // Copying a Swift value runs no user code; releasing one may, and is not done here.
        return box._withUnsafeGuaranteedRef { $0.value }
    }

    /// Lets readers get `item`, nil if nothing is stored, without examining the content, unless the content has changed.
    func makeReady(_ item: Item?, ifStill expected: UInt64) {
        // The old item is released without the lock.
        let old = withState { state -> Box<Item>? in
            guard state.revision == expected, ready.currentStamp >> 1 != expected else { return nil }
            let old = exchange(item)
            ready.endWriting(expected << 1 | (item == nil ? 1 : 0))
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Replaces the ready item, and returns an object to release without the lock.
    private func exchange(_ item: Item?) -> Box<Item>? {
        ready.beginWriting()
        guard !isBytes else {
            if let item { withUnsafeBytes(of: item) { ready.write($0) } } else { ready.write(nil) }
            return nil
        }
        let old = box
        box = item.map { .passRetained(Box($0)) }
        return old?.takeRetainedValue()
    }

    // MARK: Readers

    /// Adds a reader, whose first element is the current content and who misses no later one.
    func subscribe(_ limit: BufferLimit) -> ActiveSubscription<Content> {
        let subscription = withState { state in
            let subscription = Subscription(first: state.content, limit: limit)
            state.subscriptions[ObjectIdentifier(subscription)] = subscription
            return subscription
        }
        return ActiveSubscription(subscription) { [self] in
            let identifier = ObjectIdentifier(subscription)
            _ = withState { $0.subscriptions.removeValue(forKey: identifier) }
        }
    }

    /// How many iterations are active.
    var subscriptionCount: Int { withState { $0.subscriptions.count } }
}

extension LiveValue: CustomReflectable {
    /// A mirror without children, because the content may be a secret.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

private let lastRevision = Atomic<UInt64>(0)

/// A number that no content of any live value has had.
private func newRevision() -> UInt64 { lastRevision.add(1, ordering: .relaxed).newValue }

/// What observers observe. It is empty, so that passing it counts no references.
private struct Observed: Observable {
    var content: Void { () }
}
