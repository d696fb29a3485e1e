#if Store
    import Logging
    public import StoredValues
    import Synchronization

    /// Changes of a store that become one transaction by ``run()``, and do nothing without it.
    ///
    /// ```swift
    /// func replaceAll(in store: Store<Note>, by notes: [Note]) async throws {
    ///     try await store.removeAll().insert(notes).run()
    /// }
    /// ```
    ///
    /// If a chain is released without having been run, that is logged as an error, with what it would have done.
    public final class StoreChain<Item: StorableItem>: Sendable {
        enum Operation: Sendable {
            case insert([Item])
            case remove([Item])
            case removeAll
        }

        private let store: Store<Item>
        private let operations: [Operation]
        /// Whether it was run, or a longer one was made of it.
        private let isUsed = Atomic(false)

        init(_ store: Store<Item>, _ operations: [Operation]) { (self.store, self.operations) = (store, operations) }

        deinit {
            guard !isUsed.load(ordering: .relaxed) else { return }
            Logger(label: "StoredValues").error(
                "Nothing was changed in the store \"\(store.name)\": the chain \(text) was released without run(). Write \"try await store.\(text).run()\"; at the top level of a file, in a function."
            )
        }

        private var text: String {
            operations.map { operation in
                switch operation {
                case .insert(let items): "insert(\(items.count == 1 ? "1 item" : "\(items.count) items"))"
                case .remove(let items): "remove(\(items.count == 1 ? "1 item" : "\(items.count) items"))"
                case .removeAll: "removeAll()"
                }
            }.joined(separator: ".")
        }

        private func adding(_ operation: Operation) -> StoreChain {
            isUsed.store(true, ordering: .relaxed)
            return StoreChain(store, operations + [operation])
        }

        /// Adds an insertion.
        public func insert(_ item: Item) -> StoreChain { insert([item]) }
        /// Adds an insertion.
        public func insert(_ items: [Item]) -> StoreChain { adding(.insert(items)) }
        /// Adds a removal.
        public func remove(_ item: Item) -> StoreChain { remove([item]) }
        /// Adds a removal.
        public func remove(_ items: [Item]) -> StoreChain { adding(.remove(items)) }
        /// Adds the removal of all items.
        public func removeAll() -> StoreChain { adding(.removeAll) }

        /// Carries out the whole chain in one transaction. When this returns, it is committed and synced, and every reader has it; if it
        /// throws, nothing has changed. A chain that is run again does the same again.
        public func run() async throws(StoreError) {
            isUsed.store(true, ordering: .relaxed)
            _ = try await store.change(try operations.map { operation throws(StoreError) in try store.step(operation) }, wantsItems: false)
        }
    }

    extension Store {
        fileprivate func step(_ operation: StoreChain<Item>.Operation) throws(StoreError) -> ItemStep<Item> {
            let shared = shared
            switch operation {
            case .insert(let items): return .insert(try items.map { item throws(StoreError) in try shared.encoded(item) })
            case .remove(let items): return .remove(try shared.encoding { try items.map(shared.id) }, unreadableToo: false)
            case .removeAll: return .removeAll
            }
        }
    }
#endif
