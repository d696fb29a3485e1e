package import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// The agent's report on the mirror's freshness: the content of `status.json`.
package struct FleetReport: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        /// The mirror has every change up to this revision.
        case current(revision: Int)
        /// The mirror may be outdated since then; `why` is for people, on one line, and says what to do.
        case stale(since: Date, why: String)
    }

    /// The age from which a confirmation does not count.
    package static let freshness = Duration.seconds(10)
    static let sizeLimit = 64 << 10
    private static let longestReason = 2000

    package var state: State
    /// When etcd last confirmed that the mirror is fresh; nil if never.
    package var confirmed: BootMoment?
    /// When the agent wrote this report, which it does more often than ``freshness``; nil if it has ended, or is of an older version.
    package var alive: BootMoment?
    /// The digests that the mirror may have: two while the agent replaces it; nil of an older agent, whose mirror is not checked.
    package var mirror: [String]?

    package init(state: State, confirmed: BootMoment?, alive: BootMoment? = nil, mirror: [String]? = nil) {
        (self.state, self.confirmed, self.alive, self.mirror) = (state, confirmed, alive, mirror)
    }

    /// Since when the mirror may be outdated; nil if that is not known.
    package var outdatedSince: Date? {
        guard case .stale(let since, _) = state else { return confirmed?.date }
        return max(since, confirmed?.date ?? since)  // only the secrets may be stale since then
    }

    /// The digest as it is in ``mirror``.
    package static func name(of digest: UInt64) -> String { String(digest, radix: 16) }

    /// The JSON of the file. Programs of older versions ignore members that they do not know.
    private struct Form: Codable {
        var state: String
        var revision: Int?
        var since: Date?
        var why: String?
        var confirmed: BootMoment?
        var alive: BootMoment?
        var mirror: [String]?
    }

    /// The report in a file of another process; nil if it is not valid. Control characters in `why` become spaces.
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
        // Strings, integers and dates can always be encoded.
        return ((try? ItemEncoder.text(form)) ?? []) + Array("\n".utf8)
    }
}

/// A time on a clock that all processes of this machine share, and that is never set.
package struct BootMoment: Sendable, Equatable, Codable {
    /// Identifies this boot, and the time namespace if there are several (time_namespaces(7)); empty if unknown.
    let boot: String
    /// Nanoseconds since the boot, including time in which the machine was suspended.
    let nanoseconds: Int64
    /// The wall clock's time: for people, never for comparisons.
    package let date: Date

    package static var now: BootMoment {
        BootMoment(boot: currentBoot, nanoseconds: bootNanoseconds(), date: .now)
    }

    /// The time since then; nil if it is from another boot or in the future, or the boot is not known.
    package var age: Duration? { age(at: .now) }

    /// The same at a given time.
    package func age(at now: BootMoment) -> Duration? {
        guard !boot.isEmpty, boot.isIdentical(to: now.boot), (0...max(0, now.nanoseconds)).contains(nanoseconds) else { return nil }
        return .nanoseconds(now.nanoseconds - nanoseconds)
    }

    private static var currentBoot: String {
        let file = DurableFile(path: "/proc/sys/kernel/random/boot_id")
        guard let bytes = try? file.read()?.bytes, !bytes.isEmpty else { return "" }
        let id = String(decoding: bytes, as: UTF8.self).parts(separatedBy: "\n").joined()
        // Old kernels have no time namespaces.
        let clock = try? file.operations.readLink("/proc/self/ns/time")
        return clock.map { "\(id) \($0)" } ?? id
    }
}
