/// A keyring that stands for another one in each temporary storage.
protocol StandInKeyring: Keyring {
    /// The keyring that it stands for: in the task's temporary storage, else in `scope`, else outside of all.
    func resolved(in scope: TemporaryScope?) -> any Keyring

    /// Whether it is the system's keyring, or asks that among others.
    var asksSystem: Bool { get }
}

/// What makes two ``Keyring/distinguishable`` keyrings the same one.
enum KeyringIdentity: Hashable {
    /// Equal values are one keyring, as two `SecretServiceKeyring()` are.
    case value(AnyKeyring)
    /// Another object is itself. It cannot be mistaken for a later one: whoever is found by it keeps it alive. Of a type that stores
    /// nothing, all values are one; that is the type then.
    case object(ObjectIdentifier)

    init(_ keyring: any Keyring) {
        let keyring = (keyring as? any StandInKeyring)?.resolved(in: nil) ?? keyring
        if let keyring = keyring as? any Keyring & Hashable {
            self = .value(AnyKeyring(keyring: keyring))
        } else if type(of: keyring) is AnyClass {
            self = .object(ObjectIdentifier(keyring as AnyObject))
        } else {
            self = .object(ObjectIdentifier(type(of: keyring)))
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

extension Keyring {
    /// This keyring; where it is a value of which nobody can tell whether another is the same, a new object in its place, which is
    /// itself and no other.
    var distinguishable: any Keyring {
        let isDistinguishable = self is any Hashable || Self.self is AnyClass || MemoryLayout<Self>.size == 0
        return isDistinguishable ? self : KeyringObject(keyring: self)
    }
}

/// A keyring as an object.
final class KeyringObject: Keyring {
    let keyring: any Keyring

    init(keyring: any Keyring) { self.keyring = keyring }

    var description: String { keyring.description }
    var changes: KeyringChanges { keyring.changes }
    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { try await keyring.read(id) }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await keyring.write(secret, for: id, label: label)
    }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { try await keyring.remove(id) }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await keyring.identifiers(inService: service)
    }
    func unlock() async throws(KeyringError) { try await keyring.unlock() }
}
