import Foundation
import Testing

@testable import StoredValues

@Suite("What follows from what is known of a fleet's settings")
struct FleetEvidenceTests {
    private static let confirmed = BootMoment.now.before(by: .seconds(3600))
    private static let firstLook = Date(timeIntervalSince1970: 1), modified = Date(timeIntervalSince1970: 2)
    private static let since = Date(timeIntervalSince1970: 3)

    private static let missing = FleetEvidence.Report.missing(path: "/run/status.json")
    private static let current = FleetEvidence.Report.found(FleetReport(state: .current(revision: 7), confirmed: confirmed))
    private static let unconfirmed = FleetEvidence.Report.found(FleetReport(state: .current(revision: 7), confirmed: nil))
    private static let stale = FleetEvidence.Report.found(FleetReport(state: .stale(since: since, why: "No quorum."), confirmed: confirmed))
    private static let broken = FleetEvidence.Report.broken(why: "No report.")
    private static let whole = FleetEvidence.Mirror.whole(modified: modified)
    private static let damaged = FleetEvidence.Mirror.broken(why: "Not JSON.", modified: modified)
    private static let unreadable = FleetEvidence.Mirror.broken(why: "No permission.", modified: nil)

    /// What is expected; of a reason, a part.
    private enum Expected {
        case none, never, current
        case stale(since: Date, String)
    }

    private static let table: [(FleetEvidence.Report, FleetEvidence.Mirror, age: Duration?, Expected)] = [
        (missing, .missing, nil, .none),
        (missing, whole, nil, .stale(since: modified, "no \"/run/status.json\". Start the agent")),
        (missing, damaged, nil, .stale(since: modified, "Not JSON.")),
        (missing, unreadable, nil, .stale(since: firstLook, "No permission.")),
        (current, .missing, .zero, .never),
        (current, .missing, nil, .never),
        (current, whole, .zero, .current),
        (current, whole, .seconds(10) - .nanoseconds(1), .current),
        (current, whole, .seconds(10), .stale(since: confirmed.date, "has ended, or is stuck. Look at its log")),
        (current, whole, nil, .stale(since: confirmed.date, "has ended, or is stuck. Look at its log")),
        (unconfirmed, whole, nil, .stale(since: modified, "has ended, or is stuck. Look at its log")),
        (current, damaged, .zero, .stale(since: modified, "Not JSON.")),
        (current, unreadable, .zero, .stale(since: confirmed.date, "No permission.")),
        (unconfirmed, unreadable, nil, .stale(since: firstLook, "No permission.")),
        (stale, .missing, .zero, .never),
        (stale, whole, .zero, .stale(since: since, "No quorum.")),
        (stale, whole, nil, .stale(since: since, "No quorum.")),
        (stale, damaged, .zero, .stale(since: modified, "Not JSON.")),
        (broken, .missing, nil, .stale(since: firstLook, "No report.")),
        (broken, whole, nil, .stale(since: modified, "No report.")),
        (broken, damaged, nil, .stale(since: modified, "Not JSON.")),
    ]

    @Test("It is current only with a whole mirror and a fresh confirmation, and none only where there is nothing", arguments: table.indices)
    func status(row: Int) {
        let (report, mirror, age, expected) = Self.table[row]
        let status = FleetEvidence(report: report, mirror: mirror, age: age, firstLook: Self.firstLook).status()
        switch (expected, status) {
        case (.none, .none), (.never, .never), (.current, .current(revision: 7)): break
        case (.stale(let since, let part), .stale(let found, let why)):
            #expect(found == since && why.contains(part) && why.hasSuffix("."), "\(status)")
        default: Issue.record("row \(row): \(status)")
        }
    }

    @Test("A confirmation counts for as long as is said")
    func freshness() {
        let evidence = FleetEvidence(report: Self.current, mirror: Self.whole, age: .seconds(20), firstLook: Self.firstLook)
        #expect(evidence.status(freshness: .seconds(21)) == .current(revision: 7))
        #expect(evidence.status(freshness: .seconds(20)) != .current(revision: 7))
        #expect(FleetReport.freshness == .seconds(10))
    }

    @Test("The agent's own complaint is at hand where the status has no reason")
    func complaint() {
        func complaint(_ report: FleetEvidence.Report) -> String? {
            FleetEvidence(report: report, mirror: .missing, age: nil, firstLook: Self.firstLook).complaint
        }
        #expect(complaint(Self.stale) == "No quorum.")
        #expect(complaint(Self.current) == nil && complaint(Self.missing) == nil && complaint(Self.broken) == nil)
    }

    @Test("Each status is a sentence, whatever its date")
    func sentences() {
        let dates = [Self.since, .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: .infinity), Date(timeIntervalSinceReferenceDate: .nan)]
        let all = [FleetStatus.none, .never, .current(revision: 7)] + dates.map { FleetStatus.stale(since: $0, why: "Why.") }
        for status in all { #expect(status.description.hasSuffix("."), "\(status)") }
        #expect(FleetStatus.current(revision: 7).description.contains("revision 7"))
        #expect(FleetStatus.stale(since: Self.since, why: "Why.").description.hasSuffix("outdated since 1970-01-01T00:00:03Z. Why."))
    }
}
