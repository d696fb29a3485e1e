#if Store
    import StoredValues

    extension Store {
        // MARK: Inserting

        /// Inserts `item` at the end, or in place of the one with the same id.
        ///
        /// When this returns, the change is committed and synced, and every reader has it. If it throws, nothing has changed; only after an I/O
        /// error of the disk may it have been made, and the file is then read again. It waits for other processes for at most 5 s. If the task
        /// is cancelled before the change begins, it throws ``StoreError/cancelled``; one that has begun is finished.
        ///
        /// At the top level of a file Swift takes the other `insert(_:)` of this name, which stores nothing without `run()`: write
        /// such code into a function.
        public func insert(_ item: Item) async throws(StoreError) { try await insert([item]) }

        /// Inserts the items in one transaction, as `insert(_:)` does each. Of several with one id, the last counts.
        public func insert(_ items: [Item]) async throws(StoreError) { try await insert(items).run() }

        // MARK: Removing and updating

        /// Removes the item with the id of `item`, if there is one. Durable as an insertion; see `insert(_:)`.
        public func remove(_ item: Item) async throws(StoreError) { try await remove([item]) }

        /// Removes the items with the ids of these, in one transaction. Durable as an insertion.
        public func remove(_ items: [Item]) async throws(StoreError) { try await remove(items).run() }

        /// Removes all items. What is ``unreadable`` stays. Durable as an insertion.
        public func removeAll() async throws(StoreError) { try await removeAll().run() }

        /// Removes the items for which `isUnwanted` returns true, and returns them.
        ///
        /// No process changes an item in between. `isUnwanted` is called on another thread, while other changes of this file wait; if it
        /// throws, nothing has changed. Durable as an insertion.
        @discardableResult
        public func removeAll(where isUnwanted: @escaping @Sendable (Item) throws -> Bool) async throws -> [Item] {
            try await shared.change([.removeWhere(isUnwanted)])
        }

        /// Changes the items for which `isMeant` returns true, in one transaction, and returns them as they are then, in their order.
        ///
        /// No process changes an item in between. Both closures are called on another thread, while other changes of this file wait; if one
        /// throws, nothing has changed. `body` must not change an id; of an object it gets a copy. Durable as an insertion; see `insert(_:)`.
        @discardableResult
        public func updateAll(
            where isMeant: @escaping @Sendable (Item) throws -> Bool, _ body: @escaping @Sendable (inout Item) throws -> Void
        ) async throws -> [Item] {
            try await shared.change([.updateWhere(isMeant, body)])
        }

        // MARK: Chains

        /// Begins a chain with an insertion; see ``StoreChain``.
        public func insert(_ item: Item) -> StoreChain<Item> { insert([item]) }
        /// Begins a chain with an insertion; see ``StoreChain``.
        public func insert(_ items: [Item]) -> StoreChain<Item> { StoreChain(self, [.insert(items)]) }
        /// Begins a chain with a removal; see ``StoreChain``.
        public func remove(_ item: Item) -> StoreChain<Item> { remove([item]) }
        /// Begins a chain with a removal; see ``StoreChain``.
        public func remove(_ items: [Item]) -> StoreChain<Item> { StoreChain(self, [.remove(items)]) }
        /// Begins a chain with the removal of all items; see ``StoreChain``.
        public func removeAll() -> StoreChain<Item> { StoreChain(self, [.removeAll]) }

        func change(_ steps: [ItemStep<Item>], wantsItems: Bool) async throws(StoreError) -> [Item] {
            do { return try await shared.change(steps, wantsItems: wantsItems) } catch { throw StoreError(any: error, path: shared.database.path) }
        }

        // MARK: Tests and previews

        /// Puts a test's or a preview's first items into this store, at once. Traps if the store is in a file, and not in memory:
        /// call it in `withTemporaryStorage`, or for a store in ``StoreFile/inMemory()``.
        ///
        /// ```swift
        /// try await withTemporaryStorage {
        ///     try Store.notes.seed([Note(id: UUID(), text: "Buy milk")])
        ///     try await Store.notes.insert(Note(id: UUID(), text: "Call Ada"))
        /// }
        /// ```
        public func seed(_ items: [Item]) throws(StoreError) {
            let shared = shared
            do { try shared.seed(items) } catch { throw StoreError(any: error, path: shared.database.path) }
        }
    }

    extension Store where Item: Identifiable, Item.ID: Encodable & Sendable {
        /// Changes the item with this id, and returns it as it is then; nil if there is none.
        ///
        /// No process changes the item in between. `body` is called on another thread, while other changes of this file wait; if it throws,
        /// nothing has changed. It must not change the id. If the item is an object, it gets a copy of it, decoded from its JSON. Durable
        /// as an insertion; see `insert(_:)`.
        @discardableResult
        public func update(_ id: Item.ID, _ body: @escaping @Sendable (inout Item) throws -> Void) async throws -> Item? {
            try await shared.change([.update(json(of: id), orInsert: nil, body)]).last
        }

        /// Changes the item with the id of `new`, or `new` itself if there is none, which is inserted then; returns it as it is then.
        ///
        /// As `update(_:_:)` does. If the row with this id is ``unreadable``, it stays as it is, and this throws
        /// ``StoreError/newerItem(store:id:stored:supported:)`` or ``StoreError/unreadableItem(store:id:reason:)``, before `body` is called.
        @discardableResult
        public func update(orInsert new: Item, _ body: @escaping @Sendable (inout Item) throws -> Void) async throws -> Item {
            try await shared.change([.update(json(of: new.id), orInsert: new, body)])[0]
        }

        /// Removes the item with this id, and returns it; nil if there is none. Removes an ``unreadable`` row, too. Durable as an insertion.
        @discardableResult
        public func remove(id: Item.ID) async throws(StoreError) -> Item? {
            try await change([.remove([json(of: id)], unreadableToo: true)], wantsItems: true).first
        }

        private func json(of id: Item.ID) throws(StoreError) -> [UInt8] { try shared.encoding { try ItemCoder<Item>.text(id) } }
    }
#endif
