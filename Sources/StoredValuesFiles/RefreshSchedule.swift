package import Dispatch
import StoredValuesSupport

/// Decides when a watched file is read again: at once if it is complete, later while a program is writing it.
package final class RefreshSchedule: Sendable {
    /// How long a writer may pause before its output so far counts as complete, unless specified otherwise.
    package static let patience = Duration.milliseconds(200)
    /// How long a file may be missing before it counts as deleted: some programs delete it just before they write it again.
    private static let absence = Duration.milliseconds(10)

    private struct State {
        /// Incremented by every event: a later event cancels a delayed read.
        var events = 0
        /// Whether a read is about to begin, which covers the event too.
        var isQueued = false
        /// The duration of the last read.
        var cost = Duration.zero
    }

    private let state = Guarded(State())
    private let queue: DispatchQueue
    private let patience: Duration
    private let isOwnerBusy: @Sendable () -> Bool
    private let refresh: @Sendable () -> Void

    /// A schedule that runs `refresh` on the serial `queue`. While `isOwnerBusy`, the owner reads the file with each of its own changes,
    /// and processes that all change one file would otherwise be busy reading each other's.
    package init(
        on queue: DispatchQueue, patience: Duration = patience, isOwnerBusy: @escaping @Sendable () -> Bool = { false },
        _ refresh: @escaping @Sendable () -> Void
    ) {
        (self.queue, self.patience) = (queue, patience)
        (self.isOwnerBusy, self.refresh) = (isOwnerBusy, refresh)
    }

    package func note(_ event: FileWatch.Event) {
        switch event {
        case .replaced, .uncertain: readNow()
        case .removed: read(after: Self.absence)
        case .beingWritten, .movedAway: read(after: patience)
        }
    }

    private func readNow() {
        let (isFirst, cost) = state.withLock { state in
            state.events += 1
            return (!exchange(&state.isQueued, with: true), state.cost)
        }
        guard isFirst else { return }
        // While the owner is changing the file itself, a read is delayed by ten times what the last one took, within bounds.
        let delay: Duration = isOwnerBusy() ? min(max(.milliseconds(10), cost * 10), .milliseconds(200)) : .zero
        queue.async(after: delay) { [self] in
            state.withLock { $0.isQueued = false }
            let cost = ContinuousClock().measure(refresh)
            state.withLock { $0.cost = cost }
        }
    }

    /// Reads after `delay`, unless another event occurs before.
    private func read(after delay: Duration) {
        let number = state.withLock { state in
            state.events += 1
            return state.events
        }
        queue.async(after: delay) { [self] in
            if state.withLock({ $0.events }) == number { refresh() }
        }
    }
}
