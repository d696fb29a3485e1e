import Locking

/// The secrets that this process uses: one live value for each secret of each keyring.
final class LiveSecrets: Sendable {
    static let shared = LiveSecrets()

    /// Which secret, and in which keyring.
    private struct Address: Hashable {
        let keyring: KeyringIdentity
        let id: SecretIdentifier
    }

    private struct Entry {
        weak var secret: (any AnyObject & Sendable)?
        let type: any Any.Type
    }

    private struct Listener {
        weak var listener: KeyringListener?
    }

    private let entries = Guarded<[Address: Entry]>([:])
    private let listeners = Guarded<[KeyringIdentity: Listener]>([:])

    /// The live value of the secret `id`. A secret in use with another item type ends the program.
    func find<Item: StorableItem>(_ id: SecretIdentifier, in keyring: any Keyring, as type: Item.Type) -> LiveSecret<Item> {
        let address = Address(keyring: KeyringIdentity(keyring), id: id)
        let listener = listener(to: keyring, address.keyring)
        let found = entries.withLock { entries -> (secret: LiveSecret<Item>?, otherType: any Any.Type) in
            if let entry = entries[address], let secret = entry.secret {
                return (secret as? LiveSecret<Item>, entry.type)
            }
            let secret = LiveSecret<Item>(id, in: keyring, heardBy: listener)
            entries = entries.filter { $0.value.secret != nil }
            entries[address] = Entry(secret: secret, type: type)
            return (secret, type)
        }
        guard let secret = found.secret else {
            misuse(
                "The secret \"\(id)\" in \(keyring) is declared with two types: \(found.otherType) and \(type). Give one of them another key.")
        }
        return secret
    }

    /// The one listener to `keyring`, which lives as long as somebody holds it.
    private func listener(to keyring: any Keyring, _ identity: KeyringIdentity) -> KeyringListener {
        if let listener = listeners.withLock({ $0[identity]?.listener }) { return listener }
        let new = KeyringListener(to: keyring)  // with no lock held: keyrings are anybody's code
        return listeners.withLock { listeners in
            if let listener = listeners[identity]?.listener { return listener }
            listeners = listeners.filter { $0.value.listener != nil }
            listeners[identity] = Listener(listener: new)
            return new
        }
    }
}

/// What makes two keyring values the same keyring.
private enum KeyringIdentity: Hashable {
    /// Equal values are one keyring, as two `SecretServiceKeyring()` are.
    case value(AnyKeyring)
    /// Another object is itself. It cannot be mistaken for a later one: whoever is found by it keeps it alive.
    case object(ObjectIdentifier)
    /// For other values, what they are called.
    case described(String)

    init(_ keyring: any Keyring) {
        // The system's keyring is whichever it stands for.
        let keyring = (keyring as? SystemKeyring)?.chosen ?? keyring
        if let keyring = keyring as? any Keyring & Hashable {
            self = .value(AnyKeyring(keyring: keyring))
        } else if type(of: keyring) is AnyClass {
            self = .object(ObjectIdentifier(keyring as AnyObject))
        } else {
            self = .described("\(type(of: keyring)): \(keyring)")
        }
    }
}

/// Any keyring that can be compared; `AnyHashable` is not `Sendable`.
private struct AnyKeyring: Hashable, Sendable {
    let keyring: any Keyring & Hashable

    static func == (left: AnyKeyring, right: AnyKeyring) -> Bool {
        AnyHashable(left.keyring) == AnyHashable(right.keyring)
    }
    func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(keyring)) }
}
