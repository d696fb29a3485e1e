import StoredValuesFiles

/// The desktop's keyring: gnome-keyring, KWallet, KeePassXC or any other provider of the freedesktop Secret Service.
///
/// A secret is an item with certain `attributes`, in the default collection. An existing item is updated in place, in any
/// collection; of several items for one secret the newest is used, by the times that the service notes, and removing removes all.
///
/// If nothing is found, that is `.locked`, not absent, while the default collection is locked, and `.noDefaultCollection` if
/// there is none. Only ``unlock()`` prompts the user: it opens the default collection, prompts only if there is a display, and
/// waits at most 2 minutes. KeePassXC also prompts by itself, unless its user has turned that off: before it deletes an entry for
/// good, or moves one to the recycle bin where its user wants to be asked. The call waits for that answer no longer than
/// ``deadline``, then throws ``KeyringError/timedOut(after:)``; the dialog stays, and its answer still counts. By default it would
/// prompt at every search while no database is open; so it is not searched then, and prompts only if it locks in the moment of a
/// search or of creating an item.
///
/// Secrets are encrypted in transit over the session bus. A program that refuses that is used anyway, and that is logged
/// once. An answer that violates the Secret Service's interface is an error, and never read as absent.
///
/// When a call returns, the change is in the program that provides the keyring. gnome-keyring has saved it to the disk by then;
/// KWallet and KeePassXC do that some seconds later, and lose it if they are killed before. KeePassXC may also lose changes
/// made while it locks (seen: 2.7.4).
///
/// The Secret Service has no lock. Processes of this user with this library still change a secret one after another, by a lock
/// file in `$XDG_RUNTIME_DIR/stored-values`, and so lose no `update` of a ``SecurelyStoredValue``. Other programs do not use
/// that lock, and without a runtime folder that only this user can write, processes do not coordinate. If that folder is full,
/// or the lock file cannot be created, an update throws, and a secret is set or reset without the lock.
///
/// If it was built without the trait Libsecret, every call throws ``KeyringError/notBuiltIn``.
public struct SecretServiceKeyring: Keyring, Hashable {
    /// Which attributes identify an item in the keyring.
    public let attributes: SecretAttributes
    /// How long a call may take, including the wait for other calls. Only the prompt of ``unlock()`` has its own limit. Keyrings
    /// that differ only in this are equal: all wrappers of one secret use that of the wrapper that was used first.
    public let deadline: Duration
    /// The D-Bus address of the bus to use instead of the session's.
    let busAddress: String?
    /// The lock of a secret, if this instance is used to change that secret under it.
    var heldLock: HeldLock?

    /// The keyring of this process's session. It is not accessed before the first call.
    public init(attributes: SecretAttributes = .generic, deadline: Duration = .seconds(5)) {
        self.init(attributes: attributes, deadline: deadline, busAddress: nil)
    }

    /// The keyring on the bus at `busAddress`, for tests with their own bus.
    package init(attributes: SecretAttributes = .generic, deadline: Duration = .seconds(5), busAddress: String?) {
        self.attributes = attributes
        self.deadline = deadline
        self.busAddress = busAddress
    }

    /// The kind of keyring.
    public var description: String { "the desktop's keyring (Secret Service)" }

    /// Whether both store their secrets in the same place, whatever their deadlines.
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

/// The state of the desktop's keyring, found without starting a program or prompting the user. `collection` is the label of the
/// default one; `isPlain` is whether the program refuses to encrypt secrets in transit, nil if that is unknown.
package typealias SecretServiceInspection = (
    bus: String, canBeStarted: Bool, isRunning: Bool, process: UInt32?, collection: String?, isLocked: Bool, isPlain: Bool?
)
