/// One part of a stored value that was not read as it stands in the file. The file keeps it until the key is set.
public struct Repair: Sendable, Hashable, CustomStringConvertible {
    /// What was done about it.
    public enum Action: Sendable, Hashable {
        /// The part was taken from the default, for nothing better was known.
        case tookDefault
        /// The part was taken from the value that was in use before somebody else broke it.
        case tookLastGood
        /// The part is an element or a member that has no counterpart there; it was left out.
        case leftOut
    }

    /// Where the part stands in the value, such as `window.size`; empty for the whole value.
    public let path: String
    /// What was done about it.
    public let action: Action
    /// Why it could not be read.
    public let reason: String

    /// The report of a value of which nothing is read.
    static func whole(_ action: Action, _ reason: String) -> Repair { Repair(path: "", action: action, reason: reason) }

    /// The repair as a sentence.
    public var description: String {
        let part = path.isEmpty ? "The value" : "\"\(path)\""
        let done =
            switch action {
            case .tookDefault: "was taken from the default"
            case .tookLastGood: "was left as it was before, for the new one is broken"
            case .leftOut: "was left out"
            }
        return "\(part) \(done): \(reason)"
    }
}
