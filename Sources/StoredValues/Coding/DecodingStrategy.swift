/// What happens to stored JSON that does not decode as the declared type.
public enum DecodingStrategy: Sendable {
    /// Each part that does not decode is taken from the default, and reported in `repairs`.
    case lenient
    /// The default is read in place of the whole.
    case strict
}
