/// The address of a secret: the application it belongs to and its name there.
///
/// Two that look alike, with é as one character or as two, are two addresses, as they are to every keyring.
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

    /// Whether both are the same bytes.
    public static func == (left: SecretIdentifier, right: SecretIdentifier) -> Bool {
        left.service.utf8.elementsEqual(right.service.utf8) && left.account.utf8.elementsEqual(right.account.utf8)
    }

    /// Hashes what equality compares, and no more than that.
    public func hash(into hasher: inout Hasher) {
        // A string hashes alike in all its forms, which costs alike ones no more than a comparison.
        hasher.combine(service)
        hasher.combine(account)
    }
}
