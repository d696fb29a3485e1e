import StoredValuesSupport

/// Lets one change of a file in at a time, and notices a change from inside another, which would wait for itself.
final class ChangeGate: Sendable {
    /// What the thread inside is doing.
    enum Activity: Equatable {
        /// A change, by the name of the call, such as `set(_:) of "theme"`.
        case change(String)
        /// `batch { }`, which other changes of the same thread join.
        case batch
    }

    private struct Occupant {
        var thread: UInt
        var activity: Activity
    }

    private let changes = Guarded(())
    private let occupant = Guarded<Occupant?>(nil)

    /// What the calling thread is doing inside, or nil when it is outside.
    var activity: Activity? {
        occupant.withLock { $0?.thread == currentThreadNumber() ? $0?.activity : nil }
    }

    /// Runs `body` when no other thread is inside. The calling thread must be outside.
    func enter(_ activity: Activity, _ body: () -> Void) {
        changes.withLock { _ in
            occupant.withLock { $0 = Occupant(thread: currentThreadNumber(), activity: activity) }
            body()
            occupant.withLock { $0 = nil }
        }
    }

    /// Runs `body` as another activity of the calling thread, which is inside already.
    func during(_ activity: Activity, _ body: () -> Void) {
        let outer = self.activity
        occupant.withLock { $0?.activity = activity }
        body()
        if let outer { occupant.withLock { $0?.activity = outer } }
    }
}
