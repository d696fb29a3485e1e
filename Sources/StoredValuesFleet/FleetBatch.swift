#if Fleet
    public import StoredValues
    import StoredValuesSupport

    /// The changes that one transaction makes; see ``Fleet/batch(_:)``. Of several changes of one setting the last counts.
    public struct FleetBatch {
        private(set) var contents: [(place: FleetKeys.Place, content: Fleet.Content?)] = []

        /// Stores an item. Replaces what anyone stored, of whatever type or version.
        public mutating func set(_ key: String, to item: some StorableItem, for target: FleetTarget = .everyone) throws(FleetError) {
            put(try Fleet.content(item, key), at: try Fleet.place(key, target))
        }

        /// Removes what is set for `target`.
        public mutating func reset(_ key: String, for target: FleetTarget = .everyone) throws(FleetError) {
            put(nil, at: try Fleet.place(key, target))
        }

        private mutating func put(_ content: Fleet.Content?, at place: FleetKeys.Place) {
            contents.removeAll { $0.place == place }
            contents.append((place, content))
        }
    }
#endif
