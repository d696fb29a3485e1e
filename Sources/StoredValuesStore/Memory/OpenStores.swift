#if Store
    import StoredValues
    import StoredValuesSupport

    /// The stores of this process: one for each file and name, as long as somebody has it.
    enum OpenStores {
        private static let databases = WeakTable<[UInt8], ItemDatabase>()
        private static let stores = WeakTable<[UInt8], any AnyObject & Sendable>()

        /// The store `name` in `file`; `make` is given its database, and what to call when it is released. Traps if the one that exists has
        /// another type of item.
        static func store<Item>(
            _ name: String, _ file: StoreFile, _ make: (ItemDatabase, @escaping @Sendable () -> Void) -> ItemStore<Item>
        ) -> ItemStore<Item> {
            let key = file.key + [0] + name.utf8
            let found = stores.object(for: key) {
                make(databases.object(for: file.key) { ItemDatabase(file.place) { [key = file.key] in databases.remove(key) } }) { stores.remove(key) }
            }
            guard let store = found as? ItemStore<Item> else {
                let types = (found as? any ItemReader).map { distinctNames(Item.self, $0.itemType) } ?? "\(Item.self)"
                programmerError("The store \"\(name)\" is used with two types of items: \(types). Use one, or another name.")
            }
            return store
        }

        static func store<Item>(in scope: TemporaryScope, like store: ItemStore<Item>, _ file: StoreFile) -> ItemStore<Item> {
            let place = "store \(file.key.text)"  // no path and no name has a NUL
            return scope.object("\(place)\0\(store.name)") {
                ItemStore(store.name, scope.object(place) { ItemDatabase(.memory) {} }, store.coder, id: store.id)
            }
        }
    }
#endif
