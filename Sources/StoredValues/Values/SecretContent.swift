/// What this process knows about a secret.
enum SecretContent<Item: StorableItem>: Sendable {
    /// The keyring was not asked yet.
    case unknown
    case value(Item, Secret)
    case absent
    case unavailable(KeyringError)

    /// The item to show; nil means only that none is known.
    var item: Item? { if case .value(let item, _) = self { item } else { nil } }

    /// The bytes of the secret.
    var secret: Secret? { if case .value(_, let secret) = self { secret } else { nil } }

    /// Whether it is an answer, so that a getter need not ask the keyring again.
    var isAnswer: Bool {
        switch self {
        case .value, .absent: true
        case .unknown, .unavailable: false
        }
    }

    /// The keyring's answer, or why there is none. If a getter has waited and nothing is known, the keyring itself gave up, as
    /// it does for a cancelled task.
    var answer: Result<Item?, KeyringError> {
        switch self {
        case .unknown: .failure(.cancelled)
        case .value(let item, _): .success(item)
        case .absent: .success(nil)
        case .unavailable(let error): .failure(error)
        }
    }

    /// Whether both mean the same, so that replacing one with the other is no change.
    func says(_ other: SecretContent) -> Bool {
        switch (self, other) {
        case (.unknown, .unknown), (.absent, .absent): true
        case (.value(_, let secret), .value(_, let otherSecret)): secret == otherSecret
        case (.unavailable(let error), .unavailable(let otherError)): error == otherError
        default: false
        }
    }
}

extension SecretContent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The case, and why a secret is unavailable; never the item, which a struct's default description would show.
    var description: String {
        switch self {
        case .unknown: "unknown"
        case .value: "redacted"
        case .absent: "absent"
        case .unavailable(let error): "unavailable: \(error)"
        }
    }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
