#if Libsecret
    import Dispatch
    import StoredValuesFiles
    import StoredValuesSupport
    import StoredValuesSecretService

    // The Secret Service has no lock, so processes with this library use lock files in the runtime folder, one per secret: a
    // process that is stopped in the middle of an update must not block other secrets.
    extension SecretServiceKeyring: LockableKeyring {
        func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
            var keyring = self
            keyring.heldLock = try await lock(of: id, isNeeded: true)
            return keyring
        }

        /// The lock of `id`; nil if there is no runtime folder that this process may write, or no bus, without which nothing
        /// can be stored. Another error of that folder, such as that it is full, is thrown only if the lock `isNeeded`: it is
        /// no reason to refuse a change that is a single step.
        func lock(of id: SecretIdentifier, isNeeded: Bool = false) async throws(KeyringError) -> HeldLock? {
            if let heldLock { return heldLock }
            guard (try? bus.resolve()) != nil, let file = lockFile(of: id) else { return nil }
            do throws(KeyringError) {
                // Usually it is free. A thread and a deadline for each change would cost more than the lock.
                if let lock = try file.holdIfFree() { return lock }
                return try await queue(for: id).perform(deadline: deadline) { [deadline] isWanted throws(KeyringError) in
                    try file.hold(deadline: deadline, isWanted: isWanted)
                }
            } catch {
                switch error {
                case .accessDenied, .readOnly: return nil
                case .timedOut, .cancelled: throw error
                default: if isNeeded { throw error } else { return nil }
                }
            }
        }
    }

    /// The bus is not a part of the name: processes may write the address of one bus differently.
    private func lockFile(of id: SecretIdentifier) -> DurableFile? {
        guard let folder = runtimeFolder() else { return nil }
        return DurableFile(path: "\(folder)/stored-values/secret-\(DurableFile.shortName(for: "\(id.service)\0\(id.account)"))")
    }

    /// The folder for such files by the XDG specification: this user's, and not writable by others.
    private func runtimeFolder() -> String? {
        guard let path = try? environmentVariable("XDG_RUNTIME_DIR"), path.utf8.first == UInt8(ascii: "/"),
            let status = try? POSIXFileOperations().status(at: path, followingLinks: true),
            status.kind == .folder, status.user == effectiveUser(), status.mode & 0o022 == 0
        else { return nil }
        return path
    }

    /// The queue that waits for the lock of `id`: one per secret, so that secrets do not wait for each other, with at most one
    /// thread. It is kept for each secret that ever had to wait, some hundred bytes.
    private func queue(for id: SecretIdentifier) -> DispatchQueue {
        queues.withLock { queues in
            let queue = queues[id] ?? DispatchQueue(label: "StoredValues.SecretServiceKeyring.lock")
            queues[id] = queue
            return queue
        }
    }

    private let queues = Guarded<[SecretIdentifier: DispatchQueue]>([:])
#endif
