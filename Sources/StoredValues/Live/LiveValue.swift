import Observation
import StoredValuesSupport
import Synchronization

/// Something that changes and has readers: the content now, those who iterate over it, and those who observe it.
///
/// Readers' buffers are filled under the lock that the content changes under, so each gets all changes in their order.
/// Waking readers, telling observers and letting go of the old content is left to the ``AfterUnlocking``.
///
/// The content is for anything that may be stored, and looking into it costs 50 times as much as reading an item should. So
/// whoever had to do that makes the item ready for those who come next: as bytes that they copy without a lock, or, where that
/// cannot be, in a box that they copy it from under the lock.
final class LiveValue<Content: Sendable, Item: Sendable>: Sendable {
    private struct State {
        var content: Content
        var revision = newRevision()
        var subscriptions: [ObjectIdentifier: Subscription] = [:]
    }

    // First what a read needs and what is of one size for all types: the compiler knows where that lies.
    /// Says which content the item that is ready belongs to, and holds its bytes. The last bit of the stamp says that nothing
    /// is stored.
    private let ready = SequenceLock()
    /// Whether the item is copied as bytes.
    private let isBytes: Bool
    // Not `Guarded<State>`: its closures would look up types, which takes a reader of the box as long as the lock.
    private let lock = Guarded(())
    /// The item that is ready and is not copied as bytes, retained. Readers do not count the box: that would be two writes to
    /// memory that all of them use.
    nonisolated(unsafe) private var box: Unmanaged<Box<Item>>?  // used under `lock` only, and in `deinit`
    /// Made once: asking for a key path costs more than the rest of a read.
    private let property: any KeyPath<Observed, Void> & Sendable = \Observed.content
    private let registrar = ObservationRegistrar()
    nonisolated(unsafe) private var state: State  // used under `lock` only

    init(_ content: Content) {
        // `Item.self is any BitwiseCopyable` would say it, and is not to be asked at run time.
        isBytes = _isPOD(Item.self) && MemoryLayout<Item>.size <= SequenceLock.capacity && MemoryLayout<Item>.alignment <= 8
        state = State(content: content)
    }

    deinit { box?.release() }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }

    // MARK: The content

    /// The content now, and a number that is another one after every change, and for every live value.
    var current: (content: Content, revision: UInt64) { withState { ($0.content, $0.revision) } }

    /// Puts `content` in place of the old one.
    func change(to content: Content, _ later: inout AfterUnlocking) {
        beginChange()
        put(content, &later)
        endChange()
    }

    /// Keeps readers waiting until ``endChange()``. Of several live values that change as one, all begin before the first is
    /// changed, and none ends before the last is: whoever has read one new content finds no old one.
    func beginChange() {
        lock.lock()
        ready.beginWriting()
    }

    /// Lets readers in again.
    func endChange() { lock.unlock() }

    /// What ``put(_:_:)`` is to replace, between the other two.
    var replaced: (content: Content, revision: UInt64) { (state.content, state.revision) }

    /// Puts `content` in place of the old one, between the other two.
    func put(_ content: Content, _ later: inout AfterUnlocking) {
        if let old = exchange(nil) { later.release(old) }
        later.release(state.content)
        state.content = content
        state.revision = newRevision()
        if !state.subscriptions.isEmpty {
            let box = Box(content)
            for subscription in state.subscriptions.values { subscription.append(box, &later) }
        }
        // Both halves of the notice come after the change: an observer told before it could read the old content on
        // another thread, and would not be told again.
        later.notify { [self] in registrar.withMutation(of: Observed(), keyPath: property) {} }
    }

    /// Puts another form of the same content in its place, unless the content has changed; nobody is told.
    func refine(_ content: Content, ifStill expected: UInt64) {
        // The old form goes when the lock is free.
        let old = withState { state -> Content in
            guard state.revision == expected else { return content }
            let old = state.content
            state.content = content
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Notes that whoever is being observed reads the content.
    @inline(__always)
    func noteAccess() { registrar.access(Observed(), keyPath: property) }

    // MARK: The item

    /// The item, or `absent` when none is stored. What is returned was the content at some time during the call. Observers
    /// are noted.
    @inline(__always)
    func item(orIfAbsent absent: @autoclosure () -> Item) throws(NotReady) -> Item {
        noteAccess()
        let stamp = ready.currentStamp
        return stamp & 1 == 0 ? try item(of: stamp) : absent()
    }

    /// The same, nil when none is stored. As an item of an optional type it would have to be looked up what that is.
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
        // Sound: they are all of an item that is nothing but bytes, and lie at a multiple of 8.
        return bytes.span.bytes.unsafeLoad(as: Item.self)
    }

    @inline(__always)
    private func boxedItem() throws(NotReady) -> Item {
        lock.lock()
        defer { lock.unlock() }
        guard let box else { throw NotReady() }
        // Copying a Swift value runs nobody's code; letting go of one may, and is not done in here.
        return box._withUnsafeGuaranteedRef { $0.value }
    }

    /// Lets readers have `item`, nil where nothing is stored, without looking into the content, unless that is another by now.
    func makeReady(_ item: Item?, ifStill expected: UInt64) {
        // It goes when the lock is free.
        let old = withState { state -> Box<Item>? in
            guard state.revision == expected, ready.currentStamp >> 1 != expected else { return nil }
            let old = exchange(item)
            ready.endWriting(expected << 1 | (item == nil ? 1 : 0))
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Puts the item in the place of the one that was ready, and returns what is to be released when the lock is free.
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

    /// Adds a reader, whose first element is the content now and who misses none after it.
    func subscribe(_ limit: BufferLimit) -> ActiveSubscription<Content> {
        let subscription = withState { state in
            let subscription = Subscription(first: Box(state.content), limit: limit)
            state.subscriptions[ObjectIdentifier(subscription)] = subscription
            return subscription
        }
        return ActiveSubscription(subscription) { [self] in
            let identifier = ObjectIdentifier(subscription)
            _ = withState { $0.subscriptions.removeValue(forKey: identifier) }
        }
    }

    /// How many iterations are going on.
    var subscriptionCount: Int { withState { $0.subscriptions.count } }
}

extension LiveValue: CustomReflectable {
    /// A mirror with no children, for it may hold a secret.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

private let lastRevision = Atomic<UInt64>(0)

/// A number that no content of any live value has had.
private func newRevision() -> UInt64 { lastRevision.add(1, ordering: .relaxed).newValue }

/// What observers observe. It is empty, so that no reference is counted where it is handed over.
private struct Observed: Observable {
    var content: Void { () }
}
