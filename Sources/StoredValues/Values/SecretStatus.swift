/// Which of the three answers a keyring has given about a secret.
public enum SecretStatus: Sendable, Equatable {
    /// It is stored.
    case value
    /// The keyring was asked and has none.
    case absent
    /// The keyring gave no answer, and why. What it holds is not known.
    case unavailable(KeyringError)
}
