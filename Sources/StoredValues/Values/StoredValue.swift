public import Observation
import StoredValuesSupport

/// A value that is kept in a preferences file and is live: every reader sees every change.
///
/// ```swift
/// @StoredValue(key: "fontSize") var fontSize = 14
///
/// $fontSize.set(16)                                    // in the file when this returns
/// for await size in $fontSize.values { print(size) }   // the value now, then every change
/// ```
///
/// All wrappers of one key in one file are one value, whatever instance, thread or task they are used from; each reads its
/// own default while nothing is stored. Declaring one key with two types ends the program with a sentence that names both.
///
/// Changes are synchronous and do not throw. When one returns, every reader sees it and the file is replaced, so killing
/// the process loses nothing; ``flush()`` returns when it would survive a power cut too. A change that cannot be
/// written stays in memory, is logged, is tried again by itself, and is thrown by ``flush()``. An item whose
/// `encode(to:)` throws changes nothing; that is logged and thrown by ``flush()`` as well. So is a change that would make the
/// file larger than 64 MiB, and so are changes of what a newer version of the program stored (see ``VersionedItem``); that
/// stays as it is, and the default is read.
///
/// The value that a property is declared with is its default, also where the initialiser that Swift makes for a struct sets it.
/// Make that initialiser unreachable, by one of your own or by a `private` property:
///
/// ```swift
/// struct Page {
///     @StoredValue(key: "theme") var theme = "light"
///
///     init() {}  // else Page(theme: "dark") stores nothing, and reads "dark" while nothing is stored
///
///     func darken() { $theme.set("dark") }
/// }
/// ```
///
/// Where Swift allows no property wrapper (a `let` of a `Sendable` class, a `static let`), make it by
/// ``init(key:default:formerKeys:decoding:validate:storage:)``.
@propertyWrapper
public final class StoredValue<Item: StorableItem>: Sendable, Observable {
    /// Clamps what was read from the file in place, or throws to refuse it.
    public typealias Validation = @Sendable (inout Item) throws -> Void

    /// The member of the file that holds the value.
    public let key: String
    private let defaultItem: Item
    private let formerKeys: FormerKeys
    private let strategy: DecodingStrategy
    private let validate: Validation?
    private let storage: PreferencesFile
    /// The temporary storage that this was made in.
    private let scope = TemporaryScope.current
    /// Found at the first use, when the application has had its chance to name itself.
    private let sharedPreference = SharedReference<LivePreference<Item>>()
    /// What this wrapper made of the content of a revision, where that takes more than looking. The revision says whose content
    /// it is: the live value itself may be of a temporary storage, which this must not keep.
    private let latest = Guarded<(revision: UInt64, interpretation: Interpretation<Item>)?>(nil)

    /// Declares a stored property.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, read while nothing is stored.
    ///   - key: The member of the file that holds the value. An empty one, and one that begins with `$`, ends
    ///     the program.
    ///   - formerKeys: Names that the key had in earlier versions, the latest first. While nothing is stored under the key,
    ///   the value of the first that has one moves to it, with its version, when the wrapper is first used; one that
    ///   a newer version of the program wrote stays where it is. A value under the key itself wins.
    ///   - decoding: What to do about stored JSON that is no `Item`.
    ///   - validate: Clamps what was read from the file in place, or throws to refuse it; then the default is read.
    ///   - storage: The file.
    public convenience init(
        wrappedValue: Item, key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: Validation? = nil, storage: PreferencesFile = .standard
    ) {
        self.init(
            key: key, default: wrappedValue, formerKeys: formerKeys, decoding: decoding, validate: validate, storage: storage)
    }

    /// Makes a stored value for a `let`; see ``init(wrappedValue:key:formerKeys:decoding:validate:storage:)``.
    public init(
        key: String, default defaultItem: Item, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: Validation? = nil, storage: PreferencesFile = .standard
    ) {
        for key in [key] + formerKeys {
            requireProperUse(!key.isEmpty, "StoredValue(key: \"\"): a key must not be empty")
            requireProperUse(!key.isReservedKey, "StoredValue(key: \"\(key)\"): keys that begin with $ are kept for the library")
        }
        self.key = key
        self.defaultItem = defaultItem
        self.formerKeys = FormerKeys(names: formerKeys)
        self.strategy = decoding
        self.validate = validate
        self.storage = storage
    }

    /// The value now: what is stored, or the default. Reads memory; only the first use of a file reads that.
    public var wrappedValue: Item {
        get {
            if validate == nil, scope == nil, TemporaryScope.current == nil, let shared = sharedPreference.unmanaged {
                do {
                    return try shared._withUnsafeGuaranteedRef { preference throws(NotReady) in
                        try preference.live.item(orIfAbsent: defaultItem)
                    }
                } catch {}  // it will be by the next time
            }
            return itemMadeReady()
        }
        @available(
            *, unavailable, message: "use $property.set(_:), or $property.update { } to change it in place: x += 1 would be two steps")
        set { preconditionFailure("unavailable") }
    }

    /// The wrapper itself, which has the operations.
    public var projectedValue: StoredValue { self }

    /// Whether something is stored under the key in the file itself, a stored nil included; false where the value comes
    /// from the system-wide defaults or from the code.
    ///
    /// Observers of the property are told of this, too, so also when what is stored is the default; ``values`` is not.
    public var isStored: Bool {
        let preference = livePreference
        preference.live.noteAccess()
        return preference.store.own(key) != nil
    }

