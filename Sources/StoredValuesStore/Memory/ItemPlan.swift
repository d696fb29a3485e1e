#if Store
    import StoredValues
    import StoredValuesSupport

    /// An item with what is stored of it.
    struct EncodedItem<Item: StorableItem>: Sendable {
        let item: Item
        let id: [UInt8]
        let json: [UInt8]
    }

    /// A step of a change.
    enum ItemStep<Item: StorableItem>: Sendable {
        case insert([EncodedItem<Item>])
        /// Removes the items with these ids; rows that cannot be read only with `unreadableToo`.
        case remove([[UInt8]], unreadableToo: Bool)
        case removeAll
        case removeWhere(@Sendable (Item) throws -> Bool)
        /// Changes the item with this id, or the given one if there is none.
        case update([UInt8], orInsert: Item?, @Sendable (inout Item) throws -> Void)
        case updateWhere(@Sendable (Item) throws -> Bool, @Sendable (inout Item) throws -> Void)
    }

    /// What has changed, for memory.
    enum ItemChange<Item: Sendable>: Sendable {
        case put([(item: Item, id: [UInt8], number: Int64)])
        case remove([[UInt8]])
        /// Rows that do not decode.
        case lose([UnreadableRow])
    }

    /// Carries out the steps of one transaction in the database, and collects the changes that memory makes after the commit.
    struct ItemPlan<Item: StorableItem> {
        let rows: ItemRows
        let store: ItemStore<Item>
        /// As it was before the first step. If it outlives the transaction, the next change copies the list.
        let list: ItemList<Item>
        /// The numbers of the rows that the steps before have put; nil for what they have removed.
        private var touched: [[UInt8]: Int64?] = [:]
        private(set) var changes: [ItemChange<Item>] = []
        /// Whether memory has an item whose row is gone.
        private(set) var hasMissedRemoval = false
        /// The last one in this transaction.
        private(set) var revision: Int64

        init(_ rows: ItemRows, of store: ItemStore<Item>) {
            (self.rows, self.store) = (rows, store)
            (list, revision) = store.state.withLock { ($0.list, $0.revision) }
        }

        private func number(of id: [UInt8]) -> Int64? { if let known = touched[id] { known } else { list.number(of: id) } }

        /// The row with this id, if it cannot be read.
        private func unreadable(_ id: [UInt8]) -> UnreadableRow? { list.unreadable(id).flatMap { touched[id] == nil ? $0 : nil } }

        mutating func carryOut(_ step: ItemStep<Item>) throws {
            switch step {
            case .insert(let items): try insert(items)
            case .remove(let ids, let unreadableToo): try remove(ids, unreadableToo: unreadableToo)
            case .removeAll: try remove(ids, all: list.unreadable.isEmpty)
            // This and the next ones are always the only step.
            case .removeWhere(let isUnwanted): try remove(entries(where: isUnwanted).map { $0.id })
            case .update(let id, let new, let body):
                if new != nil { try requireReadable(id) }
                if let item = list[id] ?? new { try insert([changed(item, id, body)], adding: new != nil) }
            case .updateWhere(let isMeant, let body): try insert(entries(where: isMeant).map { try changed($0.item, $0.id, body) }, adding: false)
            }
        }

        /// Throws if the row cannot be read, so that it is not overwritten. An insertion (`orOlder`) may replace one that no newer version wrote.
        private func requireReadable(_ id: [UInt8], orOlder: Bool = false) throws(StoreError) {
            guard let row = unreadable(id) else { return }
            guard row.version <= store.coder.version else {
                throw .newerItem(store: rows.store, id: row.id, stored: row.version, supported: store.coder.version)
            }
            if !orOlder { throw .unreadableItem(store: rows.store, id: row.id, reason: row.reason) }
        }

        private func entries(where isMeant: (Item) throws -> Bool) throws -> [(id: [UInt8], item: Item)] {
            try list.entries.filter { entry in try users { try isMeant(entry.item) } }
        }

        /// - Parameter adding: Whether an item that has no row in the file, whatever memory has, gets one.
        private mutating func insert(_ items: [EncodedItem<Item>], adding: Bool = true) throws {
            let items = lastOfEachID(items)
            guard !items.isEmpty else { return }
            let version = store.coder.version, next = try ItemRows.next(after: revision)
            var last = try rows.lastNumber()
            var put: [(item: Item, id: [UInt8], number: Int64)] = []
            put.reserveCapacity(items.count)
            var new: [(number: Int64, id: [UInt8], json: [UInt8])] = []
            touched.reserveCapacity(touched.count + items.count)
            for item in items {
                try requireReadable(item.id, orOlder: true)
                var old = number(of: item.id)
                // The row is gone if a backup was copied into the file, or another store's row has got its number.
                if old != nil, try !rows.replace(item.id, item.json, version: version, revision: next) { old = nil }
                if old == nil {
                    guard adding else {
                        hasMissedRemoval = true
                        continue
                    }
                    last = try ItemRows.next(after: last)
                    new.append((last, item.id, item.json))
                }
                let place = old ?? last
                touched[item.id] = place
                put.append((item.item, item.id, place))
            }
            try rows.insert(new, version: version, revision: next)
            guard !put.isEmpty else { return }
            revision = next
            changes.append(.put(put))
        }

        /// The items, of several with one id the last at the place of the first.
        private func lastOfEachID(_ items: [EncodedItem<Item>]) -> [EncodedItem<Item>] {
            var seen = Set<[UInt8]>(minimumCapacity: items.count)
            if items.allSatisfy({ seen.insert($0.id).inserted }) { return items }
            let last = Dictionary(zip(items.map { $0.id }, items), uniquingKeysWith: { $1 })
            seen = []
            return items.compactMap { item in seen.insert(item.id).inserted ? last[item.id] : nil }
        }

        /// - Parameter all: Whether these are all rows of the store.
        private mutating func remove(_ ids: [[UInt8]], unreadableToo: Bool = false, all: Bool = false) throws {
            if all, !ids.isEmpty { revision += try rows.removeAll(after: revision) }
            var removed: [[UInt8]] = []
            for id in ids where number(of: id) != nil && (unreadableToo || unreadable(id) == nil) {
                if !all { revision += try rows.remove(id, after: revision) }
                touched.updateValue(nil, forKey: id)
                removed.append(id)
            }
            if !removed.isEmpty { changes.append(.remove(removed)) }
        }

        /// The ids of all items, as the steps before have left them.
        private var ids: [[UInt8]] {
            let new = touched.compactMap { id, number in number == nil ? nil : id }
            return new + list.ids.filter { touched[$0] == nil && list.unreadable($0) == nil }
        }

        /// The item as `body` changes it. It keeps its id. Of an object, which memory shares, `body` changes a copy of the same class.
        private func changed(_ old: Item, _ id: [UInt8], _ body: (inout Item) throws -> Void) throws -> EncodedItem<Item> {
            var item = try Item.self is AnyObject.Type ? store.encoding { try ItemCoding.copy(of: old) } : old
            try users { try body(&item) }
            let new = try store.encoded(item)
            guard new.id == id else { throw StoreError.changedID(store: rows.store, id: id.text) }
            return new
        }
    }

    /// An error of a user's closure, which is thrown as it is, even if it is one of SQLite's.
    struct UsersError: Error {
        let error: any Error
    }

    private func users<Result>(_ closure: () throws -> Result) throws(UsersError) -> Result {
        do { return try closure() } catch { throw UsersError(error: error) }
    }

    extension [UInt8] {
        var text: String { String(decoding: self, as: UTF8.self) }
    }
#endif
