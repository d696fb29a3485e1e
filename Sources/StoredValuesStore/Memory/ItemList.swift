#if Store
    /// Items in the order of their numbers, found by id.
    struct ItemList<Item: Sendable>: Sendable {
        private(set) var items: [Item] = []
        /// The number of each item.
        private var numbers: [Int64] = []
        private var idOfPlace: [[UInt8]] = []
        private var numberOfID: [[UInt8]: Int64] = [:]

        func number(of id: [UInt8]) -> Int64? { numberOfID[id] }

        var ids: some Sequence<[UInt8]> { numberOfID.keys }

        subscript(id: [UInt8]) -> Item? { numberOfID[id].flatMap(index).map { items[$0] } }

        /// The index of the item with this number.
        private func index(of number: Int64) -> Int? {
            let index = place(of: number)
            return index < numbers.count && numbers[index] == number ? index : nil
        }

        /// Where an item with this number is, or belongs.
        private func place(of number: Int64) -> Int {
            guard let last = numbers.last, number <= last else { return numbers.count }  // mostly
            var (low, high) = (0, numbers.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[middle] < number { low = middle + 1 } else { high = middle }
            }
            return low
        }

        /// Puts an item in its place: in place of the one that has the number, or between the others.
        mutating func put(_ item: Item, id: [UInt8], number: Int64) {
            if let old = numberOfID.updateValue(number, forKey: id), old != number, let index = index(of: old), idOfPlace[index] == id {
                items.remove(at: index)
                numbers.remove(at: index)
                idOfPlace.remove(at: index)
            }
            let index = place(of: number)
            if index < numbers.count, numbers[index] == number {
                // Another item that had the number has another one now, which comes with it, or is gone.
                let other = idOfPlace[index]
                if other != id, numberOfID[other] == number { numberOfID[other] = nil }
                (items[index], idOfPlace[index]) = (item, id)
            } else {
                items.insert(item, at: index)
                numbers.insert(number, at: index)
                idOfPlace.insert(id, at: index)
            }
        }

        /// Removes the items with these ids; returns them in their order.
        mutating func remove(_ ids: [[UInt8]]) -> [Item] {
            let places = ids.compactMap { numberOfID.removeValue(forKey: $0).flatMap(index) }.sorted()
            let removed = places.map { items[$0] }
            if places.count == 1 {
                items.remove(at: places[0])
                numbers.remove(at: places[0])
                idOfPlace.remove(at: places[0])
            } else if !places.isEmpty {
                // All at once: one after another, each would move the rest.
                var isKept = Array(repeating: true, count: items.count)
                for place in places { isKept[place] = false }
                items = zip(items, isKept).filter(\.1).map(\.0)
                numbers = zip(numbers, isKept).filter(\.1).map(\.0)
                idOfPlace = zip(idOfPlace, isKept).filter(\.1).map(\.0)
            }
            return removed
        }
    }
#endif
