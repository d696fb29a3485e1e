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

    private struct Holder {
        var thread: UInt?
        var activity = Activity.batch
        /// When the last turn ended.
        var lastEnd: ContinuousClock.Instant?
    }

    private let turn = Guarded(())
    /// Apart from the store's state, so that the thread of all watches, which asks for it, never waits for what is done under that.
    private let holder = Guarded(Holder())

    /// What the calling thread is doing inside, or nil when it is outside.
    var activity: Activity? { holder.withLock { $0.thread == currentThreadNumber() ? $0.activity : nil } }

    /// Waits until no other thread is inside. The calling thread must be outside.
    func enter(_ activity: Activity) {
        turn.lock()
        holder.withLock { ($0.thread, $0.activity) = (currentThreadNumber(), activity) }
    }

    /// Lets the next thread in.
    func leave() {
        let now = ContinuousClock.now
        holder.withLock { ($0.thread, $0.lastEnd) = (nil, now) }
        turn.unlock()
    }

    /// Notes that the thread inside is doing something else now.
    func note(_ activity: Activity) { holder.withLock { $0.activity = activity } }

    /// Whether any thread is inside, or was just now.
    var isBusy: Bool {
        let now = ContinuousClock.now
        return holder.withLock { $0.thread != nil || $0.lastEnd.map { now - $0 < .milliseconds(100) } ?? false }
    }
}
