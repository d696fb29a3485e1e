public import FoundationEssentials

/// Why not all secrets were moved. Each is still in at least one of the two keyrings; another call continues.
public enum SecretMoveError: Error, Equatable {
    /// The destination has this secret, with other bytes than the source.
    case conflict(SecretIdentifier)
    /// Both keyrings are the same place.
    case sameKeyring
    /// The destination accepted this secret, but returned other bytes.
    case notKept(SecretIdentifier)
    /// The source keyring failed.
    case source(KeyringError)
    /// The destination keyring failed.
    case destination(KeyringError)
}

extension SecretMoveError: CustomStringConvertible, LocalizedError {
    /// What happened and what to do, for the programmer.
    public var description: String { text(\.description, overwriting: "move with overwriting: true") }

    /// What happened and what to do, for the program's user.
    public var errorDescription: String? { text(\.textForUser, overwriting: "move again and overwrite it") }

    private func text(_ reason: (KeyringError) -> String, overwriting: String) -> String {
        switch self {
        case .conflict(let id):
            "The secret \"\(id)\" is different at the destination. Remove the one that is wrong, or \(overwriting)."
        case .sameKeyring:
            "The secrets cannot be moved: both keyrings are the same place. Choose another destination."
        case .notKept(let id):
            "The destination did not store \"\(id)\" correctly, so it was left in the source. Check the destination, and move again."
        case .source(let error):
            "Not all secrets were moved, because the source keyring failed: \(reason(error)) Then move again."
        case .destination(let error):
            "Not all secrets were moved, because the destination keyring failed: \(reason(error)) Then move again."
        }
    }
}
