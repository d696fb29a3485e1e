import ArgumentParser

/// What a script learns from how the tool ended. From 64 on the numbers are those of sysexits(3).
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case absent = 1
    case usage = 64
    case badData = 65
    case unavailable = 69
    case notSaved = 74
    case tryAgain = 75
    case refused = 77
    case misconfigured = 78

    var code: ExitCode { ExitCode(rawValue) }

    private var meaning: String {
        switch self {
        case .success: "It was done."
        case .absent: "Nothing is stored there; doctor found something that needs you."
        case .usage: "The command was not written as it must be."
        case .badData: "The file, the edit or the value is not what it must be."
        case .unavailable: "The keyring is locked or cannot be reached."
        case .notSaved: "A file could not be read or written."
        case .tryAgain: "No answer in time, or somebody else changed the same key: try again."
        case .refused: "No permission, read-only, the wrong key, or you said no."
        case .misconfigured: "A variable of the environment names no place or program."
        }
    }

    /// All of them, for the help.
    static let table = allCases.map { "  \($0.rawValue < 10 ? " " : "")\($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
}
