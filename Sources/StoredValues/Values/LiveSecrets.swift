import StoredValuesSupport

/// The secrets that this process uses: one live value for each secret of each keyring.
final class LiveSecrets: Sendable {
    static let shared = LiveSecrets()

    /// Which secret, and in which keyring.
    private struct Address: Hashable {
        let keyring: KeyringIdentity
        let id: SecretIdentifier
        /// Whether it is read without a type, which does not bind it to one.
        let isRaw: Bool
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

    /// The live value of the secret `id`. A secret in use with another item type ends the program, except that it may be read
    /// as a ``RawSecret`` beside any.
    func find<Item: StorableItem>(_ id: SecretIdentifier, in keyring: any Keyring, as type: Item.Type) -> LiveSecret<Item> {
        let address = Address(keyring: KeyringIdentity(keyring), id: id, isRaw: Item.self == RawSecret.self)
        let listener = listener(to: keyring, address.keyring)
        var living: [any AnyObject & Sendable] = []  // should one of them go now, it goes when the lock is free
        let found = entries.withLock { entries -> (secret: LiveSecret<Item>?, otherType: any Any.Type) in
            if let entry = entries[address], let secret = entry.secret {
                return (secret as? LiveSecret<Item>, entry.type)
            }
            entries = entries.filter { entry in
                guard let secret = entry.value.secret else { return false }
                living.append(secret)
                return true
            }
            let secret = LiveSecret<Item>(id, in: keyring, heardBy: listener)
            living += listener.add(secret, for: id)
            entries[address] = Entry(secret: secret, type: type)
            return (secret, type)
        }
        withExtendedLifetime(living) {}
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
