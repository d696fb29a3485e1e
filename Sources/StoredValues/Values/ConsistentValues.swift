import StoredValuesSupport

extension PreferencesFile {
    /// The values of all `wrappers` now, then all of them after every change of any, in the order of the changes.
    ///
    /// ```swift
    /// struct Limits {
    ///     @StoredValue(key: "low") var low = 0
    ///     @StoredValue(key: "high") var high = 9
    ///
    ///     func follow() async {
    ///         for await (low, high) in PreferencesFile.values(of: $low, $high) { print(low...high) }
    ///     }
    /// }
    /// ```
    ///
    /// Each element is a consistent state: changes made together, in a ``batch(_:)`` or by another program in one replacement
    /// of the file, arrive as one element. No change of this process is lost; of another process's changes the latest state
    /// arrives. A change that leaves every value equal yields nothing. Elements wait for a slow reader without limit. Wrappers
    /// of different files trap.
    public static func values<each Item: StorableItem>(
        of wrappers: repeat StoredValue<each Item>
    ) -> LiveValues<(repeat each Item)> {
        values(in: nil, of: repeat each wrappers)
    }

    /// ``values(of:)-type.method`` for wrappers of this file; wrappers of other files trap.
    public func values<each Item: StorableItem>(
        of wrappers: repeat StoredValue<each Item>
    ) -> LiveValues<(repeat each Item)> {
        Self.values(in: self, of: repeat each wrappers)
    }

    /// An element now and after each change, whoever made it; a slow reader gets only one. A reader that takes a snapshot after each
    /// element misses no change.
    package var changes: LiveValues<Void> {
        LiveValues { [store] () -> ActiveSubscription<Void> in
            store.subscribe(to: nil, .newest(1)) {}
        } makeTransform: {
            { $0 }
        }
    }

    private static func values<each Item: StorableItem>(
        in file: PreferencesFile?, of wrappers: repeat StoredValue<each Item>
    ) -> LiveValues<(repeat each Item)> {
        // Resolved in the calling task, as for a single wrapper's values: the task may have temporary storage.
        @Sendable func find() -> [Part] {
            var parts: [Part] = []
            for wrapper in repeat each wrappers { parts.append(wrapper.part) }
            guard let first = parts.first else {
                programmerError("PreferencesFile.values(of:) was called without a wrapper. Pass the wrappers to read together.")
            }
            let store = file?.store ?? first.store
            for part in parts where part.store !== store {
                programmerError(
                    "PreferencesFile.values(of:) was called for \"\(store.path)\" with \"\(part.key.text)\", which belongs to \"\(part.store.path)\". Only values of one file can be read together: call it once per file."
                )
            }
            return parts
        }
        _ = find()
        // Each element is the contents of all keys.
        return LiveValues(
            subscribe: { () -> ActiveSubscription<[StoredContent]> in
                let parts = find()
                return parts[0].store.subscribe(to: parts.map(\.key), .unlimited) { parts.map { $0.content() } }
            },
            makeTransform: {
                let readings = (repeat PartReading(each wrappers))
                return { contents in
                    var rest = contents[...]
                    let values = (repeat (each readings).read(rest.removeFirst()))
                    var isNews = false
                    for reading in repeat each readings { isNews = isNews || reading.isNews }
                    return isNews ? values : nil
                }
            })
    }
}

/// One of several values that are read together.
private typealias Part = (key: PreferencesKey, store: PreferencesStore, content: @Sendable () -> StoredContent)

extension PreferencesStore {
    /// Adds a reader that gets `content`, which is called with the state locked, now and after each change of one of these keys (nil: of any).
    /// The store is retained: the file is watched as long as there is a reader.
    func subscribe<Content>(
        to keys: [PreferencesKey]?, _ limit: BufferLimit, _ content: @escaping @Sendable () -> Content
    ) -> ActiveSubscription<Content> {
        let (subscription, number) = state.withLock { state in
            let subscription = Subscription(first: [Box(content())], limit: limit)
            let number = state.audience.addListener(to: keys.map { Set($0) }) { later in subscription.append(Box(content()), &later) }
            return (subscription, number)
        }
        return ActiveSubscription(subscription) { _ = self.state.withLock { $0.audience.removeListener(number) } }
    }
}

extension StoredValue {
    fileprivate var part: Part {
        let preference = livePreference
        return (PreferencesKey(key), preference.store, { preference.live.current.content })
    }
}

/// The part of one iteration over several values that reads one of them.
private final class PartReading<Item: StorableItem> {
    private let transform: (StoredContent) -> Item?
    private var last: (text: StoredJSON?, item: Item)?
    /// Whether the value read last differs from the one before.
    private(set) var isNews = false

    init(_ wrapper: StoredValue<Item>) { transform = wrapper.transform(mayBeRefined: true) }

    func read(_ content: StoredContent) -> Item {
        isNews = false
        // Usually another value changed.
        if let last, last.text == content.text { return last.item }
        let new = transform(content)
        if case .some = new { isNews = true }
        guard let item = new ?? last?.item else { preconditionFailure("the first content is always news") }
        last = (content.text, item)
        return item
    }
}
