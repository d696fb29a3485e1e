// What a wrapper makes of what is stored, for the getter and for those who iterate.

import StoredValuesSupport

extension StoredValue {
    /// The value now, then every change, in the order in which changes were made and none lost.
    ///
    /// Iterating subscribes, dropping the iterator unsubscribes, and each iteration is on its own. A change made by
    /// another process comes as its latest state. Elements wait for a slow reader without limit. What reads as before is no
    /// change: storing the default where nothing is stored, removing it, another spelling in the file, something broken in the place of
    /// the last good value.
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
                var lastGood: [UInt8]?
                return { content in
                    defer { isFirst = false }
                    // Compared is what is read, as it would be encoded: to store what is the default anyway, to remove it and
                    // to spell it in another way is no news.
                    let item: Item, text: [UInt8]?
                    if case .item(let set, let stored) = content, self.declaration.validate == nil {
                        // After the first, only what is set in this process comes as an item, with what it was encoded to.
                        (item, text) = (set, isFirst ? Self.text(set) : stored.json)
                        lastGood = text
                    } else {
                        let interpretation = self.interpretation(ofStreamed: content) { lastGood.flatMap(Self.item) }
                        (item, text) = (interpretation.item, Self.text(interpretation.item))
                        lastGood = interpretation.isDefault ? nil : text
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
        found.note(declaration)
        return found
    }

    func read(_ preference: LivePreference<Item>) -> Interpretation<Item> {
        if let own = preference.ownContent {
            // It is no content of the live value, and nobody else's to be kept for.
            let interpretation = interpret(preference.decoded(own), in: preference)
            report(interpretation.repairs, in: preference)
            return interpretation
        }
        return interpretation(of: preference.current, in: preference)
    }

    private func interpretation(
        of current: (content: StoredContent<Item>, revision: UInt64), in preference: LivePreference<Item>
    ) -> Interpretation<Item> {
        let (content, revision) = current
        if declaration.validate == nil {
            switch content {
            case .absent: return Interpretation(item: declaration.defaultItem, isDefault: true)
            case .item(let item, _): return Interpretation(item: item)
            default: break
            }
        }
        if let known = latest.withLock({ $0 }), known.revision == revision { return known.interpretation }
        let new = interpret(content, in: preference)
        if !new.isDefault { preference.note(new.item, of: revision) }
        // Not replaced under the lock: the old item may be a class, whose deinit runs when it goes.
        let old = latest.withLock { latest in
            defer { latest = (revision, new) }
            return latest
        }
        if old?.revision != revision { report(new.repairs, in: preference) }
        return new
    }

    /// What this makes of a content that was streamed, which may be another one by now.
    ///
    /// - Parameter lastGood: What the stream knows to be good, if anything: the preference knows what was good later.
    private func interpretation(ofStreamed content: StoredContent<Item>, lastGood: () -> Item?) -> Interpretation<Item> {
        let preference = livePreference
        let current = preference.current
        if content.text == current.content.text { return interpretation(of: current, in: preference) }
        // Not reported: what was wrong with it is over, and was said to those who read it then.
        return interpret(content, in: preference, lastGood: lastGood)
    }

    func report(_ repairs: [Repair], in preference: LivePreference<Item>) {
        guard !repairs.isEmpty else { return }
        preference.store.report(repairs: repairs.map(\.description), of: key)
    }

    func interpret(
        _ content: StoredContent<Item>, in preference: LivePreference<Item>, lastGood: () -> Item? = { nil }
    ) -> Interpretation<Item> {
        let interpretation = preference.decoded(content).interpreted(by: declaration) {
            lastGood() ?? preference.lastGood(by: declaration)
        }
        if content.text == nil { preference.checkDefault(of: declaration) }
        return interpretation
    }

    /// What `item` is stored as; nil where it cannot be encoded.
    private static func text(_ item: Item) -> [UInt8]? { try? ItemEncoder.encode(item).text(level: 1) }

    /// The item that has this text; nil where it cannot be decoded.
    private static func item(_ text: [UInt8]) -> Item? {
        (try? JSONValue(parsing: text)).flatMap { try? ItemDecoder.decode(Item.self, from: $0) }
    }
}
