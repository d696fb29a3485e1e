import Foundation
import Testing

@testable import StoredValues

@Suite("What follows from what is known of a fleet's settings")
struct FleetEvidenceTests {}

extension FleetEvidenceTests {
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
        (current, whole, .seconds(10), .stale(since: confirmed.date, "has ended, or is stuck. Check its log")),
        (current, whole, nil, .stale(since: confirmed.date, "has ended, or is stuck. Check its log")),
        (unconfirmed, whole, nil, .stale(since: modified, "has ended, or is stuck. Check its log")),
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

    @Test("An agent that lives and has not confirmed is not said to have ended; one that says nothing any more is, whatever it said last")
    func life() {
        func why(_ state: FleetReport.State, lives: Bool, silence: Duration?) -> String? {
            let report = FleetReport(state: state, confirmed: Self.confirmed, alive: lives ? .now : nil)
            let evidence = FleetEvidence(report: .found(report), mirror: Self.whole, age: .seconds(20), silence: silence, firstLook: Self.firstLook)
            guard case .stale(_, let why) = evidence.status() else { return nil }
            return why
        }
        let ended = "it has ended, or is stuck"
        #expect(why(.current(revision: 7), lives: true, silence: .seconds(9)) == "The agent runs, but has not confirmed them since. Check its log.")
        for silence in [Duration.seconds(10), nil] {
            #expect(why(.current(revision: 7), lives: true, silence: silence)?.contains(ended) == true)
            #expect(why(.stale(since: Self.since, why: "No quorum."), lives: true, silence: silence)?.hasPrefix("No quorum. The agent has not reported since: \(ended)") == true)
        }
        #expect(why(.stale(since: Self.since, why: "No quorum."), lives: true, silence: .zero) == "No quorum.")
        // It has ended and said so, or is of a version that never says that it lives.
        #expect(why(.stale(since: Self.since, why: "It has ended."), lives: false, silence: nil) == "It has ended.")
    }

    @Test("The mirror is what the report names, the old or the new one; a report that names none is of an older agent")
    func digests() {
        func isCurrent(_ named: [String]?, _ digest: String?) -> Bool {
            let report = FleetReport(state: .current(revision: 7), confirmed: Self.confirmed, alive: .now, mirror: named)
            let evidence = FleetEvidence(
                report: .found(report), mirror: Self.whole, age: .zero, silence: .zero, digest: digest, firstLook: Self.firstLook)
            switch evidence.status() {
            case .current: return true
            case .stale(Self.confirmed.date, let why): #expect(why.contains("Something other than the agent"))
            default: Issue.record("\(evidence.status())")
            }
            return false
        }
        #expect(isCurrent(["a"], "a") && isCurrent(["a", "b"], "a") && isCurrent(["a", "b"], "b") && isCurrent(nil, "c"))
        #expect(!isCurrent(["a", "b"], "c") && !isCurrent([], "a"))
    }

    @Test("A status may change when the first of what it rests on grows too old")
    func pause() {
        func pause(_ age: Duration?, _ silence: Duration?) -> Duration? {
            FleetEvidence(report: Self.current, mirror: Self.whole, age: age, silence: silence, firstLook: Self.firstLook).pause(freshness: .seconds(10))
        }
        #expect(pause(.seconds(2), .seconds(1)) == .seconds(8) && pause(.seconds(12), .seconds(1)) == .seconds(9))
        #expect(pause(nil, .seconds(4)) == .seconds(6) && pause(.seconds(10), .seconds(10)) == nil && pause(nil, nil) == nil)
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
