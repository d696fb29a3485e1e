// What a wrapper makes of what is stored, for the getter and for those who iterate.

import StoredValuesSupport

extension StoredValue {
    /// The value now, then every change, in the order in which changes were made and none lost.
    ///
    /// Iterating subscribes, dropping the iterator unsubscribes, and each iteration is on its own. A change made by
    /// another process comes as its latest state. Elements wait for a slow reader without limit. What reads as before is no
    /// change: storing the default where nothing is stored, removing it, another spelling in the file.
    public var values: some AsyncSequence<Item, Never> & Sendable { values(bufferingPolicy: .unbounded) }

    /// ``values`` with a limit on what waits for a slow reader.
    public func values(
        bufferingPolicy: AsyncStream<Item>.Continuation.BufferingPolicy
    ) -> some AsyncSequence<Item, Never> & Sendable {
        sequence(BufferLimit(bufferingPolicy))
    }

    /// ``values``, with the type that says what it is made of.
    func sequence(_ limit: BufferLimit) -> ValueSequence<StoredContent<Item>, Item> {
        ValueSequence(
            subscribe: { self.livePreference.live.subscribe(limit) },
            makeTransform: {
                var isFirst = true
                var last: [UInt8]?
                return { content in
                    defer { isFirst = false }
                    // Compared is what is read, as it would be encoded: to store what is the default anyway, to remove it and
                    // to spell it in another way is no news.
                    let item: Item, text: [UInt8]?
                    if case .item(let set, let stored) = content, self.declaration.validate == nil {
                        // After the first, only what is set in this process comes as an item, with what it was encoded to.
                        (item, text) = (set, isFirst ? Self.text(set) : stored.json)
                    } else {
                        let preference = self.livePreference
                        let interpretation = self.interpret(preference.decoded(content), in: preference)
                        self.report(interpretation.repairs, in: preference)
                        (item, text) = (interpretation.item, Self.text(interpretation.item))
                    }
                    guard isFirst || text == nil || text != last else { return nil }
                    last = text
                    return item
                }
            })
    }

    var livePreference: LivePreference<Item> {
        if let scope = storage.temporaryScope(orElse: scope) {
            let store = storage.store(in: scope)
            return scope.object("\(key) in \(store.path)") { find(in: store) }
        }
        if let preference = sharedPreference.unmanaged { return preference.takeUnretainedValue() }
        return sharedPreference.setIfNil(find(in: storage.store))
    }

    /// The item, where it is not ready to be read. On its own, because its preparations take longer than reading one that is.
    @inline(never)
    func itemMadeReady() -> Item {
        let preference = livePreference
        preference.live.noteAccess()
        return read(preference).item
    }

    private func find(in store: PreferencesStore) -> LivePreference<Item> {
        let found = LivePreference<Item>.find(key, in: store)
        declaration.formerKeys.move(to: key, in: found.store, upTo: found.schema.version)
        found.compare(default: declaration.defaultItem)
        return found
    }

    func read(_ preference: LivePreference<Item>) -> Interpretation<Item> {
        if let own = preference.ownContent {
            // It is no content of the live value, and nobody else's to be kept for.
            let interpretation = interpret(preference.decoded(own), in: preference)
            report(interpretation.repairs, in: preference)
            return interpretation
        }
        let (content, revision) = preference.current
        switch content {
        case .absent: return Interpretation(item: declaration.defaultItem)
        case .item(let item, _) where declaration.validate == nil: return Interpretation(item: item)
        default: break
        }
        if let known = latest.withLock({ $0 }), known.revision == revision { return known.interpretation }
        let new = interpret(content, in: preference)
        // Not replaced under the lock: the old item may be a class, whose deinit runs when it goes.
        let old = latest.withLock { latest in
            defer { latest = (revision, new) }
            return latest
        }
        if old?.revision != revision { report(new.repairs, in: preference) }
        return new
    }

    func report(_ repairs: [Repair], in preference: LivePreference<Item>) {
        guard !repairs.isEmpty else { return }
        preference.store.report(repairs: repairs.map(\.description), of: key)
    }

    func interpret(_ content: StoredContent<Item>, in preference: LivePreference<Item>) -> Interpretation<Item> {
        content.decoded(by: preference.schema).interpreted(by: declaration)
    }

    /// What `item` is stored as; nil where it cannot be encoded.
    private static func text(_ item: Item) -> [UInt8]? { try? ItemEncoder.encode(item).text(level: 1) }
}
