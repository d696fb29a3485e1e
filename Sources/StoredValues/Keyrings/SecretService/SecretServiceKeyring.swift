/// The desktop's keyring: gnome-keyring, KWallet, KeePassXC or whatever provides the freedesktop Secret Service.
///
/// A secret is an item with the attributes that `attributes` says, in the default collection. An existing item is
/// updated in place, wherever it lies; of several items for one secret the newest counts, and removing removes all.
///
/// It is `.locked`, not absent, when nothing is found while the default collection is locked, and
/// `.noDefaultCollection` when nothing is found and there is none. Nothing but ``unlock()`` asks the person.
/// ``unlock()`` opens the default collection, asks only where there is a display, and waits 2 minutes at most.
///
/// Secrets are encrypted on their way over the session bus. A program that refuses that is used all the same, and the log says
/// so once. What does not answer as the Secret Service's interface says is an error, and never read as absent.
///
/// What a call has stored is in the program that provides the keyring when the call returns. gnome-keyring has it on the
/// disk then; KWallet and KeePassXC write it there some seconds later, and lose it when they are killed before. KeePassXC
/// may also lose what it is told while it locks (seen: 2.7.4).
///
/// The Secret Service has no lock. Processes of this user that use this library change a secret one after another all the
/// same, by a lock file in `$XDG_RUNTIME_DIR/stored-values`, and so lose no `update` of a ``SecurelyStoredValue``.
/// Other programs know nothing of it; and without a runtime folder that belongs to this user alone, each process is on its own.
/// Where that folder is full, or something else lies there, an update throws, and a secret is set or reset without the lock.
///
/// Built without the trait Libsecret, every call throws ``KeyringError/notBuiltIn``.
public struct SecretServiceKeyring: Keyring, Hashable {
    /// How a secret's address is spelled in the keyring.
    public let attributes: SecretAttributes
    /// How long a call may take, waiting for other calls included. A question to the person has its own limit.
    public let deadline: Duration
    /// The D-Bus address of the bus to use instead of the session's.
    let busAddress: String?
    /// The lock of a secret, where somebody holds it and changes that secret through this.
    var heldLock: HeldLock?

    /// The keyring of the session that this process runs in. Nothing is looked for before the first call.
    public init(attributes: SecretAttributes = .generic, deadline: Duration = .seconds(5)) {
        self.init(attributes: attributes, deadline: deadline, busAddress: nil)
    }

    /// The keyring on the bus at `busAddress`: for tests, which bring their own bus.
    package init(attributes: SecretAttributes = .generic, deadline: Duration = .seconds(5), busAddress: String?) {
        self.attributes = attributes
        self.deadline = deadline
        self.busAddress = busAddress
    }

    /// What it is.
    public var description: String { "the desktop's keyring (Secret Service)" }

    /// Whether both keep their secrets in the same place, however long they wait for it.
    public static func == (left: SecretServiceKeyring, right: SecretServiceKeyring) -> Bool {
        left.attributes == right.attributes && left.busAddress == right.busAddress
    }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(attributes)
        hasher.combine(busAddress)
    }
}

extension Keyring where Self == SecretServiceKeyring {
    /// The desktop's keyring, with a deadline of 5 seconds.
    public static var secretService: SecretServiceKeyring { SecretServiceKeyring() }
}
