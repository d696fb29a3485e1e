/// Identifies a secret: the application it belongs to and its name there.
///
/// Two identifiers that only look alike, with é as one scalar or as two, are different, as they are for every keyring.
public struct SecretIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The service that the secret belongs to; the application id unless a wrapper names another.
    public let service: String
    /// The secret's name within the service; the wrapper's key.
    public let account: String

    /// The identifier of the secret `account` of `service`.
    public init(service: String, account: String) {
        self.service = service
        self.account = account
    }

    /// `service/account`, which is also the default label in the keyring.
    public var description: String { "\(service)/\(account)" }

    /// Whether both have the same bytes.
    public static func == (left: SecretIdentifier, right: SecretIdentifier) -> Bool {
        left.service.utf8.elementsEqual(right.service.utf8) && left.account.utf8.elementsEqual(right.account.utf8)
    }

    /// Hashes the two names.
    public func hash(into hasher: inout Hasher) {
        // Strings that look alike have the same hash, which costs no more than a comparison.
        hasher.combine(service)
        hasher.combine(account)
    }
}
