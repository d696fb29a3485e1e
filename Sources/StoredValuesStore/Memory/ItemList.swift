#if Store
    /// Items in the order of their numbers, found by id; and the rows that are none.
    struct ItemList<Item: Sendable>: Sendable {
        private(set) var items: [Item] = []
        /// The number and the id of each item.
        private var places: [(number: Int64, id: [UInt8])] = []
        /// Rows that do not decode, by their numbers.
        private(set) var unreadable: [Int64: UnreadableRow] = [:]
        /// The number of each row, be it an item or not.
        private var numberOfID: [[UInt8]: Int64] = [:]
        /// Items that left the list, for whoever releases them after unlocking.
        private var gone: [Item] = []

        mutating func takeGone() -> [Item] { exchange(&gone, with: []) }

        func number(of id: [UInt8]) -> Int64? { numberOfID[id] }

        var entries: [(id: [UInt8], item: Item)] { zip(places, items).map { place, item in (id: place.id, item: item) } }

        /// The ids of all rows.
        var ids: some Sequence<[UInt8]> { numberOfID.keys }

        subscript(id: [UInt8]) -> Item? { numberOfID[id].flatMap(index).map { items[$0] } }

        func unreadable(_ id: [UInt8]) -> UnreadableRow? { unreadable.isEmpty ? nil : numberOfID[id].flatMap { unreadable[$0] } }

        private func index(of number: Int64) -> Int? {
            let index = place(of: number)
            return index < places.count && places[index].number == number ? index : nil
        }

        /// Where an item with this number is, or belongs.
        private func place(of number: Int64) -> Int {
            guard let last = places.last, number <= last.number else { return places.count }  // mostly
            var (low, high) = (0, places.count)
            while low < high {
                let middle = (low + high) / 2
                if places[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return low
        }

        mutating func reserve(_ count: Int) {
            guard count > items.count else { return }  // else growing by itself is enough
            items.reserveCapacity(items.count + count)
            places.reserveCapacity(items.count + count)
            numberOfID.reserveCapacity(items.count + count)
        }

        /// Puts an item in its place: in place of the one that has the number, or between the others. Returns one of another id whose place
        /// that was.
        mutating func put(_ item: Item, id: [UInt8], number: Int64) -> (item: Item, id: [UInt8])? {
            claim(number, for: id)
            let index = place(of: number)
            guard index < places.count, places[index].number == number else {
                items.insert(item, at: index)
                places.insert((number, id), at: index)
                return nil
            }
            let old = (item: exchange(&items[index], with: item), id: exchange(&places[index].id, with: id))
            gone.append(old.item)
            return old.id == id ? nil : old
        }

        /// Records rows that do not decode. Returns the items that were in their places, or had their ids.
        mutating func lose(_ rows: [UnreadableRow]) -> [Item] {
            let lost = remove(rows.map(\.idBytes) + rows.compactMap { row in index(of: row.number).map { places[$0].id } })
            for row in rows {
                claim(row.number, for: row.idBytes)
                unreadable[row.number] = row
            }
            return lost
        }

        /// Gives the row with this id the number. The row that had it before is gone, or gets its new number in the same reading.
        private mutating func claim(_ number: Int64, for id: [UInt8]) {
            if let old = numberOfID.updateValue(number, forKey: id), old != number {
                if let index = index(of: old), places[index].id == id {
                    gone.append(items[index])
                    remove(at: index)
                }
                if unreadable[old]?.idBytes == id { unreadable[old] = nil }
            }
            var other = index(of: number).map { places[$0].id }
            if !unreadable.isEmpty, let row = unreadable.removeValue(forKey: number) { other = row.idBytes }
            if let other, other != id, numberOfID[other] == number { numberOfID[other] = nil }
        }

        /// Removes the items and rows with these ids; returns the items in their order.
        mutating func remove(_ ids: [[UInt8]]) -> [Item] {
            let indexes = ids.compactMap { id in
                numberOfID.removeValue(forKey: id).flatMap { number in
                    if !unreadable.isEmpty { unreadable[number] = nil }
                    return index(of: number)
                }
            }.sorted()
            let removed = indexes.map { items[$0] }
            gone += removed
            if indexes.count == 1 {
                remove(at: indexes[0])
            } else if !indexes.isEmpty {
                // All at once: one after another, each would move the rest.
                var isKept = Array(repeating: true, count: items.count)
                for index in indexes { isKept[index] = false }
                items = zip(items, isKept).filter(\.1).map(\.0)
                places = zip(places, isKept).filter(\.1).map(\.0)
            }
            return removed
        }

        private mutating func remove(at index: Int) {
            items.remove(at: index)
            places.remove(at: index)
        }
    }
#endif
