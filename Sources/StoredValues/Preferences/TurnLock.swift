import StoredValuesSupport

/// Admits one change of a file at a time in this process, and knows the thread inside: a change inside another one would wait
/// for itself.
struct TurnLock: ~Copyable, Sendable {
    /// What the thread inside is doing.
    enum Activity: Equatable, CustomStringConvertible {
        /// A change: the call and the key. They are formatted only if needed.
        case change(String, key: String?)
        /// `batch { }`, which includes other changes of the same thread.
        case batch

        var description: String {
            switch self {
            case .change(let call, let key): call + (key.map { " of \"\($0)\"" } ?? "")
            case .batch: "batch { }"
            }
        }
    }

    /// A thread, and how many nested changes of the file it is in; 0 outside.
    struct Position: Hashable {
        let thread: UInt
        let depth: Int
    }

    private struct Holder {
        var thread: UInt?
        var activity = Activity.batch
        /// How many nested changes the thread is in.
        var depth = 0
        /// When the last turn ended.
        var lastEnd: ContinuousClock.Instant?
    }

    private let turn = Guarded(())
    /// Separate from the store's state, so that the watch thread, which asks for it, never waits for work done under that.
    private let holder = Guarded(Holder())

    /// What the calling thread is doing inside, or nil if it is outside.
    var activity: Activity? { holder.withLock { $0.thread == currentThreadNumber() ? $0.activity : nil } }

    /// The position of the calling thread.
    var position: Position {
        let thread = currentThreadNumber()
        return Position(thread: thread, depth: holder.withLock { $0.thread == thread ? $0.depth : 0 })
    }

    /// Waits until no other thread is inside. The calling thread must be outside.
    func enter(_ activity: Activity) {
        turn.lock()
        holder.withLock { ($0.thread, $0.activity, $0.depth) = (currentThreadNumber(), activity, 1) }
    }

    /// Lets the next thread in.
    func leave() {
        let now = ContinuousClock.now
        holder.withLock { ($0.thread, $0.lastEnd) = (nil, now) }
        turn.unlock()
    }

    /// Notes that the thread inside begins a nested change.
    func beginInner(_ activity: Activity) { holder.withLock { ($0.activity, $0.depth) = (activity, $0.depth + 1) } }

    /// Notes that it returns to the outer one.
    func endInner(outer: Activity) { holder.withLock { ($0.activity, $0.depth) = (outer, $0.depth - 1) } }

    /// Whether any thread is inside, or was a moment ago.
    var isBusy: Bool {
        let now = ContinuousClock.now
        return holder.withLock { $0.thread != nil || $0.lastEnd.map { now - $0 < .milliseconds(100) } ?? false }
    }
}
