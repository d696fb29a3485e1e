import StoredValues

/// Why a command failed: a message for the user and a status for scripts.
package struct Failure: Error {
    package let status: ExitStatus
    package let sentence: String

    package init(_ status: ExitStatus, _ sentence: String) { (self.status, self.sentence) = (status, sentence) }

    /// The failure for `error`; nil for one of the argument parser, which has its own message or is only a status.
    package init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        // The tool keeps nothing in memory, so only the message about the file applies.
        case PreferencesError.notSaved(_, let reason), PreferencesError.notRead(_, let reason): self.init(.notSaved, reason)
        case KeyringError.locked, KeyringError.dismissed:
            self.init(.unavailable, "\(error) With --unlock this tool prompts for the password, if there is a display.")
        case let error as any StoredValuesError: self.init(ExitStatus(rawValue: error.exitStatus) ?? .unavailable, "\(error)")
        default: return nil
        }
    }
}

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

    private var meaning: String {
        switch self {
        case .success: "Success."
        case .absent: "Nothing is stored there; or doctor or store check of stored-values found a problem."
        case .usage: "The command line or what was typed is wrong, or a move needs --overwrite."
        case .badData: "The file, the edit or the value is invalid or too large."
        case .unavailable: "The keyring is locked, or it or the cluster cannot be reached; or built without the trait."
        case .notSaved: "A file could not be read or written, or is read-only, or the cluster has no space."
        case .tryAgain: "No answer in time, or another program changed the same key: try again."
        case .refused: "The keyring or the cluster gives no permission or is read-only, the key is wrong, or you answered no."
        case .misconfigured: "An option or environment variable has an invalid value."
        }
    }

    /// All of them, for the help text.
    package static let table = allCases.map { "  \($0.rawValue < 10 ? " " : "")\($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
}
