import StoredValuesSupport
import Synchronization

/// The one live value that all wrappers of a key in a file share.
@usableFromInline
final class LivePreference<Item: StorableItem>: LiveMember {
    let store: PreferencesStore
    private let key: String
    let live: LiveValue<StoredContent, Item>
    /// The item as most readers get it: decoded, but not validated.
    @usableFromInline let ready: ReadyItem<Item>
    // Both stored, because computing them takes longer than a read.
    let schema: ItemSchema
    let box = Box<Item>.self
    /// Whether any wrapper of the key has a validation. Without one, the value before an item is never needed.
    private let isValidated = Atomic(false)
    /// Whether ``lastGood`` may hold anything. Checked first: copying an item would take most of the time of a change.
    private let mayKnowGood: Atomic<Bool>
    /// The declaration of the first wrapper of this key, which all others are compared with.
    private let firstDeclaration = Guarded<StoredKey<Item>?>(nil)
    /// The value to read while the content is broken. Shared by all wrappers, so that one made later reads the same.
    private let lastGood: Guarded<LastGood<Item>>
    private let isDefaultChecked = Atomic(false)

    private init(_ key: String, in store: PreferencesStore, text: StoredJSON?, _ lastGood: LastGood<Item>?, schema: ItemSchema) {
        (self.key, self.store, self.schema) = (key, store, schema)
        self.lastGood = Guarded(lastGood ?? LastGood())
        mayKnowGood = Atomic(lastGood != nil)
        live = LiveValue(StoredContent(text))
        ready = live.ready
    }

    static func find(_ key: String, in store: PreferencesStore) -> LivePreference {
        let schema = ItemSchema(of: Item.self)  // without a lock: it calls code of the type
        return store.member(key, Item.self) { LivePreference(key, in: store, text: $0, $1 as? LastGood<Item>, schema: schema) }
    }

    deinit { store.forget(key, lastGood: lastGood.withLock { $0 }.leaving(live.current)) }

    /// Notes a wrapper's declaration. A default or validation that differs from the first wrapper's is logged, once.
    func note(_ declaration: StoredKey<Item>) {
        if declaration.validate != nil { isValidated.store(true, ordering: .relaxed) }
        let first = firstDeclaration.withLock { first -> StoredKey<Item>? in
            if let first { return first }
            first = declaration
            return nil
        }
        guard let first else { return }
        // Only what differs whatever the value is: closures cannot be compared.
        let ways = (Self.way(first), Self.way(declaration))
        if ways.0 != ways.1 { report(two: "validations", ": it is validated \(ways.0) and \(ways.1)") }
        if let (one, other) = Self.difference(first.defaultItem, declaration.defaultItem) {
            report(two: "defaults", ", \(one) and \(other), and each reader uses its own")
        }
    }

    private static func way(_ key: StoredKey<Item>) -> String {
        key.range.map { "to the range \($0.description)" } ?? (key.validate == nil ? "not at all" : "by a function")
    }

    /// Logs, once, if this declaration reads a content as `item`, and the one that read it first as another item. If they differ, that one
    /// interprets the content again first, because a validation may depend on other values.
    private func compare(_ item: Item, _ content: StoredContent, of revision: UInt64) {
        guard let (known, reader) = lastGood.withLock({ $0.made(of: revision) }), let (_, text) = Self.difference(known, item) else { return }
        let other = Self.text(decoded(content).interpreted(by: reader) { lastGood(by: reader) }.item)
        if other != text { report(two: "validations", ": it is read as \(other) and as \(text)") }
    }

    private func report(two what: String, _ how: String) { store.report { $0.note(two: what, of: PreferencesKey(key), how: how) } }

    /// Both items as text if they differ. They are compared as they are encoded, so that nan equals nan.
    private static func difference(_ one: Item, _ other: Item) -> (String, String)? {
        guard (one as? any Equatable)?.isEqual(to: other) != true else { return nil }
        let texts = (text(one), text(other))
        return texts.0 == texts.1 ? nil : texts
    }

