import FoundationEssentials

extension Keyring {
    /// Moves all secrets of `service` to `destination`, and returns which.
    ///
    /// Each is copied, read back and compared; only when all are there is the first one removed here. If it throws, every
    /// secret can still be read in at least one of the two keyrings, and another call finishes the move, also after the process
    /// was killed. Each is compared again under its lock (``Keyring/locked(for:)``) before it is removed: if another process has
    /// stored something else meanwhile, that stays, and ``SecretMoveError/conflict(_:)`` is thrown. Do not move the same secrets in both
    /// directions at once: each move may then remove what the other relies on, and a secret is in neither keyring until it is put back.
    ///
    /// The labels become `service/account`, because labels cannot be read. Wrappers are not changed: declare them with the new
    /// keyring.
    ///
    /// - Parameters:
    ///   - service: The service that the secrets belong to.
    ///   - destination: The keyring to move them to.
    ///   - overwriting: Whether to replace a secret of the same name with other bytes at the destination. Otherwise it throws
    ///     ``SecretMoveError/conflict(_:)`` before anything is changed.
    @discardableResult
    public func moveSecrets(
        inService service: String, to destination: some Keyring, overwriting: Bool = false
    ) async throws(SecretMoveError) -> MovedSecrets {
        try await moveSecrets(inService: service, to: destination, overwriting: overwriting) { _, _ in }
    }

    /// The same with progress: how many of how many steps are done.
    package func moveSecrets(
        inService service: String, to destination: some Keyring, overwriting: Bool, progress: @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(SecretMoveError) -> MovedSecrets {
        try await SecretMove(source: self, destination: destination, isOverwriting: overwriting).perform(inService: service, progress)
    }
}

/// What ``Keyring/moveSecrets(inService:to:overwriting:)`` did, sorted by account.
public struct MovedSecrets: Hashable, Sendable {
    /// The secrets that were copied, and removed from the source.
    public let copied: [SecretIdentifier]
    /// The secrets that were already at the destination, byte for byte, as after an interrupted move. They were removed from
    /// the source.
    public let alreadyThere: [SecretIdentifier]
}

/// Why not all secrets were moved. Each is still in at least one of the two keyrings; another call continues.
public enum SecretMoveError: Error, Equatable {
    /// The destination has this secret, with other bytes than the source.
    case conflict(SecretIdentifier)
    /// Both keyrings are the same place.
    case sameKeyring
    /// The destination accepted this secret, but returned other bytes, or another program has removed it there meanwhile.
    case notKept(SecretIdentifier)
    /// The source keyring failed.
    case source(KeyringError)
    /// The destination keyring failed.
    case destination(KeyringError)
}

extension SecretMoveError: StoredValuesError {
    /// What happened and what to do, for the program's user.
    public var description: String { text(\.description) }

    /// The description, then what only the programmer can do.
    public var debugDescription: String {
        if case .conflict = self { "\(self) Pass overwriting: true." } else { text(\.debugDescription) }
    }

    /// The status with which a command line program ends by this error, as `stored-values` does: a number of sysexits(3), or 1.
    public var exitStatus: Int32 {
        switch self {
        case .conflict, .sameKeyring: 64
        case .notKept: 74
        case .source(let error), .destination(let error): error.exitStatus
        }
    }

    private func text(_ reason: (KeyringError) -> String) -> String {
        switch self {
        case .conflict(let id):
            "The secret \"\(id)\" is different at the destination. Remove the one that is wrong, or move again and overwrite it."
        case .sameKeyring:
            "The secrets cannot be moved: both keyrings are the same place. Choose another destination."
        case .notKept(let id):
            "The destination does not have \"\(id)\" as it was stored there, so it was left in the source. Check the destination, and move again."
        case .source(let error):
            "Not all secrets were moved, because the source keyring failed: \(reason(error)) Then move again."
        case .destination(let error):
            "Not all secrets were moved, because the destination keyring failed: \(reason(error)) Then move again."
        }
    }
}

/// One move of secrets, step by step.
private struct SecretMove {
    var source: any Keyring
    var destination: any Keyring
    let isOverwriting: Bool

    func perform(inService service: String, _ progress: (Int, Int) -> Void) async throws(SecretMoveError) -> MovedSecrets {
        guard KeyringIdentity(source) != KeyringIdentity(destination) else { throw .sameKeyring }
        let ids: [SecretIdentifier]
        do { ids = try await source.identifiers(inService: service) } catch { throw .source(error) }
        // All are checked before the first is copied, and all are copied before the first is removed.
        for (index, id) in ids.enumerated() {
            progress(index, 3 * ids.count)
            _ = try await needsCopy(id)
        }
        if !ids.isEmpty { try await requireTwoPlaces() }
        var copied: [SecretIdentifier] = [], alreadyThere: [SecretIdentifier] = []
        for (index, id) in ids.enumerated() {
            progress(ids.count + index, 3 * ids.count)
            if try await copy(id) { copied.append(id) }
        }
        for (index, id) in ids.enumerated() {
            progress(2 * ids.count + index, 3 * ids.count)
            guard let removed = try await removeCopied(id) else { continue }
            try await keep(removed, id)
            if !copied.contains(id) { alreadyThere.append(id) }
        }
        return MovedSecrets(copied: copied, alreadyThere: alreadyThere)
    }

