package import ArgumentParser

/// The exit status, for scripts. From 64 on, the numbers are those of sysexits(3).
package enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case absent = 1
    case usage = 64
    case badData = 65
    case unavailable = 69
    case notSaved = 74
    case tryAgain = 75
    case refused = 77
    case misconfigured = 78

    package var code: ExitCode { ExitCode(rawValue) }

    private var meaning: String {
        switch self {
        case .success: "Success."
        case .absent: "Nothing is stored there; or doctor found a problem."
        case .usage: "The command line is wrong."
        case .badData: "The file, the edit or the value is invalid or too large."
        case .unavailable: "The keyring is locked, or it or the cluster cannot be reached."
        case .notSaved: "A file could not be read or written, or the cluster has no space."
        case .tryAgain: "No answer in time, or another program changed the same key: try again."
        case .refused: "No permission, read-only, the wrong key, or you answered no."
        case .misconfigured: "An option or environment variable has an invalid value."
        }
    }

    /// All of them, for the help text.
    package static let table = allCases.map { "  \($0.rawValue < 10 ? " " : "")\($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
}
