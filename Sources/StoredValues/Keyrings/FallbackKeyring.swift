import StoredValuesSupport

/// Several keyrings as one, such as credentials that an administrator may provide before a keyring that can be written:
///
/// ```swift
/// FallbackKeyring([.credentials(at: "/run/secrets"), .encryptedFile("/var/lib/app/secrets", key: .credential("key"))])
/// ```
///
/// - **Reading** returns the value of the first keyring that has one. Where none has, and one could not be asked, it throws
///   that one's reason: only when all answer that they have none is the secret absent.
/// - **Writing** goes to the first keyring that can be written at all: only those that throw ``KeyringError/readOnly`` or
///   ``KeyringError/notBuiltIn`` are passed over. A locked one is not: its reason is thrown. When a read-only keyring that was
///   passed over holds the secret itself, it would go on hiding what is written, so ``KeyringError/readOnly`` is thrown and
///   nothing is written.
/// - **Removing** removes it from every keyring that holds it, the last one first, so that until the end the same value is
///   read. It throws before anything is removed when one of them could not be asked, and ``KeyringError/readOnly`` when
///   one that holds it cannot be written; the value that is read stays the same then.
/// - Keyrings that this program was built without hold nothing that it could ever see. They are passed over, unless there is
///   no other.
///
/// A folder of credentials that is missing is one that could not be asked: provide it, if only an empty one.
///
/// A call may take as long as all of them together. While a keyring is locked, a value from a later one is read, though the
/// locked one may hold another. Where that matters, let no two of them hold the same secret.
public struct FallbackKeyring: Keyring {
    private let keyrings: [any Keyring]

    /// These keyrings, in this order. None at all ends the program.
    public init(_ keyrings: [any Keyring]) {
        requireProperUse(!keyrings.isEmpty, "FallbackKeyring([]): name at least one keyring")
        self.keyrings = keyrings
    }

    /// The descriptions of all, in order.
    public var description: String { keyrings.map(\.description).joined(separator: ", else ") }

    /// The changes of all. Those of one keyring keep their order.
    public var changes: KeyringChanges {
        KeyringChanges(merging: keyrings.map(\.changes)) { change in
            switch change {
            // What that means for a secret depends on the others: whoever cares reads again.
            case .locked, .unavailable: .anySecret
            case .secret, .anySecret, .unlocked: change
            }
        }
    }

    /// The value of the first keyring that has one; throws the first reason where none has and one could not be asked.
    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        try await firstSecret { keyring throws(KeyringError) in try await keyring.read(id) }
    }

    /// Writes to the first keyring that can be written. Throws ``KeyringError/readOnly`` where one before it would hide that.
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        var reason = KeyringError.notBuiltIn
        for keyring in keyrings {
            do throws(KeyringError) {
                return try await keyring.write(secret, for: id, label: label)
            } catch {
                guard error == .readOnly || error == .notBuiltIn else { throw error }
                guard error == .readOnly else { continue }
                reason = .readOnly
            }
            guard try await keyring.read(id) == nil else { throw .readOnly }
        }
        throw reason
    }

    /// Removes it from every keyring that holds it, the last one first.
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        let all = try await askAll { keyring throws(KeyringError) in try await keyring.read(id) != nil }
        for (keyring, holdsIt) in all.reversed() where holdsIt { try await keyring.remove(id) }
    }

    /// What any of them has, sorted by account. Throws when one could not be asked.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        let all = try await askAll { keyring throws(KeyringError) in try await keyring.identifiers(inService: service) }
        return Set(all.flatMap(\.answer)).sorted { $0.account < $1.account }
    }

    /// Unlocks each in turn, and throws the first reason for which one did not open.
    public func unlock() async throws(KeyringError) {
        _ = try await firstSecret { keyring throws(KeyringError) in
            try await keyring.unlock()
            return nil
        }
    }

    /// The first secret that one of them answers with; throws the first reason where none does and one could not be asked.
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
                // One that is not built in counts only where there is no other.
                if error != .notBuiltIn { reason = reason ?? error }
            }
        }
        if let reason { throw reason }
        guard isAnswered else { throw .notBuiltIn }
        return nil
    }

    /// What each keyring that is built in answers; throws the first reason for which one does not.
    private func askAll<Answer>(
        _ question: (any Keyring) async throws(KeyringError) -> Answer
    ) async throws(KeyringError) -> [(keyring: any Keyring, answer: Answer)] {
        var all: [(keyring: any Keyring, answer: Answer)] = []
        for keyring in keyrings {
            do throws(KeyringError) {
                all.append((keyring, try await question(keyring)))
            } catch {
                guard error == .notBuiltIn else { throw error }
            }
        }
        guard !all.isEmpty else { throw .notBuiltIn }
        return all
    }
}

extension FallbackKeyring: StandInKeyring {
    func resolved(in scope: TemporaryScope?) -> any Keyring {
        FallbackKeyring(keyrings.map { ($0 as? any StandInKeyring)?.resolved(in: scope) ?? $0 })
    }

    var asksSystem: Bool { keyrings.contains { ($0 as? any StandInKeyring)?.asksSystem == true } }
}

extension FallbackKeyring: SelectiveKeyring {
    func interest(in id: SecretIdentifier) -> (any Sendable)? { keyrings.compactMap { $0.interestIfSelective(in: id) } }
}

extension FallbackKeyring: LockableKeyring {
    /// With the lock of the keyring that a change goes to; without one where that has none. Which it is can be told unless one
    /// that is not of this package comes first: it may turn out to be read-only, but for all that is known a change goes there.
    func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
        var reason = KeyringError.notBuiltIn
        for (number, keyring) in keyrings.enumerated() {
            let real = (keyring as? any StandInKeyring)?.resolved(in: nil) ?? keyring
            guard let lockable = real as? any LockableKeyring else { return self }
            do throws(KeyringError) {
                var keyrings = keyrings
                keyrings[number] = try await lockable.locked(for: id)
                return FallbackKeyring(keyrings)
            } catch {
                guard error == .readOnly || error == .notBuiltIn else { throw error }
                if error == .readOnly { reason = .readOnly }
            }
        }
        throw reason
    }
}

extension FallbackKeyring: Hashable {
    /// Whether both ask the same keyrings in the same order.
    public static func == (left: FallbackKeyring, right: FallbackKeyring) -> Bool { left.identities == right.identities }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(identities) }

    private var identities: [KeyringIdentity] { keyrings.map(KeyringIdentity.init) }
}
