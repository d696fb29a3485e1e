#if Libsecret
    /// The items of the Secret Service on one bus: search, create, set, delete, unlock.
    ///
    /// Every call runs on a thread of this layer, never on the caller's; it ends at the deadline, time spent waiting for
    /// other calls included, or as soon as its task is cancelled. A write that ends so may yet happen. No call but
    /// ``unlock(asking:)`` ever asks the person anything.
    ///
    /// A call that finds its daemon or bus gone connects anew, once.
    package struct ItemStore: Hashable, Sendable {
        /// Where the service is sought.
        package let bus: Bus
        /// How long a call may take.
        package let deadline: Duration

        /// Whether a service on this bus has refused to encrypt what this process and it send each other.
        package var hasPlainSession: Bool { SharedConnection.to(bus).hasBeenPlain }

        /// The items on `bus`. Connects to nothing yet.
        package init(bus: Bus, deadline: Duration) {
            self.bus = bus
            self.deadline = deadline
        }

        /// The secret of the item with `attributes`, made from its bytes by `take`, or nil when there is none; of several
        /// the newest. Also how many there are.
        ///
        /// Throws `locked` when a matching item is locked, or when nothing matches while the default collection is locked,
        /// and `noDefaultCollection` when nothing matches and there is none: neither can tell that the secret is absent.
        package func read<Taken: Sendable>(
            _ attributes: [String: String], _ take: @escaping @Sendable (UnsafeRawBufferPointer) -> Taken
        ) async throws(SecretServiceError) -> (value: Taken?, matches: Int) {
            try await call { connection, cancellable, _ throws(SecretServiceError) in
                let items = try connection.openItems(attributes, cancellable)
                guard let item = try Item.oldestFirst(items, cancellable).last else { return (nil, 0) }
                return (try connection.load(item, cancellable).withBytes(take), items.count)
            }
        }

        /// Stores `count` bytes, which `fill` writes, in the newest item with `attributes`, in place; or, when there is none,
        /// in a new one with `attributes` and `additional`, in the default collection, under `label`. Returns how many there
        /// were.
        ///
        /// Throws `locked` and `noDefaultCollection`. An over-long message costs the whole connection: `count` must be less than some
        /// megabytes.
        package func write(
            count: Int, _ fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void, to attributes: [String: String],
            creatingWith additional: [String: String], label: String
        ) async throws(SecretServiceError) -> Int {
            try await call { connection, cancellable, progress throws(SecretServiceError) in
                let value = SecretBytes(count: count, fill)
                let items = try connection.openItems(attributes, cancellable)
                if let item = try Item.oldestFirst(items, cancellable).last {
                    progress = .changing
                    try connection.store(value, in: item, foundBy: attributes, cancellable)
                } else {
                    let all = attributes.merging(additional) { own, _ in own }
                    try connection.create(value, all, label: label, cancellable, &progress)
                }
                return items.count
            }
        }

        /// Deletes every item with `attributes`; succeeds when there is none. Returns how many there were.
        ///
        /// Throws as ``read(_:_:)`` does. If one of several cannot be deleted, those before it are, the newest last: so until the
        /// end the same secret is read.
        package func remove(_ attributes: [String: String]) async throws(SecretServiceError) -> Int {
            try await call { connection, cancellable, progress throws(SecretServiceError) in
                let items = try Item.oldestFirst(connection.openItems(attributes, cancellable), cancellable)
                for item in items {
                    progress = .changing
                    try connection.delete(item, cancellable)
                }
                return items.count
            }
        }

        /// The attributes of every item that has `attributes` among its own. Fetches no secret.
        ///
        /// Throws `locked` when any of them, or the default collection, is locked, for then the list may be short.
        package func list(_ attributes: [String: String]) async throws(SecretServiceError) -> [[String: String]] {
            try await call { connection, cancellable, _ throws(SecretServiceError) in
                let items = try connection.openItems(attributes, cancellable)
                if !items.isEmpty {
                    do throws(SecretServiceError) {
                        try connection.requireOpenDefaultCollection(cancellable)
                    } catch .noDefaultCollection {
                        // They lie in other collections, and all of them were read.
                    }
                }
                var attributes: [[String: String]] = []
                for item in items {
                    do throws(SecretServiceError) {
                        attributes.append(try item.attributes(cancellable))
                    } catch where error.isMissingObject {}  // removed by somebody else since
                }
                return attributes
            }
        }

        func call<Value: Sendable>(
            _ body: @escaping @Sendable (DaemonConnection, Cancellable, inout Progress) throws(SecretServiceError) -> Value
        ) async throws(SecretServiceError) -> Value {
            let shared = SharedConnection.to(bus)
            return try await ServiceThread.perform(deadline: deadline) { cancellable throws(SecretServiceError) in
                try shared.perform(cancellable) { connection, progress throws(SecretServiceError) in
                    try body(connection, cancellable, &progress)
                }
            }
        }
    }

    extension DaemonConnection {
        /// The items with `attributes`, none of them locked. An empty answer is sure: the default collection was open before
        /// the search and after it.
        ///
        /// Once is not enough: a program that begins, or whose collection opens just now, answers the search of before with
        /// nothing and the question of after with "open" (KWallet; KeePassXC in a third of its starts).
        fileprivate func openItems(
            _ attributes: [String: String], _ cancellable: Cancellable
        ) throws(SecretServiceError) -> [Item] {
            var wasOpen = false
            for _ in 1...5 {  // where it had to be opened first, and somebody locks it once meanwhile
                let found = try search(attributes, cancellable)
                if !found.locked.isEmpty {
                    lockedItems.formUnion(found.locked)
                    try unlockQuietly(found.locked, cancellable)
                    wasOpen = false
                } else if !found.open.isEmpty {
                    return found.open
                } else {
                    let hadToBeOpened = try requireOpenDefaultCollection(cancellable)
                    if wasOpen, !hadToBeOpened { return [] }
                    wasOpen = true
                }
            }
            throw .locked
        }

        /// Every item with `attributes`, and the paths of those that are locked. The schema is not part of the question: items
        /// by `secret-tool` and others have none. libsecret's own lookup is of no use here, for it takes a locked item for a
        /// missing one.
        private func search(
            _ attributes: [String: String], _ cancellable: Cancellable
        ) throws(SecretServiceError) -> (open: [Item], locked: [ObjectPath]) {
            guard !attributes.values.contains(where: { $0.utf8.contains(0) }) else {
                // D-Bus would cut it there, and it would name another secret.
                throw .other(domain: "stored-values", code: 2, message: "a service or account must not contain NUL")
            }
            let reply = try daemon.call("SearchItems", [.strings(attributes)], reply: "(aoao)", cancellable)
            return (reply.child(0).paths.map { Item(daemon: daemon, path: $0) }, reply.child(1).paths)
        }
    }
#endif
