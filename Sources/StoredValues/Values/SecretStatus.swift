/// Which of the three answers a keyring has given about a secret.
public enum SecretStatus: Sendable, Equatable {
    /// The secret is stored.
    case value
    /// The keyring answered that it has none.
    case absent
    /// The keyring gave no answer, for this reason. Whether it holds the secret is unknown.
    case unavailable(KeyringError)
}
