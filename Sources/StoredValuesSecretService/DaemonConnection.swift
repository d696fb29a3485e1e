#if Libsecret
    import Dispatch
    import StoredValuesSupport
    import Synchronization

    /// What all keyrings on one bus share: the connection, opened when it is first needed, and again when the daemon or bus was replaced.
    ///
    /// `@unchecked Sendable`: `connection` is used only on the service thread, which `perform` checks.
    final class SharedConnection: @unchecked Sendable {
        private let bus: Bus
        private var connection: DaemonConnection?
        /// The prompt that is currently shown to the user.
        let prompt = OpenPrompt()
        /// Whether a daemon on this bus refused to encrypt secrets in transit.
        fileprivate let hasBeenPlain = Atomic(false)

        private init(_ bus: Bus) { self.bus = bus }

        private static let byBus = Guarded<[Bus: SharedConnection]>([:])

        /// The shared instance for `bus`.
        static func to(_ bus: Bus) -> SharedConnection {
            byBus.withLock { byBus in
                let shared = byBus[bus] ?? SharedConnection(bus)
                byBus[bus] = shared
                return shared
            }
        }

        /// Runs `body`, and again if that may help and nothing was changed: either the message had no effect, or `body` had not begun
        /// to change anything. All repetitions share one deadline.
        func perform<Result>(_ body: (DaemonConnection) throws(SecretServiceError) -> Result) throws(SecretServiceError) -> Result {
            dispatchPrecondition(condition: .onQueue(ServiceThread.calls))
            return try withContext { () throws(SecretServiceError) -> Result in
                var connections = 0, searches = 0, limits = 0
                while true {
                    connection?.isChanging = false
                    do throws(SecretServiceError) {
                        let connection = try connected()
                        defer { if connection.session.isPlain { hasBeenPlain.store(true, ordering: .relaxed) } }
                        return try body(connection)
                    } catch {
                        let isChanging = connection?.isChanging == true
                        let isDead = error.isOfDeadConnection || connection?.hasLostName() == true
                        if isDead { connection = nil }
                        guard error.hadNoEffect || !isChanging, !Cancellation.isCurrentCancelled else { throw error }
                        switch error {
                        case _ where error.isOwnLimitOfGDBus: break  // the caller's own deadline counts
                        case _ where error.isLimitOfGDBus && limits < 5: limits += 1
                        // An item was removed between finding and using it, or the service did not know this caller yet.
                        case _ where error.isMissingObject && searches < 2: searches += 1
                        // One in a hundred KWallet sessions is unusable, so a second attempt may fail too.
                        case _ where isDead && connections < (error.isWithoutSession ? 4 : 1): connections += 1
                        default: throw error
                        }
                    }
                }
            }
        }

        private func connected() throws(SecretServiceError) -> DaemonConnection {
            if let connection, !connection.daemon.bus.isClosed, !connection.hasLostName() { return connection }
            connection = nil
            let opened = try DaemonConnection(to: bus)
            connection = opened
            return opened
        }
    }

    extension Bus {
        /// Whether a service on this bus has refused to encrypt secrets in transit.
        package var hasPlainSession: Bool { SharedConnection.to(self).hasBeenPlain.load(ordering: .relaxed) }
    }

    /// The connection to one daemon, and libsecret's session with it. When the daemon ends, or gives up its name, ``SharedConnection``
    /// opens another. Used only on the service thread, in its context.
    final class DaemonConnection {
        let daemon: Daemon
        let session: CipherSession
        /// Whether the current call has begun to change something, so that it must not simply be repeated.
        fileprivate(set) var isChanging = false
        /// Whether a secret is known to have come through the session unchanged.
        private var isProven = false
        /// Whether the daemon is this program, for each that it was asked about.
        private var answers: [KnownProgram: Bool] = [:]
        /// The owner of the well-known name, as far as the bus's signals were handled.
        private let currentOwner: () -> String?
        private let ownerSignals: SignalSubscription
        /// Items that calls found locked; ``ItemStore/unlock(evenWithoutDisplay:)`` unlocks them too.
        var lockedItems: Set<ObjectPath> = []

        /// Starts a daemon if there is none and the bus can. Throws `noSessionBus` and `noSecretService`.
        init(to bus: Bus) throws(SecretServiceError) {
            let bus = try BusConnection(to: bus)
            var owner: String?
            // Before the owner is asked for: the signals that come before the answer agree with it, and none after it is missed.
            ownerSignals = .owner(of: Daemon.wellKnownName, on: bus) { owner = $0 }
            daemon = try Daemon.find(on: bus)
            owner = daemon.name
            currentOwner = { owner }
            session = try CipherSession(with: daemon)
        }

        /// Whether the well-known name has another owner now, or none. The daemon may still answer, as KeePassXC does after its user has
        /// turned its Secret Service off, but other programs no longer find its items. Sends no message.
        fileprivate func hasLostName() -> Bool {
            handleArrivedSignals()
            return currentOwner() != daemon.name
        }

        // MARK: Secrets in transit

        // About one in a hundred sessions with KWallet 5.103 is unusable, for any client: it refuses the proposed key, or the
        // two end up with different keys (seen: 14 of 1,200; QCA and libsecret treat leading zeros of the agreed number
        // differently). A secret encrypted with the wrong key usually has no valid padding, which is an error, but one time in
        // 256 it has, and would be another secret. So the first secret of a session is fetched twice, or fetched back; because
        // it is encrypted differently each time, two equal ones are right.

        func load(_ item: Item) throws(SecretServiceError) -> SecretBytes {
            let secret = try fetch(item)
            if !isProven { try prove(item, holds: secret) }
            return secret
        }

        /// Stores `secret` in `item`, in place, so that others are notified. It may be one of several that the search found.
        func store(_ secret: SecretBytes, in item: Item, isOnlyOne: Bool) throws(SecretServiceError) {
            let encrypted = try session.encrypt(secret), isSilent = try isProgram(.gnomeKeyring)
            // SetSecret of gnome-keyring sends no signal (seen: 42.1). Its CreateItem does, replaces the item with these attributes, and
            // keeps the label. But it may replace another item that has these attributes and more, and remove the others, so it is used
            // only if the search found one item. The attributes are read each time, because another program may have added some.
            let attributes = try isSilent && isOnlyOne ? item.attributes() : nil
            isChanging = true
            if let attributes {
                _ = try daemon.createItem(encrypted, attributes, label: nil, in: item.collection)
            } else {
                try item.set(encrypted)
                // The secret is stored even if announcing it fails.
                if isSilent { try? item.announce() } else { try requireStillOpen(item) }
            }
            try proveAfterWriting(item, holds: secret)
        }

        /// Creates an item in the default collection, or stores `secret` in one that another process created since the search.
        func create(_ secret: SecretBytes, _ attributes: [String: String], label: String) throws(SecretServiceError) {
            let collection = try daemon.defaultCollection()
            let encrypted = try session.encrypt(secret)
            isChanging = true
            let item = try daemon.createItem(encrypted, attributes, label: label, in: collection)
            try proveAfterWriting(item, holds: secret)
        }

        /// Deletes `item`; succeeds if another program has just deleted it.
        func delete(_ item: Item) throws(SecretServiceError) {
            let mayBeKWallet = try !isProgram(.gnomeKeyring)
            isChanging = true
            try item.delete()
            guard mayBeKWallet else { return }
            try requireStillOpen(item)
            try afterChange { () throws(SecretServiceError) in
                // KeePassXC before 2.7 does not report that its user declined.
                if try daemon.isProgram(.keePassXC), try item.exists() { throw .accessDenied }
            }
        }

        /// While KWallet is locking, it confirms a change without making it (its sources, 5.103).
        private func requireStillOpen(_ item: Item) throws(SecretServiceError) {
            try afterChange { () throws(SecretServiceError) in
                guard try daemon.isOpen(item.collection) else { throw .locked }
            }
        }

        /// Runs a check after a change, which must not be repeated if the program locked or ended meanwhile.
        private func afterChange(_ check: () throws(SecretServiceError) -> Void) throws(SecretServiceError) {
            do throws(SecretServiceError) {
                try check()
            } catch let error where error == .locked || error == .noDefaultCollection || error.isUndelivered || error.isBroken {
                throw .unknownOutcome
            }
        }

        /// Asks the daemon once for each program.
        private func isProgram(_ program: KnownProgram) throws(SecretServiceError) -> Bool {
            let answer = if let known = answers[program] { known } else { try daemon.isProgram(program) }
            answers[program] = answer
            return answer
        }

        /// If the item holds another secret, another program may have stored it meanwhile: then fetching it again gives the same.
        private func prove(_ item: Item, holds secret: SecretBytes) throws(SecretServiceError) {
            let found = try fetch(item)
            if !found.equals(secret) {
                guard try fetch(item).equals(found) else { throw .unusableSession }
            }
            isProven = true
        }

        /// The same after a write, which succeeded even if another program has removed the item since.
        private func proveAfterWriting(_ item: Item, holds secret: SecretBytes) throws(SecretServiceError) {
            guard !isProven else { return }
            try afterChange { () throws(SecretServiceError) in _ = try ifExists(prove(item, holds: secret)) }
        }

        private func fetch(_ item: Item) throws(SecretServiceError) -> SecretBytes {
            let bytes = try session.secret(of: item)
            // KWallet (5.103) returns an empty secret while it locks, and for an item just deleted, which the next request does not find.
            if bytes.isEmpty {
                _ = try item.attributes()
                guard try daemon.isOpen(item.collection) else { throw .locked }
            }
            return bytes
        }

        // MARK: Opening the default collection

        /// Opens the default collection if that needs no prompt. Returns whether it was locked: then earlier results are invalid.
        @discardableResult
        func requireOpenDefaultCollection() throws(SecretServiceError) -> Bool {
            let collection = try daemon.defaultCollection()
            guard try daemon.isLocked(collection) else { return false }
            try unlockQuietly([collection])
            return true
        }

        /// Call this before each search. By default KeePassXC prompts the user to open a collection before it answers a search while
        /// none is open. In that case, this throws what a search without a result would lead to. (If KeePassXC locks between this and
        /// the search, it prompts anyway.)
        func requireSearchWithoutPrompt() throws(SecretServiceError) {
            guard try isProgram(.keePassXC) else { return }
            var reason = SecretServiceError.locked
            do throws(SecretServiceError) {
                guard try daemon.isLocked(daemon.defaultCollection()) else { return }
            } catch .noDefaultCollection {
                reason = .noDefaultCollection
            }
            guard try daemon.hasOpenCollection() else { throw reason }
        }

        /// Unlocks what needs no prompt, which is an open KWallet, and throws `locked` for everything else.
        func unlockQuietly(_ paths: [ObjectPath]) throws(SecretServiceError) {
            guard try daemon.isOpenWallet(collectionOf: paths) else { throw .locked }
            do { try daemon.beginUnlocking(paths)?.perform() } catch .dismissed { throw .locked }
        }
    }

    extension SecretServiceError {
        /// Only a new connection can help.
        fileprivate var isOfDeadConnection: Bool { isUndelivered || isBroken || isWithoutSession }

        /// The message that failed with this had no effect.
        fileprivate var hadNoEffect: Bool { isUndelivered || isWithoutSession || isMissingObject }
    }
#endif
