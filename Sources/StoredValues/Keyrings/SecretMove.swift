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
        let move = SecretMove(
            source: .init(keyring: self, failure: SecretMoveError.source),
            destination: .init(keyring: destination, failure: SecretMoveError.destination), isOverwriting: overwriting)
        return try await move.perform(inService: service, progress)
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
    let source: Side
    var destination: Side
    let isOverwriting: Bool

    /// One of the two keyrings. Its errors say which one failed.
    struct Side {
        let keyring: any Keyring
        let failure: @Sendable (KeyringError) -> SecretMoveError

        func read(_ id: SecretIdentifier) async throws(SecretMoveError) -> Secret? {
            do { return try await keyring.read(id) } catch { throw failure(error) }
        }

        func write(_ secret: Secret, _ id: SecretIdentifier, label: String? = nil) async throws(SecretMoveError) {
            do { try await keyring.write(secret, for: id, label: label ?? id.description) } catch { throw failure(error) }
        }

        func remove(_ id: SecretIdentifier) async throws(SecretMoveError) {
            do { try await keyring.remove(id) } catch { throw failure(error) }
        }

        func locked(for id: SecretIdentifier) async throws(SecretMoveError) -> Side {
            do { return Side(keyring: try await keyring.locked(for: id), failure: failure) } catch { throw failure(error) }
        }
    }

    func perform(inService service: String, _ progress: (Int, Int) -> Void) async throws(SecretMoveError) -> MovedSecrets {
        guard KeyringIdentity(source.keyring) != KeyringIdentity(destination.keyring) else { throw .sameKeyring }
        let ids: [SecretIdentifier]
        do { ids = try await source.keyring.identifiers(inService: service) } catch { throw .source(error) }
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
            guard let (secret, failure) = try await removeCopied(id) else { continue }
            do throws(SecretMoveError) { try await keep(secret, id) } catch { throw failure ?? error }
            if let failure { throw failure }
            if !copied.contains(id) { alreadyThere.append(id) }
        }
        return MovedSecrets(copied: copied, alreadyThere: alreadyThere)
    }

    // Under the lock of the secret at the destination, then of that in the source, never both at once: two layouts of the desktop's
    // keyring share one lock, and two moves in opposite directions would wait for each other.

    /// Returns false if there was nothing to copy.
    private func copy(_ id: SecretIdentifier) async throws(SecretMoveError) -> Bool {
        var move = self
        move.destination = try await destination.locked(for: id)
        guard let secret = try await source.read(id) else { return false }
        let isCopied = try await move.needsCopy(id)
        // Also if it is there: two fallbacks may share the keyring that has it, and it would be removed with the source's.
        try await move.destination.write(secret, id)
        guard try await move.destination.read(id) == secret else { throw .notKept(id) }
        return isCopied
    }

    /// Returns what was removed, or with an error what may have been; nil if it no longer exists.
    private func removeCopied(_ id: SecretIdentifier) async throws(SecretMoveError) -> (secret: Secret, failure: SecretMoveError?)? {
        let source = try await source.locked(for: id)
        guard let secret = try await source.read(id) else { return nil }
        // Another program may have changed either since it was copied.
        let there = try await destination.read(id)
        guard there == secret else { throw there == nil ? .notKept(id) : .conflict(id) }
        do throws(SecretMoveError) { try await source.remove(id) } catch { return (secret, error) }
        return (secret, nil)
    }

    /// Stores what was removed from the source once more if it is gone from the destination too: another program may have given one item
    /// the attributes by which both find it, which no probe shows. Such an item is lost if the process is killed before that, or if the removal is
    /// made after its deadline, as by a user who answers late.
    private func keep(_ secret: Secret, _ id: SecretIdentifier) async throws(SecretMoveError) {
        try await evenIfCancelled { () async throws(SecretMoveError) in
            guard try await destination.read(id) == nil else { return }
            do throws(SecretMoveError) { try await destination.write(secret, id) } catch {
                try? await source.write(secret, id)  // better there than nowhere
                throw error
            }
        }
    }

    /// Whether the secret still exists, and the destination does not have it.
    private func needsCopy(_ id: SecretIdentifier) async throws(SecretMoveError) -> Bool {
        guard let secret = try await source.read(id) else { return false }
        let there = try await destination.read(id)
        guard there == nil || there == secret || isOverwriting else { throw .conflict(id) }
        return there != secret
    }

    /// Ensures that a secret removed from one keyring stays in the other. Two that look different may share one place, such as
    /// a file opened twice, or two attribute layouts of which one finds what the other stores.
    private func requireTwoPlaces() async throws(SecretMoveError) {
        let probe = SecretIdentifier(service: "stored-values-move", account: UUID().uuidString)
        for (one, other) in [(destination, source), (source, destination)] {
            let isSeen: Bool
            do throws(SecretMoveError) {
                try await one.write(Secret([]), probe, label: "StoredValues: test before a move, can be deleted")
                isSeen = try await other.read(probe) != nil
            } catch {
                try? await evenIfCancelled { () async throws(SecretMoveError) in try await one.remove(probe) }
                throw error
            }
            try await evenIfCancelled { () async throws(SecretMoveError) in try await one.remove(probe) }
            guard !isSeen else { throw .sameKeyring }
        }
    }

    /// Runs `work` in a task of its own: in a cancelled one, keyrings read and write nothing.
    private func evenIfCancelled(
        _ work: @escaping @Sendable () async throws(SecretMoveError) -> Void
    ) async throws(SecretMoveError) {
        try await Task { () async -> Result<Void, SecretMoveError> in
            do throws(SecretMoveError) { return .success(try await work()) } catch { return .failure(error) }
        }.value.get()
    }
}
