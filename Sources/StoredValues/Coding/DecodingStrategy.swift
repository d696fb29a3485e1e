/// What happens to stored JSON that does not decode as the declared type.
public enum DecodingStrategy: Sendable {
    /// Each part that does not decode is taken from the last good value, else from the default, and reported in `repairs`.
    case lenient
    /// The last good value, else the default, is read in place of the whole. A member that is only missing takes its default.
    case strict
}
