public import FoundationEssentials

/// How fresh the settings are that this program shares with other machines.
///
/// An agent keeps them in a file on this machine, the mirror, and says how fresh that is. Programs read the mirror whatever the
/// status is; nothing falls back to defaults.
public enum FleetStatus: Sendable, Hashable {
    /// No agent keeps settings for this file here.
    case none
    /// An agent runs, and has never been able to read the settings: there are none on this machine yet.
    case never
    /// This machine has every change of the settings up to this revision of the cluster.
    case current(revision: Int)
    /// The settings may be outdated since then, for this reason, which also says what to do.
    case stale(since: Date, why: String)
}

extension FleetStatus: CustomStringConvertible {
    /// The status as sentences.
    public var description: String {
        switch self {
        case .none: "No settings of a fleet are kept here."
        case .never: "The fleet's settings were never read here: there are none on this machine yet."
        case .current(let revision): "The fleet's settings are current (revision \(revision))."
        case .stale(let since, let why): "The fleet's settings may be outdated since \(since.isWritable ? since.formatted(.iso8601) : "an unknown time"). \(why)"
        }
    }
}

extension Date {
    /// Whether the year has four digits. Other dates are no agent's, and Foundation does not format all of them.
    var isWritable: Bool { timeIntervalSinceReferenceDate > -63_000_000_000 && timeIntervalSinceReferenceDate < 252_000_000_000 }
}
