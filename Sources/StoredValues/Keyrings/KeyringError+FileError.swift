import StoredValuesFiles
import StoredValuesSupport

extension KeyringError {
    /// What a keyring that keeps a file says when that file fails.
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
