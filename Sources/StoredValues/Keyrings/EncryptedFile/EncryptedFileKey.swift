import StoredValuesFiles

/// The source of the key of an ``EncryptedFileKeyring``. The file is never in plaintext: without a key there is no keyring.
///
/// Every key but a passphrase and the portal's is at least 32 random bytes in a regular file that belongs to this user or root
/// and that only its owner can write. Otherwise every call throws ``KeyringError/accessDenied``, or an
/// ``KeyringError/other(domain:code:message:)`` that says what is wrong. To create one:
///
/// ```sh
/// (umask 077; head -c 32 /dev/urandom > key)
/// ```
///
/// Create one for each file: a file could be replaced with any other that was sealed with the same key.
public struct EncryptedFileKey: Sendable {
    enum Source: Sendable {
        case file(String, SecretFile.Provider, isGenerated: Bool = false)
        case credential(String, folder: String?)
        case passphrase(@Sendable () throws -> Secret)
        case portal(PortalKey)
    }

    let source: Source

    /// A relative path would mean another key as soon as the working folder changes.
    private static func absolute(_ path: String) -> String { DurableFile(path: path).path }

    /// A key file that belongs to this user or root (for root: or to the owner of its folder): not a symbolic link, and
    /// inaccessible to others (mode 0600 or 0400).
    public static func file(_ path: String) -> EncryptedFileKey { EncryptedFileKey(source: .file(absolute(path), .own)) }

    /// A key file that a container's runtime mounts, such as `/run/secrets/key`: it may be a symbolic link, and others may read
    /// it, because Docker and Kubernetes mount secrets that way by default, and a container has no other users. On a machine
    /// with other users, use ``file(_:)``.
    public static func mountedFile(_ path: String) -> EncryptedFileKey { EncryptedFileKey(source: .file(absolute(path), .mounted)) }

    /// The credential `name` of this systemd service (`LoadCredentialEncrypted=name:…`), a file in the folder that
    /// `$CREDENTIALS_DIRECTORY` names. The best choice on a server: systemd can bind it to the machine and its TPM. Its group
    /// may read it, because the access list by which systemd admits the service's user looks like that.
    public static func credential(_ name: String) -> EncryptedFileKey {
        EncryptedFileKey(source: .credential(name, folder: CredentialsFolder.named))
    }

    /// A key file that the first write creates if it is missing: 32 random bytes, mode 0600, on the disk before the first
    /// secret (`<path>.lock` stays beside it). It is checked like that of ``file(_:)``.
    ///
    /// This protects only copies of the encrypted file: a backup, a commit, a stolen file. A program that can read this user's
    /// files reads both. If the encrypted file exists without the key, no new key is created, because it could never open the
    /// file: every call throws an error that says so.
    public static func generatedFile(_ path: String) -> EncryptedFileKey {
        EncryptedFileKey(source: .file(absolute(path), .own, isGenerated: true))
    }

    /// A passphrase, requested when it is first needed, and again if it was wrong; while one call requests it, others wait and take its key, or
    /// request it in turn. `closure` runs on the keyring's own thread, within the call's deadline. If it throws a ``KeyringError``, the call throws that; of any other error
    /// only the type is reported, because its text may contain the passphrase. If it throws after the deadline, or its passphrase is
    /// wrong, the next call that needs one throws that and does not request it again, unless that is ``EncryptedFileKeyring/unlock()``.
    ///
    /// The key is derived with scrypt (N = 2^17, r = 8, p = 1), which takes a third of a second and 128 MiB once per keyring,
    /// and is kept in memory.
    public static func passphrase(_ closure: @escaping @Sendable () throws -> Secret) -> EncryptedFileKey {
        EncryptedFileKey(source: .passphrase(closure))
    }

    /// The master secret that the desktop stores for this sandboxed application, provided by the Secret portal
    /// (`org.freedesktop.portal.Secret`). A Flatpak needs no permission for it, and ``Keyring/system`` uses it there.
    ///
    /// The first call that needs the key requests it from the portal, in the background and once for all calls of the process.
    /// Usually the answer comes at once; if the desktop's keyring is locked, the portal prompts the user, for at most 2
    /// minutes. Until the answer, calls throw ``KeyringError/locked``, after their deadline at the latest; when it arrives,
    /// ``EncryptedFileKeyring/changes`` yields ``KeyringChange/unlocked``. After the user has dismissed the prompt, or the
    /// portal has answered that it has no secret, only ``EncryptedFileKeyring/unlock()`` asks again; other calls throw
    /// ``KeyringError/dismissed`` or ``KeyringError/locked``.
    ///
    /// The secret is passed through a pipe, is never on the disk, and stays in memory until the last keyring with this key is
    /// released; then it is wiped. All programs of one application get the same secret, and other applications get others.
    ///
    /// Only for a sandbox: outside, the portal provides a secret that other programs get too, and that may depend on how the
    /// program was started. If it was built without the trait `Libsecret`, calls that need the key throw
    /// ``KeyringError/notBuiltIn``.
    public static var portal: EncryptedFileKey { .portal(onBus: nil) }

    /// The same from the portal on the bus at this D-Bus address, for tests with their own bus.
    static func portal(onBus address: String?) -> EncryptedFileKey {
        EncryptedFileKey(source: .portal(.shared(onBus: address)))
    }
}

extension EncryptedFileKey {
    /// The real path of the key's file, or another identifier; nil if unknown. Two keys with one place are the same key.
    package var place: String? {
        switch source {
        case .file(let path, .mounted, _): path  // Kubernetes turns its links to others while the program runs
        case .file(let path, _, _): DurableFile(path: path).place
        case .credential(let name, let folder?): DurableFile(path: folder + "/" + name).place
        case .portal(let key): key.place
        case .credential, .passphrase: nil
        }
    }

    var description: String {
        switch source {
        case .file(let path, _, let isGenerated): "the key file \(path)\(isGenerated ? ", created if missing" : "")"
        case .credential(let name, _): "systemd's credential \"\(name)\""
        case .passphrase: "a passphrase"
        case .portal: "the Secret portal's key"
        }
    }

    /// The key that must be requested before it can be used, if this is one.
    var portalKey: PortalKey? {
        if case .portal(let key) = source { key } else { nil }
    }
}
