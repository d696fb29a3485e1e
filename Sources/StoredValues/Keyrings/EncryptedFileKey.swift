/// Where the key of an ``EncryptedFileKeyring`` comes from. There is no plaintext: without a key there is no keyring.
public struct EncryptedFileKey: Sendable {
    enum Source: Sendable {
        case file(String)
        case generatedFile(String)
        case passphrase(@Sendable () throws -> Secret)
    }

    let source: Source

    /// A file of at least 32 random bytes, made by somebody else: a systemd credential, a mounted secret, `head -c 32
    /// /dev/urandom`.
    ///
    /// It must be a regular file, no symbolic link, owned by this user or root, and open to nobody else (mode 0600 or
    /// 0400): otherwise every call throws ``KeyringError/accessDenied`` or an ``KeyringError/other(domain:code:message:)``
    /// that says what is wrong.
    public static func file(_ path: String) -> EncryptedFileKey {
        EncryptedFileKey(source: .file(path))
    }

    /// A key file that the first write makes when it is missing: 32 random bytes, mode 0600, on the disk before the first
    /// secret is (beside it stays `<path>.lock`). It is checked as ``file(_:)`` is.
    ///
    /// This protects copies of the encrypted file alone: a backup, a commit, a stolen file. Who can read the files of this
    /// user reads both. When the encrypted file exists and the key does not, no new key is made, for that could never
    /// open it: every call throws an error that says so.
    public static func generatedFile(_ path: String) -> EncryptedFileKey {
        EncryptedFileKey(source: .generatedFile(path))
    }

    /// A passphrase, asked for when it is first needed, and again after it proved wrong. `closure` runs on the keyring's own
    /// thread, within the call's deadline; what it throws, the call throws.
    ///
    /// The key is derived with scrypt (N = 2^17, r = 8, p = 1), which takes a third of a second and 128 MiB once per
    /// keyring, and is kept in memory.
    public static func passphrase(_ closure: @escaping @Sendable () throws -> Secret) -> EncryptedFileKey {
        EncryptedFileKey(source: .passphrase(closure))
    }
}

extension EncryptedFileKey {
    /// How a new file derives its key from this.
    var method: KeyDerivation.Method {
        switch source {
        case .file, .generatedFile: .hkdf
        case .passphrase: .scrypt(.standard)
        }
    }

    /// Whether a file with this derivation can have been made with a key of this kind at all.
    func fits(_ derivation: KeyDerivation) -> Bool {
        switch (source, derivation.method) {
        case (.file, .hkdf), (.generatedFile, .hkdf), (.passphrase, .scrypt): true
        default: false
        }
    }

    /// Where the key lies, or nil when it is no file.
    var path: String? {
        switch source {
        case .file(let path), .generatedFile(let path): path
        case .passphrase: nil
        }
    }

    /// What it is and where, for people.
    var description: String {
        switch source {
        case .file(let path): "the key file \(path)"
        case .generatedFile(let path): "the key file \(path), made when missing"
        case .passphrase: "a passphrase"
        }
    }

    /// The bytes to derive from. `forNewFile` says that no encrypted file exists, under whose lock this runs.
    func material(forNewFile: Bool, operations: any FileOperations) throws(KeyringError) -> Secret {
        switch source {
        case .file(let path):
            return try KeyFile(path: path, operations: operations).read()
        case .generatedFile(let path):
            let file = KeyFile(path: path, operations: operations)
            if forNewFile { try file.makeIfMissing() }
            return try file.read()
        case .passphrase(let closure):
            let passphrase: Secret
            do {
                passphrase = try closure()
            } catch let error as KeyringError {
                throw error
            } catch {
                throw .other(domain: "EncryptedFileKey", code: 1, message: "no passphrase was to be had: \(error)")
            }
            guard passphrase.count > 0 else {
                throw .other(domain: "EncryptedFileKey", code: 2, message: "the passphrase is empty")
            }
            return passphrase
        }
    }
}
