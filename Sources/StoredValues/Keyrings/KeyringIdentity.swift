/// A keyring that stands for another one in each temporary storage.
protocol StandInKeyring: Keyring {
    /// The keyring that it stands for: in the task's temporary storage, else in `scope`, else outside of all.
    func resolved(in scope: TemporaryScope?) -> any Keyring

    /// Whether it is the system's keyring, or asks that among others.
    var asksSystem: Bool { get }
}

/// What makes two keyrings the same one: their type and their ``Keyring/identity``.
///
/// An object cannot be mistaken for a later one: whoever has this has the keyring, too.
struct KeyringIdentity: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let value: any Hashable & Sendable  // `AnyHashable` is not `Sendable`

    init(_ keyring: any Keyring) {
        let keyring = (keyring as? any StandInKeyring)?.resolved(in: nil) ?? keyring
        type = ObjectIdentifier(Swift.type(of: keyring))
        value = keyring.identity
    }

    static func == (left: KeyringIdentity, right: KeyringIdentity) -> Bool {
        left.type == right.type && AnyHashable(left.value) == AnyHashable(right.value)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(AnyHashable(value))
    }
}
