import Observation
import Synchronization

/// What every reader of a live value looks at, without a lock. It is not generic: reading would have to look the type up.
final class ContentSignal: Sendable {
    /// What observers observe. A struct, for that is handed over without being counted.
    private struct Observed: Observable {
        var content: Void { () }
    }

    private let registrar = ObservationRegistrar()
    /// Made once: asking for a key path costs more than the rest of a read.
    private let property: any KeyPath<Observed, Void> & Sendable = \Observed.content
    /// Another number for each content that was made ready for reading; 0 while none is.
    private let stamp = Atomic<UInt64>(0)

    // MARK: Observers

    /// Notes that whoever is being observed reads the content.
    func noteAccess() {
        registrar.access(Observed(), keyPath: property)
    }

    /// Tells observers that the content has changed.
    func tellObservers() {
        registrar.withMutation(of: Observed(), keyPath: property) {}
    }

    // MARK: Readiness

    /// The number of the content that is ready for reading, or 0.
    var readyStamp: UInt64 { stamp.load(ordering: .acquiring) }

    /// Whether what was read since `stamp` was asked for belongs to it.
    func isStill(_ stamp: UInt64) -> Bool {
        atomicMemoryFence(ordering: .acquiring)
        return self.stamp.load(ordering: .relaxed) == stamp
    }

    /// Says that a content is ready, or with 0 that it is one no longer.
    func setReady(_ stamp: UInt64) {
        self.stamp.store(stamp, ordering: .releasing)
        // What is written next, for another content, must not be seen before that.
        atomicMemoryFence(ordering: .releasing)
    }
}
