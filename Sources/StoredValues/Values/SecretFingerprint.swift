/// A fingerprint of an answer about a secret, for comparing answers: two equal ones are the same answer, and none reveals the
/// secret.
enum SecretFingerprint: Equatable {
    case absent
    case value([Int])

    /// Random, and only for this process, so that the fingerprint of a short secret cannot be looked up. Two hashes of 64 bits, because
    /// one is too short to rule out that two secrets have the same.
    private static let salts = (0..<2).map { _ in (0..<2).map { _ in Int.random(in: .min ... .max) } }

    /// Nil if `content` is not an answer.
    init?<Item>(_ content: SecretContent<Item>) {
        switch content {
        case .absent: self = .absent
        case .value(_, let secret): self = .value(Self.salts.map { secret.hash(with: $0) })
        case .unknown, .unavailable: return nil
        }
    }
}

extension Secret {
    /// What the standard library's keyed hash function (SipHash) makes of `salt` and the bytes.
    fileprivate func hash(with salt: [Int]) -> Int {
        var hasher = Hasher()
        hasher.combine(salt)
        withBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
