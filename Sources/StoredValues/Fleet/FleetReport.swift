package import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// What the agent says of the mirror's freshness: the content of `status.json`.
package struct FleetReport: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        /// The mirror holds every change up to this revision.
        case current(revision: Int)
        /// The mirror may be outdated since then; `why` is for people, on one line, and says what to do.
        case stale(since: Date, why: String)
    }

    /// An older confirmation counts for nothing.
    package static let freshness = Duration.seconds(10)
    /// No report is larger.
    static let sizeLimit = 64 << 10
    private static let longestReason = 2000

    package var state: State
    /// When etcd last confirmed that the mirror is fresh; nil if never.
    package var confirmed: BootMoment?
    /// When the agent last said anything, which it does more often than ``freshness``; nil if it has ended, or is of an older version.
    package var alive: BootMoment?
    /// The digests of the mirror that it wrote: two while it replaces the first by the second; nil of an older agent, whose mirror is taken as it is.
    package var mirror: [String]?

    package init(state: State, confirmed: BootMoment?, alive: BootMoment? = nil, mirror: [String]? = nil) {
        (self.state, self.confirmed, self.alive, self.mirror) = (state, confirmed, alive, mirror)
    }

    /// How ``mirror`` names content with this digest.
    package static func name(of digest: UInt64) -> String { String(digest, radix: 16) }

    /// As it is in the file. Programs of older versions pass over members that they do not know.
    private struct Form: Codable {
        var state: String
        var revision: Int?
        var since: Date?
        var why: String?
        var confirmed: BootMoment?
        var alive: BootMoment?
        var mirror: [String]?
    }

    /// The report in a file of another process; nil if it is not a whole and sensible one. What could steer a terminal in `why` becomes a space.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.sizeLimit, let form = try? ItemDecoder.decode(Form.self, from: bytes),
            form.confirmed?.date.hasFourDigitYear != false, form.alive?.date.hasFourDigitYear != false
        else { return nil }
        switch (form.state, form.revision, form.since, form.why) {
        case ("current", let revision?, nil, nil) where revision >= 0:
            state = .current(revision: revision)
        case ("stale", nil, let since?, let why?) where since.hasFourDigitYear && !why.isEmpty:
            state = .stale(since: since, why: why.asOneLine(upTo: Self.longestReason))
        default: return nil
        }
        (confirmed, alive, mirror) = (form.confirmed, form.alive, form.mirror)
    }

    /// The content of the file.
    package var bytes: [UInt8] {
        var form = Form(state: "current", confirmed: confirmed, alive: alive, mirror: mirror)
        switch state {
        case .current(let revision): form.revision = revision
        case .stale(let since, let why): (form.state, form.since, form.why) = ("stale", since, why)
        }
        // It consists of nothing but strings, integers and dates, which can all be encoded.
        return ((try? ItemEncoder.text(form)) ?? []) + Array("\n".utf8)
    }
}

/// A time that all processes of this machine agree on, and that no change of the clock moves.
package struct BootMoment: Sendable, Equatable, Codable {
    /// Identifies this start of the machine, and its clock where there are several (time_namespaces(7)); empty if unknown.
    let boot: String
    /// Nanoseconds since the machine started, time in which it slept included.
    let nanoseconds: Int64
    /// What the calendar said then: for people, never for comparisons.
    package let date: Date

    package static var now: BootMoment {
        BootMoment(boot: currentBoot, nanoseconds: bootNanoseconds(), date: .now)
    }

    /// How long ago it was; nil if it is of another boot, lies in the future, or the boot is not known.
    package var age: Duration? { age(at: .now) }

    /// The same at another time.
    package func age(at now: BootMoment) -> Duration? {
        guard !boot.isEmpty, boot.isIdentical(to: now.boot), (0...max(0, now.nanoseconds)).contains(nanoseconds) else { return nil }
        return .nanoseconds(now.nanoseconds - nanoseconds)
    }

    private static var currentBoot: String {
        let file = DurableFile(path: "/proc/sys/kernel/random/boot_id")
        guard let bytes = try? file.read()?.bytes, !bytes.isEmpty else { return "" }
        let id = String(decoding: bytes, as: UTF8.self).parts(separatedBy: "\n").joined()
        // Old kernels have no such namespaces.
        let clock = try? file.operations.readLink("/proc/self/ns/time")
        return clock.map { "\(id) \($0)" } ?? id
    }
}
