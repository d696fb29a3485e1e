#if Store
    import StoredValues
    import StoredValuesSupport

    /// The stores of this process: one for each file and name, as long as somebody has it.
    enum OpenStores {
        private static let stores = WeakTable<[UInt8], any AnyObject & Sendable>()

        private static func key(_ name: String, _ file: StoreFile) -> [UInt8] { file.key + [0] + name.utf8 }

        /// The store `name` in `file`; `make` is given its database. Traps if the one that exists has another type of item.
        static func store<Item>(_ name: String, _ file: StoreFile, _ make: (ItemDatabase) -> ItemStore<Item>) -> ItemStore<Item> {
            let found = stores.object(for: key(name, file)) { make(ItemDatabase.inUse.object(for: file.key) { ItemDatabase(file) }) }
            guard let store = found as? ItemStore<Item> else {
                let types = (found as? any ItemReader).map { distinctNames(Item.self, $0.itemType) } ?? "\(Item.self)"
                programmerError("The store \"\(name)\" is used with two types of items: \(types). Use one, or another name.")
            }
            return store
        }

        /// Called by the store's `deinit`.
        static func remove(_ name: String, _ file: StoreFile) { stores.remove(key(name, file)) }

        static func store<Item>(in scope: TemporaryScope, like store: ItemStore<Item>) -> ItemStore<Item> {
            let place = "store \(store.database.file.key.text)"  // no path and no name has a NUL
            return scope.object("\(place)\0\(store.name)") {
                ItemStore(store.name, scope.object(place) { ItemDatabase(.inMemory()) }, store.coder, id: store.id)
            }
        }
    }
#endif
