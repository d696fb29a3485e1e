#if Store
    public import StoredValues

    /// The items of a store as a property: the wrapped value is the list, the projected value the ``Store``.
    ///
    /// ```swift
    /// actor Notebook {
    ///     @Stored(in: .notes) var notes                                            // [Note], in the order of insertion
    ///     func write(_ note: Note) async throws { try await $notes.insert(note) }  // committed and synced when it returns
    /// }
    /// ```
    ///
    /// It works in actors, structs and classes; in an `@Observable` class beside `@ObservationIgnored`, for the store itself is observed.
    /// In a class that is `Sendable`, Swift refuses it: put it into a struct there, or keep the store in a `let`.
    @propertyWrapper
    public struct Stored<Item: StorableItem>: Sendable {
        /// The store of the items.
        public let projectedValue: Store<Item>

        /// The items of `store`.
        public init(in store: Store<Item>) { projectedValue = store }

        /// The items, in the order of insertion; see ``Store/items``.
        public var wrappedValue: [Item] { projectedValue.items }
    }
#endif
