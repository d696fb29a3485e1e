/// The address of a secret: the application it belongs to and its name there.
public struct SecretIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// Whose secret it is; the application id unless a wrapper names another.
    public let service: String
    /// Which of the service's secrets it is; the wrapper's key.
    public let account: String

    /// The address of the secret `account` of `service`.
    public init(service: String, account: String) {
        self.service = service
        self.account = account
    }

    /// `service/account`, which is also the default label in the keyring.
    public var description: String { "\(service)/\(account)" }
}
