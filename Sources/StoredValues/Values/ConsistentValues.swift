import StoredValuesSupport

/// Values of several keys of a file that belong together, as an async sequence of tuples: the current ones, then all of them after
/// every change of any. ``PreferencesFile/values(of:)-type.method`` makes it.
///
/// It is a value: iterating subscribes, each iteration on its own, and dropping the iterator unsubscribes.
public struct ConsistentValues<Values: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Values
    public typealias Failure = Never

    /// Its contents are those of each key.
    fileprivate let base: ValueSequence<[any Sendable], Values>

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    /// One iteration, which ends its subscription when it goes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: ValueSequence<[any Sendable], Values>.Iterator

        /// The next values, waiting for them; nil once the task is cancelled.
        public mutating func next() async -> Values? { await base.next(isolation: nil) }

        /// The next values, waiting for them; nil once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Values? { await base.next(isolation: actor) }
    }
}

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
    /// Each element is of one moment: what changes as one, in a ``batch(_:)`` or in the file by another program, comes as one
    /// element. Of changes of this process none is lost; of another process's the latest state comes. What reads as before
    /// is no change. Elements wait for a slow reader without limit. Wrappers of different files trap.
    public static func values<each Item: StorableItem>(
        of wrappers: repeat StoredValue<each Item>
    ) -> ConsistentValues<(repeat each Item)> {
        values(in: nil, of: repeat each wrappers)
    }

    /// ``values(of:)-type.method`` of wrappers that lie in this file; others trap.
    public func values<each Item: StorableItem>(
        of wrappers: repeat StoredValue<each Item>
    ) -> ConsistentValues<(repeat each Item)> {
        Self.values(in: self, of: repeat each wrappers)
    }

    private static func values<each Item: StorableItem>(
        in file: PreferencesFile?, of wrappers: repeat StoredValue<each Item>
    ) -> ConsistentValues<(repeat each Item)> {
        // In the task that asks, as a wrapper's values do it: it may have storage of its own.
        @Sendable func find() -> [Part] {
            var parts: [Part] = []
            for wrapper in repeat each wrappers { parts.append(wrapper.part) }
            Part.check(parts, lieIn: file?.store)
            return parts
        }
        _ = find()
        return ConsistentValues(base: ValueSequence(
            subscribe: { Part.subscribe(to: find()) },
            makeTransform: {
                let readings = (repeat PartReading(each wrappers))
                return { contents in
                    var rest = contents[...]
                    let values = (repeat (each readings).read(rest.removeFirst()))
                    var isNews = false
                    for reading in repeat each readings { isNews = isNews || reading.isNews }
                    return isNews ? values : nil
                }
            }))
    }
}

/// One of several values that are read together.
private struct Part: Sendable {
    let key: PreferencesKey
    let store: PreferencesStore
    let content: @Sendable () -> any Sendable

    /// Traps unless all lie in one file, which is that of `store` where it is given.
    static func check(_ parts: [Part], lieIn store: PreferencesStore?) {
        guard let first = parts.first else { misuse("PreferencesFile.values(of:) was called without a wrapper. Give it those to read together.") }
        let path = (store ?? first.store).path
        for part in parts where part.store !== store ?? first.store {
            misuse(
                "PreferencesFile.values(of:) was called for \"\(path)\" with \"\(part.key.text)\", which lies in \"\(part.store.path)\". Only values of one file change as one: ask for those of each file by themselves.")
        }
    }

    /// Adds a reader of all contents, those of now first.
    static func subscribe(to parts: [Part]) -> ActiveSubscription<[any Sendable]> {
        let store = parts[0].store  // there is one, and it is that of all: they were checked
        let subscription = Subscription(limit: .unlimited)
        // While the state is locked nobody changes any of them.
        let number = store.tell(of: Set(parts.map(\.key))) { later in subscription.append(Box(parts.map { $0.content() }), &later) }
        return ActiveSubscription(subscription) { store.stopTelling(number) }
    }
}

extension StoredValue {
    fileprivate var part: Part {
        let preference = livePreference
        return Part(key: PreferencesKey(key), store: preference.store) { preference.live.current.content }
    }
}

/// What one iteration over several values makes of the contents of one of them.
private final class PartReading<Item: StorableItem> {
    private let transform: (StoredContent<Item>) -> Item?
    private var last: (text: StoredJSON?, item: Item)?
    /// Whether what was read last is another value than before.
    private(set) var isNews = false

    init(_ wrapper: StoredValue<Item>) { transform = wrapper.sequence(.unlimited).makeTransform() }

    func read(_ content: any Sendable) -> Item {
        guard let content = content as? StoredContent<Item> else { preconditionFailure("a content of another wrapper") }
        isNews = false
        // Most often it is another one that changed.
        if let last, last.text == content.text { return last.item }
        let new = transform(content)
        if case .some = new { isNews = true }
        guard let item = new ?? last?.item else { preconditionFailure("the first content is always news") }
        last = (content.text, item)
        return item
    }
}
