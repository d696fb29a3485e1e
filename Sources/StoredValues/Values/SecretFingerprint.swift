import Crypto

/// What is left of an answer about a secret when only its likeness matters: two equal ones are the same answer, and none
/// tells the secret.
enum SecretFingerprint: Equatable {
    case absent
    case value(HMAC<SHA256>.MAC)

    /// Random and of this process only, so that the fingerprint of a short secret cannot be looked up.
    private static let key = SymmetricKey(size: .bits256)

    /// Nil for what is no answer.
    init?<Item>(_ content: SecretContent<Item>) {
        switch content {
        case .absent: self = .absent
        case .value(_, let secret):
            self = .value(secret.withBytes { HMAC<SHA256>.authenticationCode(for: $0, using: Self.key) })
        case .unknown, .unavailable: return nil
        }
    }
}
