/// A keyring that stands for another one in each temporary storage.
protocol StandInKeyring: Keyring {
    /// The keyring that it stands for: in the task's temporary storage, else in `scope`, else outside of all.
    func resolved(in scope: TemporaryScope?) -> any Keyring
}

/// What makes two keyring values the same keyring.
enum KeyringIdentity: Hashable {
    /// Equal values are one keyring, as two `SecretServiceKeyring()` are.
    case value(AnyKeyring)
    /// Another object is itself. It cannot be mistaken for a later one: whoever is found by it keeps it alive.
    case object(ObjectIdentifier)
    /// For other values, what they are called, byte by byte.
    case described([UInt8])

    init(_ keyring: any Keyring) {
        let keyring = (keyring as? any StandInKeyring)?.resolved(in: nil) ?? keyring
        if let keyring = keyring as? any Keyring & Hashable {
            self = .value(AnyKeyring(keyring: keyring))
        } else if type(of: keyring) is AnyClass {
            self = .object(ObjectIdentifier(keyring as AnyObject))
        } else {
            self = .described(Array("\(type(of: keyring)): \(keyring)".utf8))
        }
    }
}

/// Any keyring that can be compared; `AnyHashable` is not `Sendable`.
struct AnyKeyring: Hashable, Sendable {
    let keyring: any Keyring & Hashable

    static func == (left: AnyKeyring, right: AnyKeyring) -> Bool {
        AnyHashable(left.keyring) == AnyHashable(right.keyring)
    }
    func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(keyring)) }
}
