import StoredValuesSupport

/// Several keyrings as one, such as provided credentials before a writable keyring:
///
/// ```swift
/// FallbackKeyring([.credentials(at: "/run/secrets"), .encryptedFile("/var/lib/app/secrets", key: .credential("key"))])
/// ```
///
/// - **Reading** returns the value of the first keyring that has one. If none has, and one gave no answer, it throws that one's
///   reason: the secret is absent only if all answer that they have none.
/// - **Writing** goes to the first keyring that can be written: only those that throw ``KeyringError/readOnly`` or
///   ``KeyringError/notBuiltIn`` are skipped. A locked one is not: its reason is thrown. If a skipped read-only keyring holds
///   the secret itself, it would hide what is written, so ``KeyringError/readOnly`` is thrown and nothing is written.
/// - **Removing** removes the secret from every keyring that holds it, the last one first, so that the same value is read until
///   the end. It throws before anything is removed if one of them gives no answer, and ``KeyringError/readOnly`` if a
///   ``CredentialsKeyring`` or a ``FleetKeyring`` holds the secret. Others, such as a file on a read-only file system or a keyring
///   of your own, may refuse only in their turn: the secret is then removed from the keyrings after them, and the value that is
///   read stays the same.
/// - Keyrings that this program was built without are skipped, unless there is no other.
///
/// A missing folder of credentials gives no answer: create the folder, even if it stays empty.
///
/// A call may take as long as all of them together. While a keyring is locked, a value from a later one is read, although the
/// locked one may hold another. If that matters, do not store the same secret in two of them.
public struct FallbackKeyring: Keyring {
    private let keyrings: [any Keyring]

    /// These keyrings, in this order. A fallback among them is replaced by its keyrings. Traps if the list is empty.
    public init(_ keyrings: [any Keyring]) {
        requireProperUse(!keyrings.isEmpty, "FallbackKeyring([]): name at least one keyring")
        self.keyrings = keyrings.flatMap { ($0 as? FallbackKeyring)?.keyrings ?? [$0] }
    }

    /// The descriptions of all, in order.
    public var description: String { keyrings.map(\.description).joined(separator: ", else ") }

    /// The changes of all. Those of one keyring keep their order.
    public var changes: KeyringChanges {
        KeyringChanges(merging: keyrings.map(\.changes)) { change in
            switch change {
            // What that means for a secret depends on the other keyrings, so it is read again.
            case .locked, .unavailable: .anySecret
            case .secret, .anySecret, .unlocked: change
            }
        }
    }

    /// The value of the first keyring that has one; throws the first reason if none has and one gave no answer.
    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        try await firstSecret { keyring throws(KeyringError) in try await keyring.read(id) }
    }

    /// Writes to the first keyring that can be written. Throws ``KeyringError/readOnly`` if an earlier one would hide that.
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        var reason = KeyringError.notBuiltIn
        for keyring in keyrings {
            do throws(KeyringError) {
                do throws(KeyringError) { return try await keyring.write(secret, for: id, label: label) } catch .readOnly {}
                guard try await keyring.read(id) == nil else { throw .readOnly }
                reason = .readOnly
            } catch .notBuiltIn {}
        }
        throw reason
    }

    /// Removes the secret from every keyring that holds it, the last one first.
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        let answers = try await askAll { keyring throws(KeyringError) in try await keyring.read(id) != nil }
        let holders = answers.filter { $0.answer }.map { $0.keyring }
        guard !holders.contains(where: { $0.resolved() is any ReadOnlyKeyring }) else { throw .readOnly }
        for keyring in holders.reversed() { try await keyring.remove(id) }
    }

    /// The keyrings, with those of a fallback that ``SystemKeyring`` stands for. The others are not resolved: one may hold a lock.
    private func all(in scope: TemporaryScope? = nil) -> [any Keyring] {
        keyrings.flatMap { ($0.resolved(in: scope) as? FallbackKeyring)?.keyrings ?? [$0] }
    }

    /// The secrets of all keyrings, sorted by account. Throws if one gives no answer.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        let all = try await askAll { keyring throws(KeyringError) in try await keyring.identifiers(inService: service) }
        return Set(all.flatMap(\.answer)).sortedByAccount
    }

    /// Unlocks each in turn, and throws the first reason why one did not open.
    public func unlock() async throws(KeyringError) {
        _ = try await firstSecret { keyring throws(KeyringError) in
            try await keyring.unlock()
            return nil
        }
    }

    /// Watches the secret in all of them.
    public func watch(_ id: SecretIdentifier) -> (any Sendable)? { keyrings.compactMap { $0.watch(id) } }

    /// Takes the lock of the keyring that will be written. A keyring of your own without a lock is assumed to be that one, although
    /// it may turn out to be read-only.
    public func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
        var reason = KeyringError.notBuiltIn
        var keyrings = all()
        for (number, keyring) in keyrings.enumerated() {
            do {
                let locked = try await keyring.locked(for: id)
                keyrings[number] = locked
                // All keyrings of the desktop share a secret's lock: removing the secret from another one would wait for this lock.
                if let lock = (locked as? SecretServiceKeyring)?.heldLock {
                    keyrings = keyrings.map { keyring -> any Keyring in
                        guard var sharing = keyring.resolved() as? SecretServiceKeyring else { return keyring }
                        sharing.heldLock = lock
                        return sharing
                    }
                }
                return FallbackKeyring(keyrings)
            } catch .notBuiltIn {
                continue
            } catch .readOnly {
                reason = .readOnly
            }
        }
        throw reason
    }

    /// Replaces it in each of the keyrings.
    public func replacingSystem(with system: () -> any Keyring) -> any Keyring {
        FallbackKeyring(keyrings.map { $0.replacingSystem(with: system) })
    }

    /// The first secret that a keyring returns; nil if all answer that they have none. Otherwise throws the first error, or at once that this
    /// was cancelled.
    private func firstSecret(
        _ question: (any Keyring) async throws(KeyringError) -> Secret?
    ) async throws(KeyringError) -> Secret? {
        var reason: KeyringError?
        var isAnswered = false
        for keyring in keyrings {
            do throws(KeyringError) {
                if let secret = try await question(keyring) { return secret }
                isAnswered = true
            } catch {
                if error == .cancelled { throw error }
                // One that is not built in counts only if there is no other.
                if error != .notBuiltIn { reason = reason ?? error }
            }
        }
        if let reason { throw reason }
        guard isAnswered else { throw .notBuiltIn }
        return nil
    }

    /// The answers of all keyrings that are built in; throws the first error.
    private func askAll<Answer>(
        _ question: (any Keyring) async throws(KeyringError) -> Answer
    ) async throws(KeyringError) -> [(keyring: any Keyring, answer: Answer)] {
        var answers: [(keyring: any Keyring, answer: Answer)] = []
        for keyring in all() {
            do { answers.append((keyring, try await question(keyring))) } catch .notBuiltIn {}
        }
        guard !answers.isEmpty else { throw .notBuiltIn }
        return answers
    }
}

extension FallbackKeyring: Hashable {
    /// Whether both ask the same keyrings in the same order.
    public static func == (left: FallbackKeyring, right: FallbackKeyring) -> Bool { left.identities() == right.identities() }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(identities()) }

    /// The identities of its keyrings, for a wrapper that was created in `scope`.
    func identities(in scope: TemporaryScope? = nil) -> [KeyringIdentity] { all(in: scope).map { KeyringIdentity($0, in: scope) } }
}