    /// The parts of the stored value that did not decode, and what is read in their place. The file keeps them as they
    /// are until the key is set.
    public var repairs: [Repair] {
        let preference = livePreference
        preference.live.noteAccess()
        return read(preference).repairs
    }

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
        ValueSequence(
            subscribe: { self.livePreference.live.subscribe(BufferLimit(bufferingPolicy)) },
            makeTransform: {
                var isFirst = true
                var last: [UInt8]?
                return { content in
                    defer { isFirst = false }
                    // Compared is what is read, as it would be encoded: to store what is the default anyway, to remove it and
                    // to spell it in another way is no news.
                    let item: Item, text: [UInt8]?
                    if case .item(let set, let stored) = content, self.validate == nil {
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

    /// Returns when every change before it, of any key in the file, would survive a power cut.
    ///
    /// Throws as ``PreferencesFile/flush()`` does.
    public func flush() async throws(PreferencesError) {
        try await livePreference.store.flush()
    }

    // MARK: Changing

    /// Stores `item`.
    ///
    /// Blocks the thread for as long as a replacement of the file takes, mostly microseconds: for 2 s at most where another process
    /// keeps the file's lock, and for 200 ms at most where somebody is in the middle of writing the file.
    ///
    /// - Parameters:
    ///   - item: The new value.
    ///   - overwritingNewer: Whether to replace also what a newer version of the program stored, which every other change
    ///     leaves as it is.
    public func set(_ item: Item, overwritingNewer: Bool = false) {
        let preference = livePreference
        guard let stored = encode(item, in: preference) else { return }
        preference.store.change("set(_:)", of: key) {
            $0.set(key, to: stored, if: overwritingNewer ? .always : .notNewer, item: item)
        }
    }

    /// Removes what is stored, under the former keys too, so that the default is read again.
    public func reset() {
        let preference = livePreference
        preference.store.change("reset()", of: key) { changes in
            changes.remove(key, upTo: preference.schema.version)
            formerKeys.remove(with: key, in: preference.store, upTo: preference.schema.version, &changes)
        }
    }

    /// Changes the value in place, as one step among all threads and processes.
    ///
    /// `change` runs once, on this thread, with the file's lock held: other changes of the file wait for it. Changing the
    /// same file inside it ends the program; two threads that change two files inside each other, in opposite order, would
    /// wait for ever. When it throws, nothing is changed. Where another process keeps the lock for 2 s, the step is one for this
    /// process only, and is written when that lets go; while the lock is passed on among processes, this waits for its turn.
    /// Where a newer version of the program stored the value, `change` gets the default, and what it makes of it is refused.
    public func update<Result, Failure>(_ change: (inout Item) throws(Failure) -> Result) throws(Failure) -> Result {
        try update(named: "update(_:)", change)
    }

    /// ``update(_:)`` under the name of the operation that the caller used.
    func update<Result, Failure>(named call: String, _ change: (inout Item) throws(Failure) -> Result) throws(Failure) -> Result {
        let preference = livePreference
        return try preference.store.change(call, of: key) { changes throws(Failure) in
            var item = read(preference).item
            defer { changes.releaseLater(item) }
            let result = try change(&item)
            if let stored = encode(item, in: preference) { changes.set(key, to: stored, if: .notNewer, item: item) }
            return result
        }
    }

    // MARK: Inside

    private var livePreference: LivePreference<Item> {
        if let scope = storage.temporaryScope(orElse: scope) {
            let store = storage.store(in: scope)
            return scope.object("\(key) in \(store.path)") { find(in: store) }
        }
        if let preference = sharedPreference.unmanaged { return preference.takeUnretainedValue() }
        return sharedPreference.setIfNil(find(in: storage.store))
    }

    /// The item, where it is not ready to be read. On its own, because its preparations take longer than reading one that is.
    @inline(never)
    private func itemMadeReady() -> Item {
        let preference = livePreference
        preference.live.noteAccess()
        return read(preference).item
    }

    private func find(in store: PreferencesStore) -> LivePreference<Item> {
        let found = LivePreference<Item>.find(key, in: store)
        formerKeys.move(to: key, in: found.store, upTo: found.schema.version)
        return found
    }

    private func read(_ preference: LivePreference<Item>) -> Interpretation<Item> {
        let (content, revision) = preference.current
        switch content {
        case .absent: return Interpretation(item: defaultItem)
        case .item(let item, _) where validate == nil: return Interpretation(item: item)
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

    private func report(_ repairs: [Repair], in preference: LivePreference<Item>) {
        guard !repairs.isEmpty else { return }
        preference.store.report(repairs: repairs.map(\.description), of: key)
    }

    private func interpret(_ content: StoredContent<Item>, in preference: LivePreference<Item>) -> Interpretation<Item> {
        content.decoded(by: preference.schema).interpreted(by: strategy, default: defaultItem, validate: validate)
    }

    /// What `item` is stored as; nil where it cannot be encoded.
    private static func text(_ item: Item) -> [UInt8]? { try? ItemEncoder.encode(item).text(level: 1) }

    private func encode(_ item: Item, in preference: LivePreference<Item>) -> StoredJSON? {
        do {
            return StoredJSON(json: try ItemEncoder.encode(item).text(level: 1), version: preference.schema.version)
        } catch {
            preference.store.refuse(.notEncodable(key: key, path: preference.store.path, reason: Self.reason(error)))
            return nil
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error else { return "\(error)" }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "\(context.debugDescription) (at \(path))"
    }
}

extension StoredValue where Item: ExpressibleByNilLiteral {
    /// Declares a stored optional whose default is nil.
    public convenience init(
        key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: Validation? = nil, storage: PreferencesFile = .standard
    ) {
        self.init(key: key, default: nil, formerKeys: formerKeys, decoding: decoding, validate: validate, storage: storage)
    }
}
