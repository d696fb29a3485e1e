/// What to do with stored JSON that does not decode as the declared type.
public enum DecodingStrategy: Sendable {
    /// Replaces each part that does not decode with the last good value's part, else with the default's, and reports it in
    /// `repairs`.
    case lenient
    /// Replaces the whole value with the last good one, else with the default. A member that is only missing takes its default.
    case strict
}

/// One part of a stored value that could not be read. The file keeps that part as it is until the key is set.
public struct Repair: Sendable, Hashable, CustomStringConvertible {
    /// What is used instead.
    public enum Action: Sendable, Hashable {
        /// The default for that part; no last good value was known.
        case usedDefault
        /// The part's last good value: the one in use before the file was changed.
        case usedLastGood
        /// Nothing: the part is an element or a member without a counterpart in the default or the last good value.
        case removed
    }

    /// The path of the part in the value, such as `window.size`; empty for the whole value.
    public let path: String
    /// What is used instead.
    public let action: Action
    /// Why it could not be read.
    public let reason: String

    /// The report of a value that could not be read at all.
    static func whole(_ action: Action, _ reason: String) -> Repair { Repair(path: "", action: action, reason: reason) }

    /// The repair as a sentence.
    public var description: String {
        let part = path.isEmpty ? "The value" : "\"\(path)\""
        let done =
            switch action {
            case .usedDefault: "uses the default"
            case .usedLastGood: "keeps its last good value"
            case .removed: "was left out"
            }
        return "\(part) \(done): \(reason)"
    }
}
