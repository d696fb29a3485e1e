import StoredValuesFiles
import StoredValuesSupport

extension KeyringError {
    /// The error of a keyring whose file failed.
    init(_ error: FileError) {
        self =
            switch error.reason {
            case .system(.accessDenied), .system(.notPermitted): .accessDenied
            case .system(.readOnly): .readOnly
            case .lockTimedOut(let time): .timedOut(after: time)
            default: .other(domain: "file", code: Int(error.code?.rawValue ?? 0), message: error.description)
            }
    }
}
