import Dispatch
import StoredValuesFiles
import StoredValuesSupport

/// Tells the status of the fleet's settings, and each change of it: when the agent's report or the mirror changes, and when the
/// last confirmation grows too old. Ends when it is released.
final class FleetWatch: Sendable {
    private struct State {
        var watches: [FileWatch] = []
        /// Fires when the confirmation is too old; created when there is the first one.
        var timer: (any DispatchSourceTimer)?
        var told: FleetStatus?
    }

    private let store: PreferencesStore
    private let freshness: Duration
    private let tell: @Sendable (FleetStatus) -> Void
    private let state = Guarded(State())
    private let retries = RetryThread()

    private init(_ store: PreferencesStore, freshness: Duration, tell: @escaping @Sendable (FleetStatus) -> Void) {
        (self.store, self.freshness, self.tell) = (store, freshness, tell)
    }

    deinit { state.withLock { $0.timer }?.cancel() }

    /// Begins to watch the files below `store`, and calls `tell` on its queue with the status, then with each other one. Nil if
    /// there is no mirror to watch.
    static func begin(
        _ store: PreferencesStore, freshness: Duration = FleetReport.freshness, tell: @escaping @Sendable (FleetStatus) -> Void
    ) -> FleetWatch? {
        guard let mirror = store.fleetMirror else { return nil }
        let watch = FleetWatch(store, freshness: freshness, tell: tell)
        let report = DurableFile(path: FleetFolder.report(onMirror: mirror.path))
        let queue = store.queues.watching
        queue.async { [weak watch] in
            guard watch != nil else { return }
            let watches = [report, mirror].map { file in
                let schedule = RefreshSchedule(on: queue) { [weak watch] in watch?.look() }
                return FileWatch(file) { schedule.note($0) }
            }
            watch?.state.withLock { $0.watches = watches }
            watch?.look()
        }
        return watch
    }

    /// Looks what the status is, on the queue. It is told unless it is the same as before.
    private func look() {
        guard let evidence = store.fleetEvidence else { return }
        let status = evidence.status(freshness: freshness)
        if case .current = status, let age = evidence.age { lookAgain(after: freshness - age) }
        if evidence.isForLackOfRoom {
            retries.request { [weak self] in
                guard let self else { return }
                store.queues.watching.async { [weak self] in self?.look() }
            }
        }
        let isNew = state.withLock { state in
            defer { state.told = status }
            return state.told != status
        }
        if isNew { tell(status) }
    }

    private func lookAgain(after pause: Duration) {
        let timer = state.withLock { state in
            if let timer = state.timer { return timer }
            let timer = DispatchSource.makeTimerSource(queue: store.queues.watching)
            timer.setEventHandler { [weak self] in self?.look() }
            state.timer = timer
            timer.activate()
            return timer
        }
        timer.schedule(deadline: .now() + pause.dispatchInterval)
    }
}
