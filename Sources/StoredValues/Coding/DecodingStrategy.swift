/// What to do with stored JSON that does not decode as the declared type.
public enum DecodingStrategy: Sendable {
    /// Replaces each part that does not decode with the last good value's part, else with the default's, and reports it in
    /// `repairs`.
    case lenient
    /// Replaces the whole value with the last good one, else with the default. A member that is only missing takes its default.
    case strict
}
