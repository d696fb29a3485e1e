/// Where a value comes from: the first of these places that has one.
public enum ValueSource: Sendable {
    /// The memory of this process only: the value could not be saved yet, or the file is ``PreferencesFile/inMemory(_:)``. It is
    /// lost when the process ends.
    case memory
    /// The preferences file itself.
    case file
    /// The settings that this machine shares with others, below the file.
    case fleet
    /// The system-wide defaults below both.
    case system
    /// The default in the program's code.
    case code
}
