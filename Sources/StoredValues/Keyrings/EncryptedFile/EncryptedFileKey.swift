import StoredValuesFiles

/// Where the key of an ``EncryptedFileKeyring`` comes from. There is no plaintext: without a key there is no keyring.
///
/// Every key but a passphrase and the portal's is at least 32 random bytes in a regular file that belongs to this user or root and that
/// nobody else can write. Otherwise every call throws ``KeyringError/accessDenied``, or an
/// ``KeyringError/other(domain:code:message:)`` that says what is wrong. To make one:
///
/// ```sh
/// (umask 077; head -c 32 /dev/urandom > key)
/// ```
///
/// Make one for each file: a file opens in the place of any other that was sealed with the same key.
public struct EncryptedFileKey: Sendable {
    enum Source: Sendable {
        case file(String)
        case mountedFile(String)
        case generatedFile(String)
        /// The name, and the folder when systemd gave one.
        case credential(String, folder: String?)
        case passphrase(@Sendable () throws -> Secret)
        case portal(PortalKey)
    }

    let source: Source

    /// A key file that this user or root made: no symbolic link, and open to nobody else (mode 0600 or 0400).
    public static func file(_ path: String) -> EncryptedFileKey { EncryptedFileKey(source: .file(path)) }

    /// A key file that a container's runtime mounts, such as `/run/secrets/key`: it may be a link, and others may read it,
    /// for Docker and Kubernetes mount secrets that way by default, and others in the container are none. On a machine that
    /// has other users, take ``file(_:)``.
    public static func mountedFile(_ path: String) -> EncryptedFileKey { EncryptedFileKey(source: .mountedFile(path)) }

    /// The credential `name` of this systemd service (`LoadCredentialEncrypted=name:…`), a file in the folder that
    /// `$CREDENTIALS_DIRECTORY` names now. The best on a server: systemd can bind it to the machine and its TPM. Its group
    /// may read it, for that is how the access list looks with which systemd lets the service's user in.
    public static func credential(_ name: String) -> EncryptedFileKey {
        EncryptedFileKey(source: .credential(name, folder: CredentialsFolder.named))
    }

    /// A key file that the first write makes when it is missing: 32 random bytes, mode 0600, on the disk before the first
    /// secret is (beside it stays `<path>.lock`). It is checked as that of ``file(_:)`` is.
    ///
    /// This protects copies of the encrypted file alone: a backup, a commit, a stolen file. Who can read the files of this
    /// user reads both. When the encrypted file exists and the key does not, no new key is made, for that could never
    /// open it: every call throws an error that says so.
    public static func generatedFile(_ path: String) -> EncryptedFileKey { EncryptedFileKey(source: .generatedFile(path)) }

    /// A passphrase, asked for when it is first needed, and again after it proved wrong. `closure` runs on the keyring's own
    /// thread, within the call's deadline. A ``KeyringError`` that it throws, the call throws; of any other error only the
    /// type is told, for what it says may hold the passphrase.
    ///
    /// The key is derived with scrypt (N = 2^17, r = 8, p = 1), which takes a third of a second and 128 MiB once per
    /// keyring, and is kept in memory.
    public static func passphrase(_ closure: @escaping @Sendable () throws -> Secret) -> EncryptedFileKey {
        EncryptedFileKey(source: .passphrase(closure))
    }

    /// The master secret that the desktop keeps for this sandboxed application, which the Secret portal
    /// (`org.freedesktop.portal.Secret`) hands out. A Flatpak needs no permission for it, and ``Keyring/system`` takes it there.
    ///
    /// The first call that needs the key asks the portal, in the background and once for all calls of the process. Mostly it
    /// answers at once; where the desktop's keyring is locked it asks the user, for 2 minutes at most. Until there is an answer calls
    /// throw ``KeyringError/locked``, after their deadline at the latest; when it comes, ``EncryptedFileKeyring/changes`` says
    /// ``KeyringChange/unlocked``. After the user has dismissed the question, or the portal answered that it has no secret,
    /// only ``EncryptedFileKeyring/unlock()`` asks again; the others throw ``KeyringError/dismissed`` or ``KeyringError/locked``.
    ///
    /// The secret comes through a pipe, is never on the disk, and stays in memory until the last keyring with this key goes;
    /// it is wiped then. All programs of one application get the same, and another application another one.
    ///
    /// For a sandbox only. To a program outside the portal hands a secret that others get, too, and that may depend on how
    /// the program was started. Built without the trait `Libsecret`, calls that need the key throw ``KeyringError/notBuiltIn``.
    public static var portal: EncryptedFileKey { .portal(onBus: nil) }

    /// The same from the portal on the bus at this D-Bus address: for tests, which bring their own bus.
    static func portal(onBus address: String?) -> EncryptedFileKey {
        EncryptedFileKey(source: .portal(.shared(onBus: address)))
    }
}

extension EncryptedFileKey {
    /// The real path of the key's file, or where else it lies; nil when nobody can tell. Two keys with one place are one key.
    var place: String? {
        switch source {
        case .file(let path), .mountedFile(let path), .generatedFile(let path): DurableFile(path: path).place
        case .credential(let name, let folder?): DurableFile(path: folder + "/" + name).place
        case .portal(let key): key.place
        case .credential, .passphrase: nil
        }
    }

    /// What it is and where, for people.
    var description: String {
        switch source {
        case .file(let path), .mountedFile(let path): "the key file \(path)"
        case .generatedFile(let path): "the key file \(path), made when missing"
        case .credential(let name, _): "systemd's credential \"\(name)\""
        case .passphrase: "a passphrase"
        case .portal: "the Secret portal's key"
        }
    }

    /// The key that has to be asked for before it can be used, if this is one.
    var portalKey: PortalKey? {
        if case .portal(let key) = source { key } else { nil }
    }
}
