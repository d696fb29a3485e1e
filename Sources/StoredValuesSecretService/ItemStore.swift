#if Libsecret
    /// The items of the Secret Service on one bus. Calls run on a thread of this layer. Each ends at the deadline, including the time
    /// spent waiting for others, or as soon as its task is cancelled; a write may still happen then. Only
    /// ``unlock(evenWithoutDisplay:)`` prompts, and KeePassXC by itself (``Daemon/performHarmless(_:)``), or if it locks just before a
    /// search.
    package struct ItemStore: Hashable, Sendable {
        package let bus: Bus
        package let deadline: Duration

        /// Does not connect yet.
        package init(bus: Bus, deadline: Duration) { (self.bus, self.deadline) = (bus, deadline) }

        /// The secret of the newest item with `attributes`, made from its bytes by `take`, or nil if there is none, and how many there
        /// are. If that is unknown, it throws: `locked` if a matching item is, or if nothing matches and the default collection is;
        /// `noDefaultCollection`.
        package func read<Taken: Sendable>(
            _ attributes: [String: String], _ take: @escaping @Sendable (UnsafeRawBufferPointer) -> Taken
        ) async throws(SecretServiceError) -> (value: Taken?, matches: Int) {
            try await call { connection throws(SecretServiceError) in
                let items = try connection.openItems(attributes)
                guard let item = try Item.oldestFirst(items).last else { return (nil, 0) }
                return (try connection.load(item).withBytes(take), items.count)
            }
        }

        /// Stores `secret`, which is made on the thread of the calls, in the newest item with `attributes`, in place, or else in a new
        /// one with `additional` ones and `label`, in the default collection. Returns how many there were. A message of many megabytes
        /// would close the whole connection.
        package func write(
            _ secret: @escaping @Sendable () -> SecretBytes, to attributes: [String: String],
            creatingWith additional: [String: String], label: String
        ) async throws(SecretServiceError) -> Int {
            try await call { connection throws(SecretServiceError) in
                let value = secret()
                let items = try connection.openItems(attributes)
                if let item = try Item.oldestFirst(items).last {
                    try connection.store(value, in: item, isOnlyOne: items.count == 1)
                } else {
                    let all = attributes.merging(additional) { own, _ in own }
                    try connection.create(value, all, label: label)
                }
                return items.count
            }
        }

        /// Deletes every item with `attributes`, and returns how many there were. The newest is the last, so that until the end the
        /// same secret is read. Throws `locked` as ``list(_:)`` does.
        package func remove(_ attributes: [String: String]) async throws(SecretServiceError) -> Int {
            try await call { connection throws(SecretServiceError) in
                let items = try Item.oldestFirst(connection.allOpenItems(attributes))
                for item in items { try connection.delete(item) }
                return items.count
            }
        }

        /// Fetches no secret. Throws `locked` if any matching item, or the default collection, is locked: the list may be incomplete
        /// then.
        package func list(_ attributes: [String: String]) async throws(SecretServiceError) -> [[String: String]] {
            try await call { connection throws(SecretServiceError) in
                var found: [[String: String]] = []
                for item in try connection.allOpenItems(attributes) {
                    // Another program may have removed it since.
                    if let attributes = try ifExists(item.attributes()) { found.append(attributes) }
                }
                return found
            }
        }

        func call<Value: Sendable>(
            _ body: @escaping @Sendable (DaemonConnection) throws(SecretServiceError) -> Value
        ) async throws(SecretServiceError) -> Value {
            let shared = SharedConnection.to(bus)
            return try await ServiceThread.perform(deadline: deadline) { () throws(SecretServiceError) in try shared.perform(body) }
        }
    }

    extension DaemonConnection {
        /// The items with `attributes`, none of them locked. An empty result is certain: the default collection was open before
        /// the search and after it. (A program that starts, or whose collection is just opening, answers the search with nothing
        /// and a later check with "open": KWallet; KeePassXC in a third of its starts.)
        ///
        /// gnome-keyring finds items in collections that are locked, too. KeePassXC and KWallet do not: what lies in another database or
        /// wallet that is locked counts as missing. If this threw `locked` for each such collection, a user who keeps an archive locked
        /// would never learn that a secret is missing.
        fileprivate func openItems(_ attributes: [String: String]) throws(SecretServiceError) -> [Item] {
            var wasOpen = false
            for _ in 1...5 {  // it may have to be opened first, and be locked once meanwhile
                let found = try search(attributes)
                if !found.locked.isEmpty {
                    lockedItems.formUnion(found.locked)
                    try unlockQuietly(found.locked)
                    wasOpen = false
                } else if !found.open.isEmpty {
                    return found.open
                } else {
                    let hadToBeOpened = try requireOpenDefaultCollection()
                    if wasOpen, !hadToBeOpened { return [] }
                    wasOpen = true
                }
            }
            throw .locked
        }

        /// All of them: also those in the default collection, where some programs find nothing while it is locked.
        fileprivate func allOpenItems(_ attributes: [String: String]) throws(SecretServiceError) -> [Item] {
            let items = try openItems(attributes)
            guard !items.isEmpty else { return items }
            do throws(SecretServiceError) {
                guard try requireOpenDefaultCollection() else { return items }
            } catch .noDefaultCollection {
                return items
            }
            return try openItems(attributes)
        }

        /// Without a schema, which items by `secret-tool` and others lack. Not libsecret's own lookup, for which a locked item is
        /// missing.
        private func search(_ attributes: [String: String]) throws(SecretServiceError) -> (open: [Item], locked: [ObjectPath]) {
            guard !attributes.values.contains(where: { $0.utf8.contains(0) }) else {
                // D-Bus would truncate it there, and it would name another secret.
                throw .other(domain: "stored-values", code: 2, message: "a service or account must not contain NUL")
            }
            try requireSearchWithoutPrompt()
            let reply = try daemon.call("SearchItems", [.strings(attributes)], reply: "(aoao)")
            return (reply.child(0).paths.map { Item(daemon: daemon, path: $0) }, reply.child(1).paths)
        }
    }

    extension ItemStore {
        /// See `SecretServiceInspection`, which is the same.
        package typealias Inspection = (
            bus: String, canBeStarted: Bool, isRunning: Bool, process: UInt32?, collection: String?, isLocked: Bool, isPlain: Bool?
        )

        /// Uses a separate connection, because the shared one starts the service. Throws `noSessionBus` and errors of the service.
        package func inspect() async throws(SecretServiceError) -> Inspection {
            let bus = bus
            return try await ServiceThread.perform(deadline: deadline) { () throws(SecretServiceError) in
                let connection = try BusConnection(to: bus)
                var found: Inspection = (try bus.resolve(), try Daemon.canBeStarted(on: connection), false, nil, nil, false, nil)
                guard let daemon = try Daemon.running(on: connection) else { return found }
                found.isRunning = true
                // Not every bus knows it, for example for a process in another container.
                found.process = try? connection.call("GetConnectionUnixProcessID", [.string(daemon.name)], reply: "(u)").child(0).number
                do throws(SecretServiceError) {
                    let path = try daemon.defaultCollection()
                    found.collection = try daemon.label(of: path)
                    found.isLocked = try !daemon.isOpen(path)
                } catch .noDefaultCollection {
                    found.collection = nil
                }
                found.isPlain = try withContext { () throws(SecretServiceError) in
                    do throws(SecretServiceError) {
                        let session = try CipherSession(with: daemon)
                        _ = try session.path()
                        return session.isPlain
                    } catch let error where error != .cancelled && !error.isWrongAnswer {
                        return nil  // KWallet refuses one in a hundred
                    }
                }
                return found
            }
        }
    }
#endif
