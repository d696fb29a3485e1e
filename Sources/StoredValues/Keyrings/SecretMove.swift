import FoundationEssentials

extension Keyring {
    /// Moves all secrets of `service` to `destination`, and returns which.
    ///
    /// Each is copied, read back and compared; only when all are there is the first one removed here. When it throws, every
    /// secret can still be read in at least one of the two, and calling it again finishes the work. So does a call after the
    /// process was killed. What other programs change meanwhile is compared again before it is removed.
    ///
    /// The labels become `service/account`, for a keyring does not tell them. Wrappers are not moved: declare them with
    /// the new keyring.
    ///
    /// - Parameters:
    ///   - service: Whose secrets they are.
    ///   - destination: Where they go.
    ///   - overwriting: Whether a secret of the same name at the destination, with other bytes, is replaced. Unless it is,
    ///     that throws ``SecretMoveError/conflict(_:)`` before anything is changed.
    @discardableResult
    public func moveSecrets(
        inService service: String, to destination: some Keyring, overwriting: Bool = false
    ) async throws(SecretMoveError) -> MovedSecrets {
        try await SecretMove(source: self, destination: destination, isOverwriting: overwriting).perform(inService: service)
    }
}

/// What ``Keyring/moveSecrets(inService:to:overwriting:)`` did, sorted by account.
public struct MovedSecrets: Hashable, Sendable {
    /// These were copied, and removed where they were.
    public let copied: [SecretIdentifier]
    /// These were at the destination already, byte for byte, as after a move that was interrupted. They were removed where they
    /// were.
    public let alreadyThere: [SecretIdentifier]
}

/// One move of secrets, step by step.
private struct SecretMove {
    let source: any Keyring
    let destination: any Keyring
    let isOverwriting: Bool

    func perform(inService service: String) async throws(SecretMoveError) -> MovedSecrets {
        guard KeyringIdentity(source) != KeyringIdentity(destination) else { throw .sameKeyring }
        let ids: [SecretIdentifier]
        do { ids = try await source.identifiers(inService: service) } catch { throw .source(error) }
        // All are looked at before the first is copied, and all are copied before the first is removed.
        for id in ids { _ = try await needsCopy(id) }
        var copied: [SecretIdentifier] = [], alreadyThere: [SecretIdentifier] = []
        for id in ids {
            guard let secret = try await needsCopy(id) else { continue }
            try await copy(secret, id)
            copied.append(id)
        }
        if !ids.isEmpty { try await requireTwoPlaces() }
        for id in ids where try await remove(id) {
            if !copied.contains(id) { alreadyThere.append(id) }
        }
        return MovedSecrets(copied: copied, alreadyThere: alreadyThere)
    }

    /// The secret that is to be copied; nil when the destination has it, or it is gone.
    private func needsCopy(_ id: SecretIdentifier) async throws(SecretMoveError) -> Secret? {
        guard let secret = try await readSource(id) else { return nil }
        let there = try await readDestination(id)
        guard there == nil || there == secret || isOverwriting else { throw .conflict(id) }
        return there == secret ? nil : secret
    }

    private func copy(_ secret: Secret, _ id: SecretIdentifier) async throws(SecretMoveError) {
        do { try await destination.write(secret, for: id, label: id.description) } catch { throw .destination(error) }
        guard try await readDestination(id) == secret else { throw .notKept(id) }
    }

    /// Removes the secret from the source, when the destination has it. Returns whether there was one.
    private func remove(_ id: SecretIdentifier) async throws(SecretMoveError) -> Bool {
        guard let secret = try await readSource(id) else { return false }
        guard try await readDestination(id) == secret else { throw .conflict(id) }
        do { try await source.remove(id) } catch { throw .source(error) }
        return true
    }

    /// Makes sure that what is removed from one keyring stays in the other. Two that look different may be one place, such as a
    /// file that is opened twice, or two layouts of attributes of which one finds what the other stores.
    private func requireTwoPlaces() async throws(SecretMoveError) {
        let probe = SecretIdentifier(service: "stored-values-move", account: UUID().uuidString)
        func leavesNoTrace(of keyring: any Keyring, in other: any Keyring) async throws(KeyringError) -> Bool {
            try await keyring.write(Secret([]), for: probe, label: "StoredValues: a test before a move, can be deleted")
            let isSeen: Bool
            do {
                isSeen = try await other.read(probe) != nil
            } catch {
                try? await keyring.remove(probe)
                throw error
            }
            try await keyring.remove(probe)
            return !isSeen
        }
        let areTwo: Bool
        do { areTwo = try await leavesNoTrace(of: destination, in: source) } catch { throw .destination(error) }
        let areTwoTheOtherWay: Bool
        do { areTwoTheOtherWay = try await leavesNoTrace(of: source, in: destination) } catch { throw .source(error) }
        guard areTwo, areTwoTheOtherWay else { throw .sameKeyring }
    }

    private func readSource(_ id: SecretIdentifier) async throws(SecretMoveError) -> Secret? {
        do { return try await source.read(id) } catch { throw .source(error) }
    }

    private func readDestination(_ id: SecretIdentifier) async throws(SecretMoveError) -> Secret? {
        do { return try await destination.read(id) } catch { throw .destination(error) }
    }
}
