#if Store
    /// Something that has happened to a store.
    public struct StoreEvent<Item: Sendable>: Sendable {
        /// What happened.
        public enum Operation: Sendable, Hashable {
            /// An iteration has begun: the first event of each.
            case initialized
            /// The items were read for the first time.
            case loaded
            /// The items were inserted, or took the places of others with the same ids.
            case insert
            /// The items were removed.
            case remove
        }

        /// What happened.
        public let operation: Operation
        /// The items that were loaded, inserted or removed.
        public let items: [Item]
        /// Whether another process did it.
        public let isExternal: Bool

        init(_ operation: Operation, _ items: [Item], _ isExternal: Bool) {
            (self.operation, self.items, self.isExternal) = (operation, items, isExternal)
        }
    }

    extension StoreEvent: Equatable where Item: Equatable {}

    /// Whether a store has read its file.
    public enum StoreStatus: Sendable, Equatable {
        /// Nothing has read the items yet; the first read waits for them.
        case notLoaded
        /// The items are those of the file.
        case loaded
        /// The file cannot be read: the items are those that were known before. Reading is retried until it succeeds.
        case unavailable(StoreError)
    }

    /// A row of the file that is no item for this program. It stays in the file.
    public struct UnreadableRow: Sendable, Hashable {
        let number: Int64
        let idBytes: [UInt8]
        /// The item's id, in JSON.
        public var id: String { idBytes.text }
        /// The version of the type that wrote it; see `VersionedItem`.
        public let version: Int
        /// Why it cannot be read.
        public let reason: String
    }
#endif
