import StoredValuesSupport

/// Lets one change of a file in at a time in this process, and knows which thread is inside: a change from inside another one
/// would wait for itself.
struct TurnLock: ~Copyable, Sendable {
    /// What the thread inside is doing.
    enum Activity: Equatable, CustomStringConvertible {
        /// A change, by the name of the call and of the key. They are not put together: nearly always nobody asks.
        case change(String, key: String?)
        /// `batch { }`, which other changes of the same thread join.
        case batch

        var description: String {
            switch self {
            case .change(let call, let key): call + (key.map { " of \"\($0)\"" } ?? "")
            case .batch: "batch { }"
            }
        }
    }

    /// Where a thread stands: inside how many changes of the file, none when it is outside.
    struct Position: Hashable {
        let thread: UInt
        let depth: Int
    }

    private struct Holder {
        var thread: UInt?
        var activity = Activity.batch
        /// Inside how many changes the thread is.
        var depth = 0
        /// When the last turn ended.
        var lastEnd: ContinuousClock.Instant?
    }

    private let turn = Guarded(())
    /// Apart from the store's state, so that the thread of all watches, which asks for it, never waits for what is done under that.
    private let holder = Guarded(Holder())

    /// What the calling thread is doing inside, or nil when it is outside.
    var activity: Activity? { holder.withLock { $0.thread == currentThreadNumber() ? $0.activity : nil } }

    /// Where the calling thread stands.
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

    /// Notes that the thread inside begins a change inside the one that it makes.
    func beginInner(_ activity: Activity) { holder.withLock { ($0.activity, $0.depth) = (activity, $0.depth + 1) } }

    /// Notes that it goes on with the outer one.
    func endInner(outer: Activity) { holder.withLock { ($0.activity, $0.depth) = (outer, $0.depth - 1) } }

    /// Whether any thread is inside, or was just now.
    var isBusy: Bool {
        let now = ContinuousClock.now
        return holder.withLock { $0.thread != nil || $0.lastEnd.map { now - $0 < .milliseconds(100) } ?? false }
    }
}
