// The settings that this machine shares with others.

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
    /// Each iteration subscribes separately; dropping its iterator unsubscribes, and so does cancelling its task, which ends it.
    /// A slow reader gets the last status only. Two elements in a row are never equal.
    ///
    /// ```swift
    /// for await status in PreferencesFile.standard.fleetStatuses {
    ///     if case .stale(_, let why) = status { print("Settings may be outdated: \(why)") }
    /// }
    /// ```
    public var fleetStatuses: some AsyncSequence<FleetStatus, Never> & Sendable { FleetStatuses(store: store) }

    /// What the agent says of its own troubles, if anything: for doctor, where ``FleetStatus/never`` has no reason.
    package var fleetComplaint: String? { store.fleetEvidence?.complaint }
}

/// The status now, then every change of it.
struct FleetStatuses: AsyncSequence, Sendable {
    typealias Element = FleetStatus
    typealias Failure = Never

    let store: PreferencesStore
    var freshness = FleetReport.freshness

    func makeAsyncIterator() -> Iterator {
        let (statuses, continuation) = AsyncStream.makeStream(of: FleetStatus.self, bufferingPolicy: .bufferingNewest(1))
        let watch = FleetWatch.begin(store, freshness: freshness) { continuation.yield($0) }
        if watch == nil { continuation.yield(.none) }  // and never another
        return Iterator(elements: statuses.makeAsyncIterator(), watch: watch)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var elements: AsyncStream<FleetStatus>.Iterator
        /// Watches as long as the iterator is there.
        private(set) var watch: FleetWatch?
        private var last: FleetStatus?

        fileprivate init(elements: AsyncStream<FleetStatus>.Iterator, watch: FleetWatch?) {
            (self.elements, self.watch) = (elements, watch)
        }

        mutating func next() async -> FleetStatus? { await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> FleetStatus? {
            while let status = await elements.next(isolation: actor) {
                // What came in between may have been dropped.
                guard status != last else { continue }
                last = status
                return status
            }
            watch = nil
            return nil
        }
    }
}
