import Dispatch
import StoredValuesFiles
import StoredValuesSupport

/// Tells the status of the fleet's settings, and each change of it: when the agent's report or the mirror changes, and when the
/// last confirmation, or sign of the agent's life, grows too old. Ends when it is released.
final class FleetWatch: Sendable {
    private struct State {
        var watches: [FileWatch] = []
        /// Rings when one of these is too old.
        var alarm: Alarm?
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

    deinit { state.withLock { $0.alarm }?.cancel() }

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
        if let pause = evidence.pause(freshness: freshness) { lookAgain(after: pause) }
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
        let alarm = try? Alarm.set(after: pause) { [weak self, queue = store.queues.watching] in queue.async { [weak self] in self?.look() } }
        let last = state.withLock { state in
            defer { state.alarm = alarm }
            return state.alarm
        }
        last?.cancel()
    }
}
