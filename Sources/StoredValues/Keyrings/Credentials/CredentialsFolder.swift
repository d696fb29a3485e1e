import StoredValuesFiles
import StoredValuesSupport

/// The files of a ``CredentialsKeyring``, read on the calling thread.
struct CredentialsFolder: Sendable {
    let path: String
    let operations: FileOperations
    /// Whether a newline at the end of a file is a part of the text.
    var keepsFinalNewlines = false

    /// Nil if there is no path, or an empty one.
    init?(_ path: String?, operations: FileOperations = .posix) {
        guard let path, !path.isEmpty else { return nil }
        (self.path, self.operations) = (DurableFile(path: path).path, operations)
    }

    /// Nil if the folder exists and has no file for it.
    func secret(for id: SecretIdentifier) throws(KeyringError) -> Secret? {
        let names = try Self.names(of: id)
        // Checked before and after: if the folder appears or disappears meanwhile, a file that was not found means nothing.
        try requireFolder()
        for name in names {
            if let secret = try contents(of: name) { return secret }
        }
        try requireFolder()
        return nil
    }

    func identifiers(inService service: String) throws(KeyringError) -> [SecretIdentifier] {
        try requireFolder()
        let names: [String]
        do { names = try fileNames(inFolder: path) } catch {
            try requireFolder()
            throw KeyringError(error)
        }
        var ids: Set<SecretIdentifier> = []
        for name in names where try isCredential(name) {
            ids.insert(SecretIdentifier(service: service, account: Self.account(of: name, in: service)))
        }
        return ids.sortedByAccount
    }

    func requireFolder() throws(KeyringError) {
        guard let kind = try kind(at: path) else {
            throw Self.failure(2, "the folder \"\(path)\" is missing; mount it there, or name another one")
        }
        guard kind == .folder else {
            throw Self.failure(3, "\"\(path)\" is \(kind.rawValue), not a folder; name the folder that contains the files")
        }
    }

    private func contents(of name: String) throws(KeyringError) -> Secret? {
        let filePath = path + "/" + name
        let file: SecretFile
        do {
            // Following symlinks, which is how Kubernetes mounts secrets.
            file = try SecretFile(filePath, openedFor: .reading, operations: operations)
        } catch .noEntry {
            guard try isLink(name) else { return nil }
            throw Self.failure(4, "\"\(filePath)\" is a symbolic link to a missing file")
        } catch .noDeviceOrPeer {
            throw KeyringError(FileError(.read, filePath, .notRegular(.socket)))
        } catch {
            throw KeyringError(FileError(.read, filePath, error))
        }
        guard file.status.kind == .regular else { throw KeyringError(FileError(.read, filePath, .notRegular(file.status.kind))) }
        guard file.status.identity.size <= Secret.sizeLimit else { throw .tooLarge }
        return try file.contents(isLine: !keepsFinalNewlines)
    }

    private func isCredential(_ name: String) throws(KeyringError) -> Bool {
        if let kind = try? kind(at: path + "/" + name) { return kind == .regular }
        return try isLink(name)  // reading it says what is wrong
    }

    private func isLink(_ name: String) throws(KeyringError) -> Bool {
        try kind(at: path + "/" + name, followingLinks: false) == .link
    }

    private func kind(at path: String, followingLinks: Bool = true) throws(KeyringError) -> FileKind? {
        let file = DurableFile(path: path, operations: operations)
        return try translatingErrors(file.status(at: path, followingLinks: followingLinks)?.kind)
    }

    // MARK: Names

    /// The possible paths of the secret's file; none if no file can have its name.
    func paths(of id: SecretIdentifier) -> [String] { ((try? Self.names(of: id)) ?? []).map { path + "/" + $0 } }

    /// The possible names of a secret's file; the first existing one counts.
    private static func names(of id: SecretIdentifier) throws(KeyringError) -> [String] {
        guard isFileName(id.account), !id.service.has("/"), !id.service.has("\0") else {
            throw failure(5, "\"\(id)\" cannot be the name of a file; use a key without slashes, of 255 bytes at most")
        }
        let longName = "\(id.service).\(id.account)"
        return !id.service.isEmpty && isFileName(longName) ? [longName, id.account] : [id.account]
    }

    private static func account(of name: String, in service: String) -> String {
        guard !service.isEmpty, let account = name.after(prefix: service + "."), isFileName(account) else { return name }
        return account
    }

    /// At most NAME_MAX bytes.
    private static func isFileName(_ name: String) -> Bool {
        !["", ".", ".."].contains(name) && name.utf8.count <= 255 && !name.has("/") && !name.has("\0")
    }

    /// The path of systemd's credential `name` in `folder`.
    static func path(of name: String, in folder: String?) throws(KeyringError) -> String {
        guard let folder, !folder.isEmpty else { throw unset }
        guard isFileName(name) else { throw failure(6, "\"\(name)\" cannot be the name of a credential") }
        return folder + "/" + name
    }

    static var named: String? { try? environmentVariable(CredentialsKeyring.variable) }

    static let unset = failure(
        1, "\(CredentialsKeyring.variable) is not set (or is not UTF-8), so this process has no credentials of systemd; add LoadCredential= to its unit")

    private static func failure(_ code: Int, _ message: String) -> KeyringError {
        .other(domain: "CredentialsKeyring", code: code, message: message)
    }
}
