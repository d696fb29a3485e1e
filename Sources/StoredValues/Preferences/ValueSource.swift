/// Where a value comes from: the first of these places that has one.
public enum ValueSource: Sendable {
    /// The preferences file itself.
    case file
    /// The settings shared by many machines.
    case fleet
    /// The system-wide defaults below the file.
    case system
    /// The default in the program's code.
    case code
}
