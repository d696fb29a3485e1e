#if Libsecret
    import StoredValuesSupport
    import Logging
    import StoredValuesSecretService

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
            do {
                let (secret, matches) = try await items.read(attributes.search(id)) { Secret($0) }
                reportSeveral(matches, id)
                return secret
            } catch {
                throw KeyringError(error)
            }
        }

        /// Stores the secret in the newest item with these attributes, or in a new one in the default collection.
        public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
            guard secret.count <= Secret.sizeLimit else { throw .tooLarge }
            defer { reportPlainSession() }
            try await change(id) { items throws(SecretServiceError) in
                try await items.write(
                    count: secret.count, { memory in secret.withBytes { memory.copyMemory(from: $0) } },
                    to: attributes.search(id), creatingWith: attributes.forNewItems, label: attributes.label(id, wanted: label))
            }
        }

        /// Removes every item with these attributes, the newest last.
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
            do {
                // The time spent waiting for the lock counts.
                let rest = max(.zero, deadline - (ContinuousClock.now - start))
                reportSeveral(try await change(ItemStore(bus: bus, deadline: rest)), id)
            } catch {
                if case .timedOut = error { throw .timedOut(after: deadline) }
                throw KeyringError(error)
            }
            broadcaster.announce(.secret(id))
        }

        /// The secrets of `service`, sorted by account; none is fetched.
        public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
            do {
                let found = try await items.list(attributes.search(service: service))
                let ids = found.compactMap { $0[attributes.account] }.map { SecretIdentifier(service: service, account: $0) }
                return Set(ids).sorted { $0.account < $1.account }
            } catch {
                throw KeyringError(error)
            }
        }

        /// Opens the default collection, prompting the user if there is a display, once for all waiting calls.
        public func unlock() async throws(KeyringError) {
            do {
                if try await items.unlock(asking: .whereThereIsADisplay) { broadcaster.announce(.unlocked) }
            } catch {
                throw KeyringError(error)
            }
        }

        /// Checks which program provides the keyring and whether it is open, without starting a program or prompting the user.
        /// Throws ``KeyringError/noSessionBus``, and errors of the keyring.
        package func inspect() async throws(KeyringError) -> SecretServiceInspection {
            do {
                let found = try await items.inspect()
                return SecretServiceInspection(
                    bus: found.bus, isRunning: found.owner != nil, process: found.owner?.process,
                    canBeStarted: found.canBeStarted, collection: found.owner?.collection?.label,
                    isLocked: found.owner?.collection?.isLocked ?? false, isPlain: found.owner?.isPlain)
            } catch {
                throw KeyringError(error)
            }
        }

        private var items: ItemStore { ItemStore(bus: bus, deadline: deadline) }

        var bus: Bus { busAddress.map { .address($0) } ?? .session }

        /// Logs, once per secret, that several items were found for it.
        private func reportSeveral(_ matches: Int, _ id: SecretIdentifier) {
            guard matches > 1, reported.withLock({ $0.insert(Place(keyring: self, id: id)).inserted }) else { return }
            Logger(label: "StoredValues").warning("\(description) has \(matches) items for \"\(id)\": the newest is used, and reset() removes all of them")
        }

        /// Logs, once per bus, that secrets are not encrypted in transit.
        private func reportPlainSession() {
            guard items.hasPlainSession, plain.withLock({ $0.insert(busAddress).inserted }) else { return }
            Logger(label: "StoredValues").warning(
                "\(description) does not encrypt secrets in transit: any program that may listen on the session bus can read them. `stored-values doctor` says which program it is")
        }

        /// One per bus, shared by all instances.
        private var broadcaster: ChangeBroadcaster {
            broadcasters.withLock { broadcasters in
                let broadcaster = broadcasters[busAddress] ?? ChangeBroadcaster()
                broadcasters[busAddress] = broadcaster
                return broadcaster
            }
        }
    }

    private struct Place: Hashable {
        let keyring: SecretServiceKeyring
        let id: SecretIdentifier
    }

    private let reported = Guarded<Set<Place>>([])
    /// The buses for which it was logged that secrets are not encrypted.
    private let plain = Guarded<Set<String?>>([])
    private let broadcasters = Guarded<[String?: ChangeBroadcaster]>([:])

    extension KeyringChange {
        /// The change in this layer's terms.
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
        /// The lower layer's error in this layer's terms.
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
