import StoredValues

/// Moves the token from the plain file of the program's first version into the keyring.
///
/// The file is removed only after the keyring has returned the token. So this can be killed at any moment, repeated, and run by
/// two processes at once: the token is in the file, or the keyring has confirmed that it has it.
///
/// What a keyring has is not always on the disk. gnome-keyring and an encrypted file have written it by then. KWallet and
/// KeePassXC write it some seconds later: if the power fails or they are killed before, the token is lost, because the file has
/// been removed. This token can be replaced by logging in again. One that cannot should stay in the file until a later start.
struct TokenMove {
    /// What there was to do.
    enum Outcome {
        case nothingToMove, moved, alreadyInKeyring
    }

    let file: PlainFile
    @SecurelyStoredValue<String> var token: String?

    init(from file: PlainFile, to token: SecurelyStoredValue<String>) {
        self.file = file
        _token = token
    }

    func run() async throws(TokenMoveError) -> Outcome {
        // The file is read before the keyring: another process that wipes the file has stored the token before. So a token that
        // is read half wiped differs from the stored one, and is never stored.
        guard let plain = try file.read() else { return .nothingToMove }
        guard !plain.isEmpty else {  // wiped by a move that was killed before it could remove the file
            try file.wipeAndRemove()
            return .nothingToMove
        }
        let stored = try await load()
        guard stored == nil || stored == plain else { throw .conflict(path: file.path) }
        if stored == nil {
            do throws(SecretError) { try await $token.set(plain) } catch { throw .keyring(error.reason, path: file.path) }
            guard try await load() == plain else { throw .notKept(path: file.path) }
        }
        try file.wipeAndRemove()
        return stored == nil ? .moved : .alreadyInKeyring
    }

    private func load() async throws(TokenMoveError) -> String? {
        do throws(SecretError) { return try await $token.load() } catch { throw .keyring(error.reason, path: file.path) }
    }
}
