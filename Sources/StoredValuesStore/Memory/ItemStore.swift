#if Store
    import Observation
    import StoredValues
    import StoredValuesSupport

    /// The items of a store in memory, and who reads them. All ``Store``s of one name and file share it.
    ///
    /// It changes only in turns of its database, after their commits; the lock is for readers, who need no turn.
    final class ItemStore<Item: StorableItem>: HasObservers {
        struct State: Sendable {
            var list = ItemList<Item>()
            var status = StoreStatus.notLoaded
            /// The last revision that was read or written.
            var revision: Int64 = 0
            /// The last revision, in hundreds, at which it was time to delete old removals.
            var lastTidied: Int64 = 0
            var isCurrent = false
            /// Counts the changes of memory; 0 before items have been loaded once.
            var changes = 0
            var valueReaders: [ObjectIdentifier: Subscription] = [:]
            var eventReaders: [ObjectIdentifier: Subscription] = [:]

            func tell(_ event: StoreEvent<Item>, _ later: inout AfterUnlocking) {
                let box = Box(event)
                for reader in eventReaders.values { reader.append(box, &later) }
            }
        }

        let name: String
        let database: ItemDatabase
        let coder: ItemCoder<Item>
        let id: @Sendable (Item) throws -> [UInt8]
        let state = Guarded(State())
        let ready = ReadyItems<Item>()
        private let signal = Box(())  // wakes readers of values

        init(_ name: String, _ database: ItemDatabase, _ coder: ItemCoder<Item>, id: @escaping @Sendable (Item) throws -> [UInt8]) {
            (self.name, self.database, self.coder, self.id) = (name, database, coder, id)
        }

        deinit {
            database.remove(ObjectIdentifier(self))
            OpenStores.remove(name, database.file)
        }

        // MARK: Reading

        /// The items; those of the file if none were read yet. Prepares them for the next reader.
        var items: [Item] {
            read { [ready] state in
                if state.status != .notLoaded { ready.items.withLock { $0 = state.list.items } }
                return state.list.items
            }
        }
        var status: StoreStatus {
            ready.noteAccess()
            return state.withLock(\.status)
        }
        var unreadable: [UnreadableRow] { read(\.list.unreadable).values.sorted { $0.number < $1.number } }
        subscript(id: [UInt8]) -> Item? { read { $0.list[id] } }

        private func read<Part: Sendable>(_ part: (State) -> Part) -> Part {
            ready.noteAccess()
            if let known = state.withLock({ $0.status == .notLoaded ? nil : part($0) }) { return known }
            database.add(self)
            do { try database.turns.run { later in try database.read(&later) } } catch { cannotLoad(StoreError(any: error, path: database.path)) }
            return state.withLock { part($0) }
        }

        /// Returns when the items have been read; throws why they cannot be.
        func waitUntilLoaded() async throws(StoreError) {
            if state.withLock({ $0.status == .loaded }) { return }
            database.add(self)
            do { try await database.turns.run { [database] later in try database.read(&later) } } catch {
                let error = StoreError(any: error, path: database.path)
                if error != .cancelled { cannotLoad(error) }
                throw error
            }
        }

        private func cannotLoad(_ error: StoreError) {
            var later = AfterUnlocking()
            fail(error, &later)
            Turns.perform(later)
            database.readOthersSoon()
        }

        // MARK: Changing

        /// The item with what is stored of it. Throws ``StoreError/notEncodable(store:reason:)``.
        func encoded(_ item: Item) throws(StoreError) -> EncodedItem<Item> {
            try encoding { try EncodedItem(item: item, id: id(item), json: ItemCoder<Item>.text(item)) }
        }

        /// What `body` encodes. Throws ``StoreError/notEncodable(store:reason:)`` where that throws.
        func encoding<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
            do { return try body() } catch { throw .notEncodable(store: name, reason: ItemCoding.reason(error)) }
        }

        /// Carries out the steps in one transaction. Returns the items that they have changed or removed, in their order, if wanted.
        @discardableResult
        func change(_ steps: [ItemStep<Item>], wantsItems: Bool = true) async throws -> [Item] {
            database.add(self)
            do { return try await database.turns.run { [self] later in try change(steps, wantsItems, &later) } } catch {
                throw (error as? UsersError)?.error ?? StoreError(any: error, path: database.path)
            }
        }

        /// The same on this thread, for what is only in memory.
        func seed(_ items: [Item]) throws {
            guard case .memory = database.file.place else {
                programmerError("Store.seed(_:): \"\(name)\" is in a file; call it in withTemporaryStorage, or for a store in StoreFile.inMemory()")
            }
            let items = try items.map { try encoded($0) }
            database.add(self)
            try database.turns.run { later in _ = try change([.insert(items)], false, &later) }
        }

        private func change(_ steps: [ItemStep<Item>], _ wantsItems: Bool, _ later: inout AfterUnlocking) throws -> [Item] {
            read { _ in }  // if nobody has: where the file cannot be used, the status says why
            let (changes, revision, hasMissedRemoval) = try database.write(&later) { database in
                var plan = ItemPlan(ItemRows(database: database, store: name), of: self)
                for step in steps { try plan.carryOut(step) }
                // Also after insertions, for others may have removed rows; but once in 100 revisions, as it costs what an insertion costs.
                let hundred = plan.revision / 100
                let isDue = !plan.changes.isEmpty && state.withLock { exchange(&$0.lastTidied, with: hundred) != hundred }
                if isDue { try plan.rows.forgetOldRemovals(before: plan.revision) }
                return (plan.changes, plan.revision, plan.hasMissedRemoval)
            }
            let items = apply(changes, revision: revision, isExternal: false, wantsItems: wantsItems, &later)
            if hasMissedRemoval {
                expectAnotherFile()  // so that all is read again
                database.readOthersSoon()
            }
            return items
        }

        /// Brings memory up to date with the database; returns the items of the changes, if they are wanted.
        @discardableResult
        func apply(_ changes: [ItemChange<Item>], revision: Int64, isExternal: Bool, wantsItems: Bool = false, _ later: inout AfterUnlocking) -> [Item] {
            state.withLock { state in
                let isSame = changes.isEmpty && state.status == .loaded
                (state.revision, state.status, state.isCurrent) = (revision, .loaded, true)
                if isSame { return [] }
                var all: [Item] = []
                let isFirst = state.changes == 0, tells = !isFirst && !state.eventReaders.isEmpty
                if isFirst || !changes.isEmpty { state.changes += 1 }
                ready.items.withLock { $0 = nil }
                for change in changes {
                    let event: StoreEvent<Item>
                    switch change {
                    case .put(let put):
                        state.list.reserve(put.count)
                        let displaced = put.compactMap { state.list.put($0.item, id: $0.id, number: $0.number) }
                        // Another program did that. One that has a new number comes with it.
                        let gone = displaced.filter { state.list.number(of: $0.id) == nil }.map(\.item)
                        if tells, !gone.isEmpty { state.tell(StoreEvent(.remove, gone, isExternal), &later) }
                        event = StoreEvent(.insert, tells || wantsItems ? put.map(\.item) : [], isExternal)
                    case .remove(let ids): event = StoreEvent(.remove, state.list.remove(ids), isExternal)
                    case .lose(let rows): event = StoreEvent(.remove, state.list.lose(rows), isExternal)
                    }
                    if wantsItems { all += event.items }
                    if tells, !event.items.isEmpty { state.tell(event, &later) }
                }
                let gone = state.list.takeGone()
                if !gone.isEmpty { later.release(value: gone) }
                if isFirst { state.tell(StoreEvent(.loaded, state.list.items, false), &later) }
                tellChange(&state, &later)
                return all
            }
        }

        func tellChange(_ state: inout sending State, _ later: inout AfterUnlocking) {
            for reader in state.valueReaders.values { reader.append(signal, &later) }
            later.notifyObservers(of: self)
        }

        func notifyObservers() { ready.registrar.withMutation(of: ObservedItems(), keyPath: ready.property) {} }

        // MARK: Streams

        var values: LiveValues<[Item]> {
            LiveValues { [self] () -> ActiveSubscription<Void> in
                subscribe(\.valueReaders, limit: .newest(1)) { _ in [signal] }
            } makeTransform: { [self] in
                var last = 0  // no items are known of a file that could not be read yet
                return { [self] _ in
                    if state.withLock({ $0.status == .notLoaded }) { _ = items }
                    let (items, changes) = state.withLock { ($0.list.items, $0.changes) }
                    return exchange(&last, with: changes) == changes ? nil : items
                }
            }
        }

        var events: LiveValues<StoreEvent<Item>> {
            LiveValues { [self] () -> ActiveSubscription<StoreEvent<Item>> in
                database.add(self)
                database.readOthersSoon()
                return subscribe(\.eventReaders, limit: .unlimited) { state -> [Subscription.AnyBox] in
                    let loaded = state.changes > 0 ? [StoreEvent(.loaded, state.list.items, false)] : []
                    return ([StoreEvent(.initialized, [], false)] + loaded).map { Box($0) }
                }
            } makeTransform: {
                { $0 }
            }
        }

        private func subscribe<Content: Sendable>(
            _ readers: any WritableKeyPath<State, [ObjectIdentifier: Subscription]> & Sendable, limit: BufferLimit,
            first: (State) -> [Subscription.AnyBox]
        ) -> ActiveSubscription<Content> {
            let subscription = state.withLock { state in
                let subscription = Subscription(first: first(state), limit: limit)
                state[keyPath: readers][ObjectIdentifier(subscription)] = subscription
                return subscription
            }
            return ActiveSubscription(subscription) { [self] in
                _ = state.withLock { $0[keyPath: readers].removeValue(forKey: ObjectIdentifier(subscription)) }
            }
        }
    }
#endif
