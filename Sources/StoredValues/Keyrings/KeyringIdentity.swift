/// A keyring that stands for another one in each temporary storage.
protocol StandInKeyring: Keyring {
    /// The keyring that it stands for: in the task's temporary storage, else in `scope`, else outside of any.
    func resolved(in scope: TemporaryScope?) -> any Keyring

    /// Whether it is the system's keyring, or includes it.
    var asksSystem: Bool { get }
}

/// Decides whether two keyrings are the same: their type and their ``Keyring/identity``.
///
/// An object cannot be mistaken for a later one, because the keyring is retained together with this.
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
