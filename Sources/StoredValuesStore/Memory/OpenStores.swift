#if Store
    import StoredValues
    import StoredValuesSupport

    /// The stores of this process: one for each file and name, as long as somebody has it.
    enum OpenStores {
        private struct WeakStore {
            weak var store: (any ItemReader)?
        }

        private static let databases = WeakTable<[UInt8], ItemDatabase>()
        private static let stores = Guarded<[[UInt8]: WeakStore]>([:])

        /// The store `name` in `file`; `make` is given its database. Traps if the one that exists has another type of item.
        static func store<Item>(_ name: String, _ file: StoreFile, _ make: (ItemDatabase) -> ItemStore<Item>) -> ItemStore<Item> {
            let new = make(databases.object(for: file.key) { ItemDatabase(file.place) { [key = file.key] in databases.remove(key) } })
            // What may be a last reference is not released under the lock: a user's `deinit` may come back here.
            let (found, others) = stores.withLock { stores -> (any ItemReader, [[UInt8]: any ItemReader]) in
                let key = file.key + [0] + name.utf8
                if let store = stores[key]?.store { return (store, [:]) }
                let others = stores.compactMapValues(\.store)
                stores = others.mapValues(WeakStore.init)
                stores[key] = WeakStore(store: new)
                return (new, others)
            }
            withExtendedLifetime(others) {}
            guard let store = found as? ItemStore<Item> else {
                programmerError("The store \"\(name)\" is used with two types of items: \(distinctNames(Item.self, found.itemType)). Use one, or another name.")
            }
            return store
        }

        /// The store of that name and file in a temporary storage, like `store`.
        static func store<Item>(in scope: TemporaryScope, like store: ItemStore<Item>, _ file: StoreFile) -> ItemStore<Item> {
            let place = "store \(file.key.text)"
            return scope.object("\(place) \(store.name)") {
                ItemStore(store.name, scope.object(place) { ItemDatabase(.memory) {} }, store.coder, id: store.id)
            }
        }
    }
#endif
