import Foundation
import StoredValues

/// Why the token is still in the plain file at this path.
enum TokenMoveError: Error, Equatable {
    /// The keyring gave no answer, or did not store the token.
    case keyring(KeyringError, path: String)
    /// The keyring has another token. Only the user knows which one is right.
    case conflict(path: String)
    /// The keyring stored the token and returned another.
    case notKept(path: String)
    /// The file could not be read.
    case unreadable(path: String, reason: String)
    /// The token is in the keyring, too, but the file could not be wiped or removed.
    case notRemoved(path: String, reason: String)
}

extension TokenMoveError: CustomStringConvertible {
    /// What happened and what to do, for the user.
    var description: String {
        switch self {
        case .keyring(let error, let path):
            "The token stays in \(path). \(error.localizedDescription)"
        case .conflict(let path):
            "The keyring has another token than \(path). Remove the one that is wrong, then try again."
        case .notKept(let path):
            "The keyring did not keep the token as it was, so it stays in \(path). Check the keyring, then try again."
        case .unreadable(let path, let reason):
            "\(path) could not be read: \(reason). Correct that, then try again."
        case .notRemoved(let path, let reason):
            "The token is in the keyring, and also still in \(path), which could not be removed: \(reason). Remove it."
        }
    }
}

extension TokenMoveError: LocalizedError {
    /// The description, which is what `localizedDescription` says then.
    var errorDescription: String? { description }
}
