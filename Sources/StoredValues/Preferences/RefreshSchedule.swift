import Dispatch
import Locking

/// Decides when a watched file is read again: at once when what is there is whole, later while a writer is at work.
final class RefreshSchedule: Sendable {
    /// How long a writer may pause before what it has written so far counts.
    static let patience = Duration.milliseconds(200)
    /// How long a file may be missing before it counts as deleted: some programs delete it just before they write it anew.
    private static let absence = Duration.milliseconds(10)

    private struct State {
        /// Grows with every event: a later event makes a delayed reading pointless.
        var events = 0
        /// Whether a reading is about to begin, which will see what the event is about.
        var isQueued = false
    }

    private let state = Guarded(State())
    private let queue: DispatchQueue
    private let refresh: @Sendable () -> Void

    /// A schedule that runs `refresh` on `queue`, which is serial.
    init(on queue: DispatchQueue, _ refresh: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.refresh = refresh
    }

    /// Notes that something happened to the file.
    func note(_ event: FileWatch.Event) {
        switch event {
        case .replaced, .uncertain: readNow()
        case .removed: read(after: Self.absence)
        case .beingWritten, .movedAway: read(after: Self.patience)
        }
    }

    private func readNow() {
        let isFirst = state.withLock { state in
            state.events += 1
            defer { state.isQueued = true }
            return !state.isQueued
        }
        guard isFirst else { return }
        queue.async { [self] in
            state.withLock { $0.isQueued = false }
            refresh()
        }
    }

    /// Reads after `delay`, unless something else happens before.
    private func read(after delay: Duration) {
        let number = state.withLock { state in
            state.events += 1
            return state.events
        }
        queue.asyncAfter(deadline: .now() + delay.dispatchInterval) { [self] in
            if state.withLock({ $0.events }) == number { refresh() }
        }
    }
}
