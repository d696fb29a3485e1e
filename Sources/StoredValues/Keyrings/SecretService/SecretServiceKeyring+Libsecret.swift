#if Libsecret
    import Dispatch
    import Logging
    import StoredValuesFiles
    import StoredValuesSecretService
    import StoredValuesSupport

    extension SecretServiceKeyring {
        /// Changes in the keyring, whoever makes them. The service's signals do not name the secret, so a change by another
        /// program is ``KeyringChange/anySecret``, some 50 ms later, and once for many changes in close succession. Listening
        /// uses one thread and one connection to the bus for all iterations, and continues with a new daemon or bus after the
        /// old one has ended.
        public var changes: KeyringChanges {
            let broadcaster = broadcaster, bus = bus
            return broadcaster.changes {
                ServiceListener(on: bus) { [weak broadcaster] news in broadcaster?.announce(KeyringChange(news)) }
            }
        }

        /// The newest secret with these attributes, or nil if the open keyring has none. Never prompts the user.
        public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
            defer { reportPlainSession() }
            let (secret, matches) = try await call { items throws(SecretServiceError) in
                try await items.read(attributes.search(id)) { Secret($0) }
            }
            reportSeveral(matches, id)
            return secret
        }

        /// Stores the secret in the newest item with these attributes, or in a new one in the default collection.
        public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
            guard secret.count <= Secret.sizeLimit else { throw .tooLarge }
            defer { reportPlainSession() }
            try await change(id) { items throws(SecretServiceError) in
                try await items.write(
                    { secret.withBytes { SecretBytes($0) } },
                    to: attributes.search(id), creatingWith: attributes.forNewItems, label: attributes.label(id, wanted: label))
            }
        }

        /// Removes every item with these attributes, the newest last. Throws ``KeyringError/accessDenied`` if the user does not confirm
        /// it where KeePassXC prompts: of several items, older ones may be gone then; the one that is read stays.
        public func remove(_ id: SecretIdentifier) async throws(KeyringError) {
            try await change(id) { items throws(SecretServiceError) in try await items.remove(attributes.search(id)) }
        }

        /// Runs `change` under the secret's lock, and announces it. `change` returns how many items it found.
        private func change(
            _ id: SecretIdentifier, _ change: (ItemStore) async throws(SecretServiceError) -> Int
        ) async throws(KeyringError) {
            let start = ContinuousClock.now
            let lock = try await lock(of: id)
            defer { withExtendedLifetime(lock) {} }
            // The time spent waiting for the lock counts.
            reportSeveral(try await call(within: max(.zero, deadline - (.now - start)), change), id)
            broadcaster.announce(.secret(id))
        }

        /// The secrets of `service`, sorted by account; none is fetched.
        public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
            let found = try await call { items throws(SecretServiceError) in try await items.list(attributes.search(service: service)) }
            return Set(found.compactMap { $0[attributes.account] }.map { SecretIdentifier(service: service, account: $0) }).sortedByAccount
        }

        /// Opens the default collection, prompting the user if there is a display, once for all waiting calls.
        public func unlock() async throws(KeyringError) {
            let wasLocked = try await call { items throws(SecretServiceError) in try await items.unlock() }
            if wasLocked { broadcaster.announce(.unlocked) }
        }

        /// Starts no program and prompts nobody. Throws ``KeyringError/noSessionBus``, and errors of the keyring.
        package func inspect() async throws(KeyringError) -> SecretServiceInspection {
            try await call { items throws(SecretServiceError) in try await items.inspect() }
        }

        /// `limit` is what is left of the deadline, if a part of it is over.
        private func call<Answer>(
            within limit: Duration? = nil, _ call: (ItemStore) async throws(SecretServiceError) -> Answer
        ) async throws(KeyringError) -> Answer {
            do {
                return try await call(ItemStore(bus: bus, deadline: limit ?? deadline))
            } catch {
                if limit != nil, case .timedOut = error { throw .timedOut(after: deadline) }
                throw KeyringError(error)
            }
        }

        private var bus: Bus { Bus(busAddress) }

        /// Logs, once per secret, that several items were found for it.
        private func reportSeveral(_ matches: Int, _ id: SecretIdentifier) {
            guard matches > 1 else { return }
            logOnce(id, "has \(matches) items for \"\(id)\": the newest is used, and reset() removes all of them")
        }

        /// Logs, once per bus, that secrets are not encrypted in transit.
        private func reportPlainSession() {
            guard bus.hasPlainSession else { return }
            logOnce(
                nil, "does not encrypt secrets in transit: any program that may listen on the session bus can read them. `stored-values doctor` says which program it is")
        }

        /// Logs a problem of the secret `id` on this bus, or of the whole keyring, unless that was done before.
        private func logOnce(_ id: SecretIdentifier?, _ problem: String) {
            guard logged.withLock({ $0[busAddress, default: []].insert(id).inserted }) else { return }
            Logger(label: "StoredValues").warning("\(description) \(problem)")
        }

        private var broadcaster: ChangeBroadcaster { broadcasters.object(for: busAddress) { ChangeBroadcaster() } }
    }

    // The Secret Service has no lock, so processes with this library use lock files, one per secret: a process that is stopped in the
    // middle of an update must not block other secrets.
    extension SecretServiceKeyring {
        /// By a lock file in the runtime folder, if there is one that only this user can write.
        public func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
            var keyring = self
            keyring.heldLock = try await lock(of: id, isNeeded: true)
            return keyring
        }

        /// Nil without a runtime folder that this process may write, or without a bus, where nothing can be stored. Timeouts and
        /// cancellations are thrown; other errors, such as a full folder, only if the lock `isNeeded`: a single step is made without it.
        private func lock(of id: SecretIdentifier, isNeeded: Bool = false) async throws(KeyringError) -> HeldLock? {
            if let heldLock { return heldLock }
            guard (try? bus.resolve()) != nil, let file = lockFile(of: id) else { return nil }
            do throws(KeyringError) {
                // Usually it is free. A thread and a deadline for each change would cost more than the lock. With a timeout of zero it would
                // not let waiting processes go first.
                do { return try file.hold(within: .nanoseconds(1)) { true } } catch .timedOut {}
                let queue = queues.object(for: id) { DispatchQueue(label: "StoredValues.SecretServiceKeyring.lock") }
                return try await queue.perform(deadline: deadline) { isWanted throws(KeyringError) in
                    try file.hold(while: isWanted)
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

    private let logged = Guarded<[String?: Set<SecretIdentifier?>]>([:])
    // Their keys are never removed: buses are few, and so are secrets that ever had to wait for a lock.
    private let broadcasters = WeakTable<String?, ChangeBroadcaster>()
    /// For waiting for the lock of a secret, so that secrets do not wait for each other.
    private let queues = WeakTable<SecretIdentifier, DispatchQueue>()

    /// In the folder for such files by the XDG specification, if that is this user's and not writable by others. The bus is not a part of
    /// the name: processes may write the address of one bus differently.
    private func lockFile(of id: SecretIdentifier) -> DurableFile? {
        guard let folder = try? environmentVariable("XDG_RUNTIME_DIR"), folder.begins(with: "/"),
            let status = try? FileOperations.posix.status(at: folder, followingLinks: true),
            status.kind == .folder, status.user == effectiveUser(), status.mode & 0o022 == 0
        else { return nil }
        return DurableFile(path: "\(folder)/stored-values/secret-\(DurableFile.shortName(for: "\(id.service)\0\(id.account)"))")
    }

    extension KeyringChange {
        fileprivate init(_ news: ServiceNews) {
            self =
                switch news {
                case .anythingMayHaveChanged: .anySecret
                case .locked: .locked
                case .unlocked: .unlocked
                case .gone(let error): .unavailable(KeyringError(error))
                }
        }
    }

    extension KeyringError {
        init(_ error: SecretServiceError) {
            self =
                switch error {
                case .noSessionBus: .noSessionBus
                case .noSecretService: .noSecretService
                case .noDefaultCollection: .noDefaultCollection
                case .locked: .locked
                case .dismissed: .dismissed
                case .accessDenied: .accessDenied
                case .timedOut(let limit): .timedOut(after: limit)
                case .cancelled: .cancelled
                case .other(let domain, let code, let message): .other(domain: domain, code: code, message: message)
                }
        }
    }
#endif
