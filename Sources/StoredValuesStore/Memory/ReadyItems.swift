#if Store
    public import Observation
    import StoredValues
    public import StoredValuesSupport

    /// The items of a store, ready for readers, and those who observe them.
    ///
    /// A getter inlines what it needs of this, so that the compiler of the program knows the type of the items: looking it up at run time
    /// would take 200 times as long as the rest of a read.
    @usableFromInline
    final class ReadyItems<Item: Sendable>: Sendable {
        /// The items; nil until a reader has prepared them for the next. A change removes them first: two owners of one array would make it
        /// copy all of them.
        @usableFromInline let items = Guarded<[Item]?>(nil)
        @usableFromInline let registrar = ObservationRegistrar()
        /// Created once: creating a key path costs more than a read.
        @usableFromInline let property = ObservedItems.property

        @inlinable
        func read() -> [Item]? {
            noteAccess()
            return items.withLock { $0 }
        }

        @inlinable
        func noteAccess() { registrar.access(ObservedItems(), keyPath: property) }
    }

    /// What observers observe. It is empty, so that passing it counts no references.
    @usableFromInline
    struct ObservedItems: Observable {
        @inlinable init() {}
        @usableFromInline var items: Void { () }

        @usableFromInline static let property: any KeyPath<ObservedItems, Void> & Sendable = \ObservedItems.items
    }

    /// Whether a store of the application can only mean its own file: no temporary storage exists.
    @usableFromInline func noTemporaryStorage() -> Bool { !TemporaryScope.existsAny }
#endif