    private static func text(_ item: Item) -> String { (try? ItemEncoder.encode(item))?.description ?? "\(item)" }

    /// The current content, decoded, and its revision. From now on, until it changes, it can be read without a lock.
    var current: (content: StoredContent, revision: UInt64) {
        var (content, revision) = live.current
        if !content.isDecoded(as: Item.self) {
            content = content.decoded(as: Item.self, by: schema)
            live.refine(content, ifStill: revision)
        }
        if case .absent = content {
            live.makeReady(nil, ifStill: revision)
        } else if let item = content.box(of: Item.self) {
            live.makeReady(item, ifStill: revision)
        }  // from any other content, each reader derives its own item
        return (content, revision)
    }

    /// The decoded form of a content that was read elsewhere: the shared one if that is still the same.
    func decoded(_ content: StoredContent) -> StoredContent {
        guard !content.isDecoded(as: Item.self) else { return content }
        let shared = current.content
        return shared.text == content.text ? shared : content.decoded(as: Item.self, by: schema)
    }

    /// Notes the item that a reader got from the content of a revision, in case a broken content replaces it.
    func note(_ item: Item, by declaration: StoredKey<Item>, _ content: StoredContent, of revision: UInt64) {
        compare(item, content, of: revision)
        let former = lastGood.withLock { lastGood -> LastGood<Item> in
            let former = lastGood
            lastGood.note(item, by: declaration, of: revision)
            return former
        }
        mayKnowGood.store(true, ordering: .releasing)
        withExtendedLifetime(former) {}  // released without a lock
    }

    /// The item for a wrapper with this declaration while the content is broken; nil while no good one is known.
    func lastGood(by declaration: StoredKey<Item>) -> Item? {
        let known = lastGood.withLock { $0 }
        return known.replaced.reduce(known.item.flatMap { try? declaration.validated($0) }) { item, content in
            let next = content.decoded(as: Item.self, by: schema).interpreted(by: declaration) { item }
            return next.isDefault ? item : next.item
        }
    }

    /// Logs once if validation refuses the default. The default is used anyway.
    func checkDefault(of declaration: StoredKey<Item>) {
        guard declaration.validate != nil, !isDefaultChecked.exchange(true, ordering: .relaxed) else { return }
        do {
            _ = try declaration.validated(declaration.defaultItem)
        } catch {
            // Made here: the user's error may read values, and the report is made under the lock of all.
            let text = "The default of \"\(key)\" in \"\(store.path)\" does not pass its validation, and is used anyway: \(error). Correct the default or the validation."
            store.report { $0.note(text) }
        }
    }

    var itemType: any Any.Type { Item.self }

    func beginChange() { live.beginChange() }

    func take(_ change: MemberChange, _ later: inout AfterUnlocking) {
        let isItem = if case .item(let item, _) = change.value { ObjectIdentifier(type(of: item)) == ObjectIdentifier(box) } else { false }
        let isGoodItself = isItem && !isValidated.load(ordering: .relaxed)
        // Before the change, so that no reader of the new content finds the last good item of the old one.
        if mayKnowGood.load(ordering: .acquiring) || !isGoodItself {
            later.release(
                value: lastGood.withLock { lastGood -> LastGood<Item> in
                    let former = lastGood
                    lastGood = isGoodItself || change.isUncovered ? LastGood() : former.afterReplacing(live.replaced, by: change.value)
                    return former
                })
            mayKnowGood.store(!isGoodItself, ordering: .releasing)
        }
        live.put(change, &later)
    }

    func endChange() { live.endChange() }

    func notifyObservers() { live.notifyObservers() }

    func claimVariable() { firstDeclaration.withLock { $0 }?.claimVariable(in: store) }
}

extension Equatable {
    /// Whether `other` is of the same type and equal.
    fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}
