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

    private let entries = Guarded<[Address: Entry]>([:])

    /// The live value of the secret `id`. A secret in use with another item type ends the program.
    func find<Item: StorableItem>(_ id: SecretIdentifier, in keyring: any Keyring, as type: Item.Type) -> LiveSecret<Item> {
        let address = Address(keyring: KeyringIdentity(keyring), id: id)
        let found = entries.withLock { entries -> (secret: LiveSecret<Item>?, otherType: any Any.Type) in
            if let entry = entries[address], let secret = entry.secret {
                return (secret as? LiveSecret<Item>, entry.type)
            }
            let secret = LiveSecret<Item>(id, in: keyring)
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
}
