// How a wrapper interprets the stored content, for the getter and for iterations.

import StoredValuesSupport

extension StoredValue {
    /// The value now, then every change, in the order of the changes and none lost.
    ///
    /// Iterating subscribes, dropping the iterator unsubscribes, and iterations are independent. Of another process's changes
    /// the latest state arrives. Elements wait for a slow reader without limit. A change that leaves the value equal yields
    /// nothing: storing the default while nothing is stored, removing it, other formatting in the file, or broken JSON in place
    /// of the last good value.
    public var values: LiveValues<Item> { values(bufferingPolicy: .unbounded) }

    /// ``values`` with a limit on the elements that wait for a slow reader. One that waits already gets the next element whatever the limit.
    ///
    /// A change to an equal value is not delivered, but occupies a buffer slot until the reader reaches it, so it can push out a real change,
    /// or keep one out.
    public func values(bufferingPolicy: AsyncStream<Item>.Continuation.BufferingPolicy) -> LiveValues<Item> {
        let limit = BufferLimit(bufferingPolicy)
        return LiveValues(subscribe: { self.livePreference.live.subscribe(limit) }, makeTransform: { self.transform() })
    }

    /// For one iteration: from each content to its item, or nil if that equals the one before. If contents may be refined, they come as items
    /// whose text is the file's, which may be formatted in another way.
    func transform(mayBeRefined: Bool = false) -> (StoredContent) -> Item? {
        var isFirst = true
        var last: [UInt8]?
        // If the content is broken now: a change may come before it is streamed, and then the last good value before is no longer known.
        let now = read(livePreference)
        var lastGood = now.repairs.isEmpty || now.isDefault ? nil : Self.text(now.item)
        return { content in
            defer { isFirst = false }
            // Values are compared in encoded form: storing the default, removing it, or other formatting in the file is no change.
            let item: Item, text: [UInt8]?
            if self.declaration.validate == nil, let set = content.item(Item.self), let stored = content.text {
                // After the first element, mostly only values set in this process come as items, with the text they were encoded to.
                (item, text) = (set, isFirst || mayBeRefined ? Self.text(set) : stored.json)
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
    }

    var livePreference: LivePreference<Item> {
        if let scope = storage.temporaryScope(orElse: scope) {
            let store = storage.store(in: scope)
            let found = find(in: store)  // by each wrapper, as each has its own former keys
            return scope.object("\(key) in \(store.path)") { found }
        }
        if let preference = sharedPreference.unmanaged { return preference.takeUnretainedValue() }
        return sharedPreference.setIfNil(find(in: storage.store))
    }

    /// The item, if it cannot be read without a lock.
    @usableFromInline
    func itemMadeReady() -> Item {
        let preference = livePreference
        preference.ready.noteAccess()
        return read(preference).item
    }

    private func find(in store: PreferencesStore) -> LivePreference<Item> {
        declaration.claimVariable(in: store)  // first, so that nobody reads a value that the variable replaces
        let found = LivePreference<Item>.find(key, in: store)
        declaration.moveFormerKeys(in: found.store, upTo: found.schema.version)
        found.note(declaration)
        declaration.claimVariable(in: store)  // again, because the variables may have been added in between
        return found
    }

    func read(_ preference: LivePreference<Item>) -> Interpretation<Item> {
        if let own = preference.store.ownContent(of: key) {
            // This content belongs only to this thread's view, so it is not kept. If it is broken, the current last good value is used, which
            // another thread may have changed since the view began.
            let content = preference.decoded(own.value)
            let interpretation = own.isUncovered ? content.interpreted(by: declaration, lastGood: { nil }) : interpret(content, in: preference)
            report(interpretation.repairs, in: preference)
            return interpretation
        }
        return interpretation(of: preference.current, in: preference) { read(preference) }
    }

    /// - Parameter outdated: Called for the result if the content was replaced meanwhile, and with it the last good value that it needed.
    private func interpretation(
        of current: (content: StoredContent, revision: UInt64), in preference: LivePreference<Item>, orElse outdated: () -> Interpretation<Item>
    ) -> Interpretation<Item> {
        let (content, revision) = current
        if declaration.validate == nil {
            if case .absent = content { return Interpretation(item: declaration.defaultItem, isDefault: true) }
            if let item = content.item(Item.self) { return Interpretation(item: item) }
        }
        if let known = latest.withLock({ $0 }), known.revision == revision { return known.interpretation }
        let new = interpret(content, in: preference)
        guard new.repairs.isEmpty || preference.live.current.revision == revision else { return outdated() }
        if !new.isDefault { preference.note(new.item, by: declaration, content, of: revision) }
        // Not released under the lock: the old item may be an object with a `deinit`.
        let old = latest.withLock { exchange(&$0, with: (revision, new)) }
        if old?.revision != revision { report(new.repairs, in: preference) }
        return new
    }

    /// Interprets a content that was streamed and may be replaced by now. `lastGood` is that of the stream, if any; the live preference may
    /// know only a later one. A broken text that is the current one again, after others, is read as that, with its last good value.
    private func interpretation(ofStreamed content: StoredContent, lastGood: () -> Item?) -> Interpretation<Item> {
        let preference = livePreference
        let current = preference.current
        if content.text == current.content.text {
            return interpretation(of: current, in: preference) { interpretation(ofStreamed: content, lastGood: lastGood) }
        }
        // Not reported: the repairs are outdated, and were reported to those who read the content then.
        return interpret(content, in: preference, lastGood: lastGood)
    }

    func report(_ repairs: [Repair], in preference: LivePreference<Item>) {
        guard !repairs.isEmpty else { return }
        preference.store.report { $0.note(repairs: repairs.map(\.description), of: PreferencesKey(key)) }
    }

    func interpret(
        _ content: StoredContent, in preference: LivePreference<Item>, lastGood: () -> Item? = { nil }
    ) -> Interpretation<Item> {
        let interpretation = preference.decoded(content).interpreted(by: declaration) {
            lastGood() ?? preference.lastGood(by: declaration)
        }
        if content.text == nil { preference.checkDefault(of: declaration) }
        return interpretation
    }

    /// The text that `item` is stored as; nil if it cannot be encoded.
    private static func text(_ item: Item) -> [UInt8]? { try? ItemEncoder.text(item, level: 1) }

    /// The item with this text; nil if it cannot be decoded.
    private static func item(_ text: [UInt8]) -> Item? { try? ItemDecoder.decode(Item.self, from: text) }
}
