/// What this process knows about a secret.
enum SecretContent<Item: StorableItem>: Sendable {
    /// The keyring was not asked yet.
    case unknown
    case value(Item, Secret)
    case absent
    case unavailable(KeyringError)

    /// The item to show; nil means only that none is known.
    var item: Item? { if case .value(let item, _) = self { item } else { nil } }

    var secret: Secret? { if case .value(_, let secret) = self { secret } else { nil } }

    /// Whether it is an answer, so that a getter need not ask the keyring again.
    var isAnswer: Bool { if case .success = answer { true } else { false } }

    /// The keyring's answer, or why there is none. If nothing is known although a getter has waited, the read was cancelled.
    var answer: Result<Item?, KeyringError> {
        switch self {
        case .unknown: .failure(.cancelled)
        case .value(let item, _): .success(item)
        case .absent: .success(nil)
        case .unavailable(let error): .failure(error)
        }
    }

    /// The answer's item, decoded again: an object is changed in place, and the one in memory is shared with readers.
    func itemToChange() throws(KeyringError) -> Item? {
        guard let secret else { return try answer.get() }
        return try SecretCoding.decode(Item.self, from: secret)
    }
}

extension SecretContent: Equatable {
    /// Whether both mean the same, so that replacing one with the other is no change.
    static func == (left: SecretContent, right: SecretContent) -> Bool {
        switch (left, right) {
        case (.unknown, .unknown), (.absent, .absent): true
        case (.value(_, let secret), .value(_, let other)): secret == other
        case (.unavailable(let error), .unavailable(let other)): error == other
        default: false
        }
    }
}

extension SecretContent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the item, which an enum's default description would show.
    var description: String { "redacted" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SecretContent {
    /// Answers with equal fingerprints are equal, and a fingerprint does not reveal the secret. Nil if there is no answer.
    var fingerprint: [Int]? {
        switch self {
        case .absent: []
        case .value(_, let secret):
            salts.map { salt -> Int in
                var hasher = Hasher()
                hasher.combine(salt)
                secret.withBytes { hasher.combine(bytes: $0) }
                return hasher.finalize()
            }
        case .unknown, .unavailable: nil
        }
    }
}

/// For the standard library's keyed hash (SipHash): random, and only for this process, so that the fingerprint of a short secret cannot
/// be looked up. Two, because one hash of 64 bits is too short to rule out that two secrets have the same.
private let salts = (0..<2).map { _ in (0..<2).map { _ in Int.random(in: .min ... .max) } }
