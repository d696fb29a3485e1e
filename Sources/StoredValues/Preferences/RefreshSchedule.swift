import Dispatch
import StoredValuesFiles
import StoredValuesSupport

/// Decides when a watched file is read again: at once when what is there is whole, later while a writer is at work.
final class RefreshSchedule: Sendable {
    /// How long a writer may pause before what it has written so far counts, unless told otherwise.
    static let patience = Duration.milliseconds(200)
    /// How long a file may be missing before it counts as deleted: some programs delete it just before they write it anew.
    private static let absence = Duration.milliseconds(10)
    /// How long reading is put off for an owner that is at work on the file itself: so many times as long as reading
    /// takes, within these bounds.
    private static let restFactor = 10
    private static let shortestRest = Duration.milliseconds(10)
    private static let longestRest = Duration.milliseconds(200)

    private struct State {
        /// Grows with every event: a later event makes a delayed reading pointless.
        var events = 0
        /// Whether a reading is about to begin, which will see what the event is about.
        var isQueued = false
        /// How long reading took last.
        var cost = Duration.zero
    }

    private let state = Guarded(State())
    private let queue: DispatchQueue
    private let patience: Duration
    private let isOwnerBusy: @Sendable () -> Bool
    private let refresh: @Sendable () -> Void

    /// A schedule that runs `refresh` on `queue`, which is serial.
    ///
    /// - Parameter isOwnerBusy: Whether the owner is changing the file itself. It reads the file with each change then, and
    ///   processes that all change one file would otherwise be busy reading after each other.
    init(
        on queue: DispatchQueue, patience: Duration = patience, isOwnerBusy: @escaping @Sendable () -> Bool = { false },
        _ refresh: @escaping @Sendable () -> Void
    ) {
        (self.queue, self.patience) = (queue, patience)
        (self.isOwnerBusy, self.refresh) = (isOwnerBusy, refresh)
    }

    /// Notes that something happened to the file.
    func note(_ event: FileWatch.Event) {
        switch event {
        case .replaced, .uncertain: readNow()
        case .removed: read(after: Self.absence)
        case .beingWritten, .movedAway: read(after: patience)
        }
    }

    private func readNow() {
        let isFirst = state.withLock { state in
            state.events += 1
            defer { state.isQueued = true }
            return !state.isQueued
        }
        guard isFirst else { return }
        let rest = min(max(Self.shortestRest, state.withLock { $0.cost } * Self.restFactor), Self.longestRest)
        let delay = isOwnerBusy() ? rest : .zero
        queue.asyncAfter(deadline: .now() + delay.dispatchInterval) { [self] in
            state.withLock { $0.isQueued = false }
            let cost = ContinuousClock().measure(refresh)
            state.withLock { $0.cost = cost }
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
