#if Store
    public import Observation
    public import StoredValues
    import StoredValuesSupport

    /// A collection of items, in memory in front and in an SQLite database behind.
    ///
    /// ```swift
    /// struct Note: Codable, Identifiable, Sendable { let id: UUID; var text: String }
    ///
    /// extension Store where Item == Note { static let notes = Store("notes") }
    ///
    /// func write(_ text: String) async throws {
    ///     try await Store.notes.insert(Note(id: UUID(), text: text))   // committed and synced when it returns
    ///     print(Store.notes.items.count)
    /// }
    /// ```
    ///
    /// Making a store opens nothing. In a process, all stores of one name are one if their files are named in the same way (see
    /// ``StoreFile``), and the first one's `id` and `template` count for all. Each has the items that any of them, or another process, has
    /// committed. Items are in the order of insertion; one that replaces another with the same id keeps its place. Ids are the same if
    /// their JSON is, byte for byte.
    ///
    /// No actor is needed: everything can be used from any thread, and Observation sees every read.
    public final class Store<Item: StorableItem>: Sendable {
        private let own: ItemStore<Item>
        @usableFromInline let ready: ReadyItems<Item>
        /// Whether a temporary storage has another store in place of this.
        @usableFromInline let isNamed: Bool
        /// The temporary storage in which this was made.
        private let madeIn: TemporaryScope?
        /// The store's name in its file.
        public let name: String

        /// The store `name` in `file`, whose items have their ids in the property `id`.
        ///
        /// Traps if a store of this name and file exists in the process with another type of item.
        ///
        /// From `template`, others take the properties that are missing in their JSON, or do not decode. Without it, such an item is
        /// ``unreadable``, unless the property is optional. To get, update or remove an item by its id, make it `Identifiable` by this
        /// property.
        public convenience init<ID: Encodable & Sendable>(
            _ name: String, in file: StoreFile = .standard, id: any KeyPath<Item, ID> & Sendable, template: Item? = nil
        ) {
            self.init(name, file, template) { try ItemCoder<Item>.text($0[keyPath: id]) }
        }

        private init(_ name: String, _ file: StoreFile, _ template: Item?, id: @escaping @Sendable (Item) throws -> [UInt8]) {
            requireProperUse(!name.isEmpty && !name.has("\0"), "Store(\"\(name)\"): the name must not be empty or contain a NUL")
            (self.name, madeIn) = (name, file.isNamed ? TemporaryScope.current : nil)
            own = OpenStores.store(name, file) { ItemStore(name, $0, ItemCoder(template: template), id: id) }
            (ready, isNamed) = (own.ready, file.isNamed)
        }

        /// What all stores of this name and file share, for the calling task.
        var shared: ItemStore<Item> {
            guard isNamed, let scope = TemporaryScope.current ?? madeIn else { return own }
            return OpenStores.store(in: scope, like: own)
        }

        // MARK: Reading

        /// The items, in the order of insertion.
        ///
        /// Reads memory. The first read waits for the file, for other processes at most 5 s, so that the list is never empty only because it
        /// has not been read. If the file cannot be read, the items are those that were known before; ``status`` says why.
        @inlinable public var items: [Item] {
            if !isNamed || noTemporaryStorage(), let items = ready.read() { return items }
            return currentItems
        }

        @usableFromInline var currentItems: [Item] { shared.items }

        /// Whether the items were read from the file. Does not wait.
        public var status: StoreStatus { shared.status }

        /// Returns when the items have been read from the file; at once if they have.
        ///
        /// Throws why they cannot be read, or ``StoreError/cancelled``.
        public func itemsHaveLoaded() async throws(StoreError) { try await shared.waitUntilLoaded() }

        /// The rows of the file that could not be decoded, in the order of insertion. They stay there as they are.
        public var unreadable: [UnreadableRow] { shared.unreadable }

        /// The items now, and then after each change the latest: a slow reader gets only the last ones. Yields nothing until the file could be read.
        public var values: some AsyncSequence<[Item], Never> & Sendable { shared.values }

        /// All events: ``StoreEvent/Operation/initialized``, then ``StoreEvent/Operation/loaded`` with the current items, then insertions and
        /// removals in the order of commits. There is one for every change of this process. Of another process's changes they show the result
        /// when its commits are read: of several changes of one item the last, and nothing of an item that was inserted and removed in
        /// between. A slow reader's events are kept until it reads them.
        public var events: some AsyncSequence<StoreEvent<Item>, Never> & Sendable { shared.events }
    }

    extension Store where Item: Identifiable, Item.ID: Encodable & Sendable {
        /// The store `name` in `file`; see ``init(_:in:id:template:)``.
        public convenience init(_ name: String, in file: StoreFile = .standard, template: Item? = nil) {
            self.init(name, file, template) { try ItemCoder<Item>.text($0.id) }
        }

        /// The item with this id; nil if there is none.
        public subscript(id id: Item.ID) -> Item? { (try? ItemCoder<Item>.text(id)).flatMap { shared[$0] } }
    }

    extension Store: Observable {}
#endif
