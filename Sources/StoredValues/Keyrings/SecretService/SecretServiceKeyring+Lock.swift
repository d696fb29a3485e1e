#if Libsecret
    import Dispatch
    import StoredValuesFiles
    import StoredValuesSupport
    import StoredValuesSecretService

    // The Secret Service has no lock, so processes of this library agree by files in the runtime folder, one for each secret: one
    // that stands still in the middle of an update must not keep other programs from their secrets.
    extension SecretServiceKeyring: LockableKeyring {
        func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
            var keyring = self
            keyring.heldLock = try await lock(of: id, isNeeded: true)
            return keyring
        }

        /// The lock of `id`; nil where there is no runtime folder that this process may write. Without a bus there is none either:
        /// nothing is made where nothing can be stored. Other trouble with that folder, such as that it is full, is thrown only
        /// where the lock `isNeeded`: it is no reason to refuse what changes the secret in one step.
        func lock(of id: SecretIdentifier, isNeeded: Bool = false) async throws(KeyringError) -> HeldLock? {
            if let heldLock { return heldLock }
            guard (try? bus.resolve()) != nil, let file = lockFile(of: id) else { return nil }
            do throws(KeyringError) {
                // As a rule it is free. A thread and a deadline for each change would cost more than the lock.
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

    /// Which bus it is makes no difference to the name: processes may spell the address of one differently.
    private func lockFile(of id: SecretIdentifier) -> DurableFile? {
        guard let folder = runtimeFolder() else { return nil }
        return DurableFile(path: "\(folder)/stored-values/secret-\(DurableFile.shortName(for: "\(id.service)\0\(id.account)"))")
    }

    /// The folder that the XDG specification wants for such files: this user's, and nobody else can write it.
    private func runtimeFolder() -> String? {
        guard let path = try? environmentVariable("XDG_RUNTIME_DIR"), path.utf8.first == UInt8(ascii: "/"),
            let status = try? POSIXFileOperations().status(at: path, followingLinks: true),
            status.kind == .folder, status.user == effectiveUser(), status.mode & 0o022 == 0
        else { return nil }
        return path
    }

    /// Where the lock of `id` is waited for: a queue for each, so that a secret waits for no other, with one thread at most.
    /// One stays for each secret that ever had to wait, some hundred bytes.
    private func queue(for id: SecretIdentifier) -> DispatchQueue {
        queues.withLock { queues in
            let queue = queues[id] ?? DispatchQueue(label: "StoredValues.SecretServiceKeyring.lock")
            queues[id] = queue
            return queue
        }
    }

    private let queues = Guarded<[SecretIdentifier: DispatchQueue]>([:])
#endif
