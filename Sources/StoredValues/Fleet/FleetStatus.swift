import Dispatch
public import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// How fresh the settings are that this program shares with other machines.
///
/// An agent keeps them in a file on this machine, the mirror, and reports how fresh that is. Programs read the mirror whatever the
/// status is; nothing falls back to defaults.
public enum FleetStatus: Sendable, Hashable {
    /// No agent keeps settings for this file here.
    case none
    /// An agent runs, or ran, but has never been able to read the settings: there are none on this machine yet.
    case never
    /// This machine has every change of the settings up to this revision of the cluster.
    case current(revision: Int)
    /// The settings may be outdated since then. The reason also says what to do.
    case stale(since: Date, why: String)
}

extension FleetStatus: CustomStringConvertible {
    /// The status as sentences.
    public var description: String {
        switch self {
        case .none: "No fleet settings are kept here."
        case .never: "The fleet's settings were never read here: there are none on this machine yet."
        case .current(let revision): "The fleet's settings are current (revision \(revision))."
        case .stale(let since, let why): "The fleet's settings may be outdated since \(since.hasFourDigitYear ? since.formatted(.iso8601) : "an unknown time"). \(why)"
        }
    }
}

extension Date {
    /// Whether the year has four digits. Other dates are not from an agent, and Foundation cannot format all of them.
    var hasFourDigitYear: Bool { timeIntervalSinceReferenceDate > -63_000_000_000 && timeIntervalSinceReferenceDate < 252_000_000_000 }
}

extension PreferencesFile {
    /// How fresh the settings are that this program shares with other machines.
    ///
    /// The agent's report is read now, and so is the mirror if it has changed: when this is ``FleetStatus/current(revision:)``,
    /// every reader in this process sees the settings of that revision or a later one. Blocks the thread while reading these two
    /// small files. Only ``standard`` has settings of a fleet; for every other file, and inside `withTemporaryStorage`, this is
    /// ``FleetStatus/none``.
    public var fleetStatus: FleetStatus { store.fleetEvidence?.status() ?? .none }

    /// The status now, then every change of it, without polling: also when the agent ends or hangs, at the latest 10 s after it
    /// last confirmed that the settings are fresh.
    ///
    /// Each iteration subscribes separately; dropping its iterator unsubscribes, and cancelling its task ends it. A slow reader gets
    /// the last status only. Two elements in a row are never equal.
    ///
    /// ```swift
    /// for await status in PreferencesFile.standard.fleetStatuses {
    ///     if case .stale(_, let why) = status { print("Settings may be outdated: \(why)") }
    /// }
    /// ```
    public var fleetStatuses: LiveValues<FleetStatus> { FleetWatch.statuses(of: store) }

    /// The agent's own reason why the settings are stale, if it reports one: for doctor, because ``FleetStatus/never`` has no reason.
    package var fleetComplaint: String? { store.fleetEvidence?.complaint }
}

/// Watches the status of the fleet's settings, which changes when the agent's report or the mirror changes, and when the last confirmation
/// or sign of life becomes too old. Ends when it is released.
final class FleetWatch: Sendable {
    private let store: PreferencesStore
    private let freshness: Duration
    private let tell: @Sendable (FleetStatus) -> Void
    private let watches = Guarded<[FileWatch]>([])
    /// Rings when the confirmation or the sign of life is too old.
    private let alarm = Guarded<Alarm?>(nil)
    private let retries = RetryThread()

    deinit { alarm.withLock { $0 }?.cancel() }

    /// Watches the layers of `store`, and calls `tell` on its queue with the status, now and whenever it may have changed. Nil without a mirror.
    init?(_ store: PreferencesStore, freshness: Duration, tell: @escaping @Sendable (FleetStatus) -> Void) {
        guard let mirror = store.fleetMirror else { return nil }
        (self.store, self.freshness, self.tell) = (store, freshness, tell)
        let report = DurableFile(path: FleetFolder.report(onMirror: mirror.path))
        let queue = store.queues.watching
        queue.async { [weak self] in
            guard self != nil else { return }
            let watches = [report, mirror].map { file in
                let schedule = RefreshSchedule(on: queue) { [weak self] in self?.look() }
                return FileWatch(file) { schedule.note($0) }
            }
            self?.watches.withLock { $0 = watches }
            self?.look()
        }
    }

    /// Determines the status, on the queue.
    private func look() {
        guard let evidence = store.fleetEvidence else { return }
        let queue = store.queues.watching
        if let pause = evidence.pause(freshness: freshness) {
            let next = try? Alarm.set(after: pause) { [weak self] in queue.async { [weak self] in self?.look() } }
            alarm.withLock { exchange(&$0, with: next) }?.cancel()
        }
        // Waited for, so that what fails again is tried again after a longer pause.
        if evidence.isForLackOfRoom { retries.request { [weak self] in queue.sync { [weak self] in self?.look() } } }
        tell(evidence.status(freshness: freshness))
    }
}

extension FleetWatch {
    /// The status of the settings below `store` now, then every change of it; a slow reader gets only the last.
    static func statuses(of store: PreferencesStore, freshness: Duration = FleetReport.freshness) -> LiveValues<FleetStatus> {
        LiveValues(
            subscribe: { () -> ActiveSubscription<FleetStatus> in
                let subscription = Subscription(limit: .newest(1))
                let tell = { @Sendable (status: FleetStatus) in
                    var later = AfterUnlocking()
                    subscription.append(Box(status), &later)
                    later.run()
                }
                let watch = FleetWatch(store, freshness: freshness, tell: tell)
                if watch == nil { tell(.none) }  // the only status
                return ActiveSubscription(subscription) { withExtendedLifetime(watch) {} }
            },
            makeTransform: {
                var last: FleetStatus?
                return { exchange(&last, with: $0) == $0 ? nil : $0 }  // statuses in between may have been dropped
            })
    }
}
