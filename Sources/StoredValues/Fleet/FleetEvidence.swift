import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// What is known of the fleet's settings on this machine, from which their status follows.
struct FleetEvidence: Sendable {
    enum Report: Sendable, Equatable {
        /// There is none at this path.
        case missing(path: String)
        /// It cannot be read, or not understood, for this reason, which also says what to do.
        case broken(why: String)
        case found(FleetReport)

        fileprivate var content: FleetReport? { if case .found(let report) = self { report } else { nil } }
    }

    enum Mirror: Sendable {
        case missing
        case whole(modified: Date)
        /// It cannot be read for this reason, which also says what to do; its time may not be known either.
        case broken(why: String, modified: Date?)
    }

    let report: Report
    let mirror: Mirror
    /// The age of the confirmation in the report; nil if there is none, or it is not of this boot.
    let age: Duration?
    /// How long the agent has not reported; nil if that is not known, or was before this boot.
    var silence: Duration?
    /// The digest of the mirror that this process has read; nil if it has read none.
    var digest: String?
    /// When this process first looked: the time of what has no time of its own.
    let firstLook: Date
    /// Since when this process cannot use the secrets that are beside the mirror, and why; nil if it can, or has not tried.
    var secretsTrouble: (since: Date, why: String)?
    /// Whether something could not be read because a resource was exhausted, which ends without an event.
    var isForLackOfRoom = false

    /// The status. A confirmation that is older than `freshness` counts for nothing.
    func status(freshness: Duration = FleetReport.freshness) -> FleetStatus {
        switch (mirror, report) {
        case (.broken(let why, let modified), _):
            .stale(since: modified ?? confirmed ?? firstLook, why: why)
        case (.missing, .missing): .none
        case (.missing, .broken(let why)): .stale(since: firstLook, why: why)
        case (.missing, .found): .never
        case (.whole(let modified), .broken(let why)): .stale(since: modified, why: why)
        case (.whole(let modified), .missing(let path)):
            .stale(
                since: modified,
                why: """
                    No agent has reported on them since this machine started: there is no "\(path)". Start the agent \
                    (stored-values-fleet agent); in a container, mount that folder too.
                    """)
        case (.whole(let modified), .found(let report)):
            switch report.state {
            case .stale(let since, let why):
                .stale(
                    since: since,
                    why: report.alive == nil || isAlive(freshness)
                        ? why : "\(why) The agent has not reported since: it has ended, or is stuck. Check its log, and restart it.")
            case .current(let revision):
                if let age, age < freshness {
                    if !isAsReported {
                        .stale(
                            since: confirmed ?? modified,
                            why: """
                                Something other than the agent changed or replaced the file with the settings. A running agent rewrites it \
                                at once; check its log.
                                """)
                    } else if let secretsTrouble {
                        .stale(since: secretsTrouble.since, why: "This program cannot use the fleet's secrets on this machine: \(secretsTrouble.why)")
                    } else {
                        .current(revision: revision)
                    }
                } else {
                    .stale(
                        since: confirmed ?? modified,
                        why: isAlive(freshness)
                            ? "The agent runs, but has not confirmed them since. Check its log."
                            : "The agent has not confirmed them since: it has ended, or is stuck. Check its log, and restart it.")
                }
            }
        }
    }

    /// After how long the status may change by itself.
    func pause(freshness: Duration) -> Duration? { [age, silence].compactMap(\.self).filter { $0 < freshness }.max().map { freshness - $0 } }

    private func isAlive(_ freshness: Duration) -> Bool { silence.map { $0 < freshness } ?? false }

    /// Whether the mirror is what the agent wrote, as far as the report says. One that is there and was not read is not.
    var isAsReported: Bool {
        guard let written = report.content?.mirror, case .whole = mirror else { return true }
        return digest.map { digest in written.contains { $0.isIdentical(to: digest) } } ?? false
    }

    /// What the agent says of its own troubles, if anything.
    var complaint: String? { if case .stale(_, let why)? = report.content?.state { why } else { nil } }

    private var confirmed: Date? { report.content?.confirmed?.date }
}

extension PreferencesStore {
    /// The file with the fleet's settings among the layers, if there is one.
    var fleetMirror: DurableFile? { layers.first { $0.kind.source == .fleet }?.file }

    /// What is known now, with the mirror's current content taken over; nil if this file has no mirror below it.
    var fleetEvidence: FleetEvidence? {
        guard let mirror = fleetMirror else { return nil }
        // The report first: the agent writes it after the mirror, so what it says holds for the mirror that is read after it. Where
        // the agent has replaced both in between, they are read again; a few times, for others could do so without end.
        var evidence = fleetEvidence(mirror)
        for _ in 0..<10 where !evidence.isAsReported {
            let before = evidence.report
            evidence = fleetEvidence(mirror)
            if evidence.report == before { break }
        }
        return evidence
    }

    private func fleetEvidence(_ mirror: DurableFile) -> FleetEvidence {
        let (report, isForLackOfRoom) = FleetEvidence.Report.read(FleetFolder.report(onMirror: mirror.path))
        let (layer, trouble) = refreshLayer(mirror)
        let modified = (layer?.identity ?? (try? mirror.currentIdentity())).map { identity in
            Date(timeIntervalSince1970: Double(identity.modified) / 1_000_000_000)
        }
        let state: FleetEvidence.Mirror =
            if let trouble {
                .broken(why: trouble.text, modified: modified)
            } else {
                modified.map { .whole(modified: $0) } ?? .missing
            }
        return FleetEvidence(
            report: report, mirror: state, age: report.content?.confirmed?.age, silence: report.content?.alive?.age,
            digest: layer?.digest.map(FleetReport.name(of:)), firstLook: firstLook,
            secretsTrouble: UnusableSecrets.trouble(at: FleetFolder.secrets(besideMirror: mirror.path)),
            isForLackOfRoom: isForLackOfRoom || trouble?.isLackOfRoom == true)
    }
}

extension FleetEvidence.Report {
    fileprivate static func read(_ path: String) -> (FleetEvidence.Report, isForLackOfRoom: Bool) {
        let file = DurableFile(path: path)
        do throws(FileError) {
            // A file of any size may lie there.
            guard let identity = try file.currentIdentity() else { return (.missing(path: path), false) }
            guard identity.size <= FleetReport.sizeLimit else { return (.notOne(path), false) }
            guard let bytes = try file.read()?.bytes else { return (.missing(path: path), false) }
            return (FleetReport(parsing: bytes).map { .found($0) } ?? .notOne(path), false)
        } catch {
            // Nothing can be in a folder that is a file.
            return (error.code == .notFolder ? .missing(path: path) : .broken(why: error.description), error.isLackOfRoom)
        }
    }

    private static func notOne(_ path: String) -> FleetEvidence.Report {
        .broken(why: "\"\(path)\" is not a valid agent report. Restart the agent; if that does not help, update the program.")
    }
}

private let firstLook = Date.now
