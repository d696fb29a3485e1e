public import FoundationEssentials

/// Why secrets were not all moved. Every one of them is still in at least one of the two keyrings; calling again goes on.
public enum SecretMoveError: Error, Equatable {
    /// The destination has this secret, with other bytes than the source.
    case conflict(SecretIdentifier)
    /// Both keyrings are one and the same place.
    case sameKeyring
    /// The destination took this secret and gave back other bytes.
    case notKept(SecretIdentifier)
    /// The keyring that the secrets are in failed.
    case source(KeyringError)
    /// The keyring that they were to go to failed.
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
            "The secrets cannot be moved: both keyrings are one and the same place. Name another destination."
        case .notKept(let id):
            "The destination did not keep \"\(id)\" as it was; it was left where it is. Check the destination, and move again."
        case .source(let error):
            "The secrets were not all moved, for the keyring that they are in failed: \(reason(error)) Then move again."
        case .destination(let error):
            "The secrets were not all moved, for the keyring that they were to go to failed: \(reason(error)) Then move again."
        }
    }
}