    // Under the lock of the secret at the destination, then of that in the source, never both at once: two layouts of the desktop's
    // keyring share one lock, and two moves in opposite directions would wait for each other.

    /// Returns false if there was nothing to copy.
    private func copy(_ id: SecretIdentifier) async throws(SecretMoveError) -> Bool {
        var move = self
        do { move.destination = try await destination.locked(for: id) } catch { throw .destination(error) }
        guard let secret = try await move.readSource(id) else { return false }
        let isCopied = try await move.needsCopy(id) != nil
        // Also if it is there: that may be in a keyring that both have in common, as two fallbacks, and would go with the source's.
        do { try await move.destination.write(secret, for: id, label: id.description) } catch { throw .destination(error) }
        guard try await move.readDestination(id) == secret else { throw .notKept(id) }
        return isCopied
    }

    /// Returns what was removed; nil if it no longer exists.
    private func removeCopied(_ id: SecretIdentifier) async throws(SecretMoveError) -> Secret? {
        var move = self
        do { move.source = try await source.locked(for: id) } catch { throw .source(error) }
        guard let secret = try await move.readSource(id) else { return nil }
        // Another program may have changed either since it was copied.
        let there = try await readDestination(id)
        guard there == secret else { throw there == nil ? .notKept(id) : .conflict(id) }
        do { try await move.source.remove(id) } catch { throw .source(error) }
        return secret
    }

    /// Stores what was removed from the source once more if it is gone from the destination too: another program may have given one item
    /// the attributes by which both find it, which no probe shows. If the process is killed before that, such an item is lost.
    private func keep(_ secret: Secret, _ id: SecretIdentifier) async throws(SecretMoveError) {
        // In a task of its own: one that is cancelled would read and write nothing.
        try await Task { () async -> Result<Void, SecretMoveError> in
            do throws(SecretMoveError) {
                guard try await readDestination(id) == nil else { return .success(()) }
                do throws(KeyringError) { return .success(try await destination.write(secret, for: id, label: id.description)) } catch {
                    try? await source.write(secret, for: id, label: id.description)  // rather there than nowhere
                    throw .destination(error)
                }
            } catch { return .failure(error) }
        }.value.get()
    }

    /// The secret to copy; nil if the destination has it, or it no longer exists.
    private func needsCopy(_ id: SecretIdentifier) async throws(SecretMoveError) -> Secret? {
        guard let secret = try await readSource(id) else { return nil }
        let there = try await readDestination(id)
        guard there == nil || there == secret || isOverwriting else { throw .conflict(id) }
        return there == secret ? nil : secret
    }

    /// Ensures that a secret removed from one keyring stays in the other. Two that look different may share one place, such as
    /// a file opened twice, or two attribute layouts of which one finds what the other stores.
    private func requireTwoPlaces() async throws(SecretMoveError) {
        let probe = SecretIdentifier(service: "stored-values-move", account: UUID().uuidString)
        let ways = [
            (destination, source, SecretMoveError.destination, SecretMoveError.source),
            (source, destination, SecretMoveError.source, SecretMoveError.destination),
        ]
        for (keyring, other, failure, otherFailure) in ways {
            let isSeen = try await sees(probe, writtenTo: keyring, failure, in: other, otherFailure)
            guard !isSeen else { throw .sameKeyring }
        }
    }

    /// Whether `other` has what is written to `keyring`, where nothing of it is left. Each failure is that of the keyring before it.
    private func sees(
        _ probe: SecretIdentifier, writtenTo keyring: any Keyring, _ failure: (KeyringError) -> SecretMoveError,
        in other: any Keyring, _ otherFailure: (KeyringError) -> SecretMoveError
    ) async throws(SecretMoveError) -> Bool {
        let isSeen: Result<Bool, SecretMoveError>
        do throws(SecretMoveError) {
            do {
                try await keyring.write(Secret([]), for: probe, label: "StoredValues: test before a move, can be deleted")
            } catch { throw failure(error) }
            let found: Secret?
            do { found = try await other.read(probe) } catch { throw otherFailure(error) }
            isSeen = .success(found != nil)
        } catch {
            isSeen = .failure(error)
        }
        // In a task of its own: one that is cancelled removes nothing.
        let removal = await Task { () async -> Result<Void, KeyringError> in
            do throws(KeyringError) { return .success(try await keyring.remove(probe)) } catch { return .failure(error) }
        }.value
        let result = try isSeen.get()
        try removal.mapError(failure).get()
        return result
    }

    private func readSource(_ id: SecretIdentifier) async throws(SecretMoveError) -> Secret? {
        do { return try await source.read(id) } catch { throw .source(error) }
    }

    private func readDestination(_ id: SecretIdentifier) async throws(SecretMoveError) -> Secret? {
        do { return try await destination.read(id) } catch { throw .destination(error) }
    }
}
