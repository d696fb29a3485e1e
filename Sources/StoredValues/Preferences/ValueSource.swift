/// Where a value comes from: the first of these places that has one.
public enum ValueSource: Sendable {
    /// The preferences file itself.
    case file
    /// The settings that this machine shares with others, below the file.
    case fleet
    /// The system-wide defaults below both.
    case system
    /// The default in the program's code.
    case code
}
