package import FoundationEssentials
package import StoredValuesFiles
import StoredValuesSupport

/// What this machine knows about the freshness of the fleet's settings. Their status follows from it.
struct FleetEvidence: Sendable {
    enum Report: Sendable, Equatable {
        /// There is none at this path.
        case missing(path: String)
        /// It cannot be read or is not valid; the reason also says what to do.
        case broken(why: String)
        case found(FleetReport)

        fileprivate var content: FleetReport? { if case .found(let report) = self { report } else { nil } }
    }

    enum Mirror: Sendable {
        case missing
        case whole(modified: Date)
        /// It cannot be read; the reason also says what to do. Its time may not be known either.
        case broken(why: String, modified: Date?)
    }

    let report: Report
    let mirror: Mirror
    /// The age of the confirmation in the report; nil if there is none, or it is from another boot.
    let age: Duration?
    /// The time since the agent's last report; nil if that is not known or was in another boot.
    var silence: Duration?
    /// The digest of the mirror that this process has read; nil if it has not read it.
    var digest: String?
    /// When this process first looked: used where no other time is known.
    let firstLook: Date
    /// Since when and why this process cannot use the secrets beside the mirror; nil if it can, or has not tried.
    var secretsTrouble: (since: Date, why: String)?
    /// Whether a file could not be read for lack of a resource, such as descriptors, whose return causes no event.
    var isForLackOfRoom = false

    /// The status. A confirmation older than `freshness` does not count.
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

    /// The time after which the status may change without an event.
    func pause(freshness: Duration) -> Duration? { [age, silence].compactMap(\.self).filter { $0 < freshness }.max().map { freshness - $0 } }

    private func isAlive(_ freshness: Duration) -> Bool { silence.map { $0 < freshness } ?? false }

    /// Whether the mirror has a digest that the report names, or the report names none. A mirror that was not read does not.
    var isAsReported: Bool {
        guard let written = report.content?.mirror, case .whole = mirror else { return true }
        return digest.map { digest in written.contains { $0.isIdentical(to: digest) } } ?? false
    }

    /// The agent's own reason why the settings are stale, if it reports one.
    var complaint: String? { if case .stale(_, let why)? = report.content?.state { why } else { nil } }

    private var confirmed: Date? { report.content?.confirmed?.date }
}

extension PreferencesStore {
    /// The file with the fleet's settings among the layers, if there is one.
    var fleetMirror: DurableFile? { layers.first { $0.kind.source == .fleet }?.file }

    /// The evidence now, after reading the mirror's current content; nil if no layer of this file is a mirror.
    var fleetEvidence: FleetEvidence? {
        guard let mirror = fleetMirror else { return nil }
        // The report first: the agent writes it after the mirror, so it is valid for a mirror that is read later. If the agent has replaced
        // both in between, they are read again. The number is limited, in case another process keeps replacing them.
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
        let modified = (layer?.identity ?? (try? mirror.currentIdentity()))?.modificationDate
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

extension FileIdentity {
    package var modificationDate: Date { Date(timeIntervalSince1970: Double(modified) / 1_000_000_000) }
}

extension FleetEvidence.Report {
    fileprivate static func read(_ path: String) -> (FleetEvidence.Report, isForLackOfRoom: Bool) {
        let file = DurableFile(path: path)
        do throws(FileError) {
            guard let identity = try file.currentIdentity() else { return (.missing(path: path), false) }
            // Before it is read: the file may have any size.
            guard identity.size <= FleetReport.sizeLimit else { return (.notOne(path), false) }
            guard let bytes = try file.read()?.bytes else { return (.missing(path: path), false) }
            return (FleetReport(parsing: bytes).map { .found($0) } ?? .notOne(path), false)
        } catch {
            // If a parent is not a folder, the file does not exist.
            return (error.code == .notFolder ? .missing(path: path) : .broken(why: error.description), error.isLackOfRoom)
        }
    }

    private static func notOne(_ path: String) -> FleetEvidence.Report {
        .broken(why: "\"\(path)\" is not a valid agent report. Restart the agent; if that does not help, update the program.")
    }
}

private let firstLook = Date.now
