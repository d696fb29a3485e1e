import StoredValuesSupport
import Synchronization

/// The one live value that all wrappers of a key in a file share.
final class LivePreference<Item: StorableItem>: LiveMember {
    let store: PreferencesStore
    private let key: String
    /// The stored content, and the item as most readers get it: decoded, but not validated.
    let live: LiveValue<StoredContent<Item>, Item>
    /// Stored, because computing it takes longer than a read.
    let schema: ItemSchema
    /// Whether any wrapper of the key has a validation. Without one, the value before an item is never needed.
    private let isValidated = Atomic(false)
    /// Whether ``lastGood`` may hold anything. Checked first, because copying a value of the item's type would take most of the
    /// time of a change.
    private let mayKnowGood: Atomic<Bool>
    /// The default of the first wrapper of this key.
    private let firstDefault = Guarded<Item?>(nil)
    /// The value to read while the content is broken. Shared by all wrappers, so that one made later reads the same.
    private let lastGood: Guarded<LastGood<Item>>
    private let isDefaultChecked = Atomic(false)

    private init(_ key: String, in store: PreferencesStore, text: StoredJSON?, _ lastGood: LastGood<Item>?, schema: ItemSchema) {
        (self.key, self.store, self.schema) = (key, store, schema)
        self.lastGood = Guarded(lastGood ?? LastGood())
        mayKnowGood = Atomic(lastGood != nil)
        live = LiveValue(StoredContent(text))
    }

    /// The live value of `key` in `store`.
    static func find(_ key: String, in store: PreferencesStore) -> LivePreference {
        let schema = ItemSchema(of: Item.self)  // without a lock: it calls code of the type
        return store.member(key, Item.self) { LivePreference(key, in: store, text: $0, $1 as? LastGood<Item>, schema: schema) }
    }

    deinit { store.forget(key, self, leaving: lastGood.withLock { $0 }.leaving(live.current)) }

    /// Notes a wrapper's declaration. A default that differs from the first wrapper's is logged, once.
    func note(_ declaration: StoredKey<Item>) {
        if declaration.validate != nil { isValidated.store(true, ordering: .relaxed) }
        let item = declaration.defaultItem
        let first = firstDefault.withLock { first -> Item? in
            if let first { return first }
            first = item
            return nil
        }
        guard let first, (first as? any Equatable)?.isEqual(to: item) != true else { return }
        // Compared in encoded form: nan does not differ from nan.
        let texts = [first, item].map { (try? ItemEncoder.encode($0))?.description ?? "\($0)" }
        if texts[0] != texts[1] { store.report(defaults: texts, of: key) }
    }

    /// The current content, decoded, and its revision. From now on, until it changes, it can be read without a lock.
    var current: (content: StoredContent<Item>, revision: UInt64) {
        var (content, revision) = live.current
        if case .text = content {
            content = content.decoded(by: schema)
            live.refine(content, ifStill: revision)
        }
        switch content {
        case .absent: live.makeReady(nil, ifStill: revision)
        case .item(let item, _): live.makeReady(item, ifStill: revision)
        case .text, .undecodable, .unreadable: break  // each reader derives its own item
        }
        return (content, revision)
    }

    /// The decoded form of a content that was read elsewhere: the shared one if that is still the same.
    func decoded(_ content: StoredContent<Item>) -> StoredContent<Item> {
        guard case .text(let text) = content else { return content }
        let shared = current.content
        return shared.text == text ? shared : content.decoded(by: schema)
    }

    /// The content for the calling thread where it has its own view, inside a batch or a consistent read.
    var ownContent: StoredContent<Item>? { store.ownContent(of: key).map(content(of:)) }

    /// Notes the item that a reader got from the content of a revision, in case a broken content replaces it.
    func note(_ item: Item, of revision: UInt64) {
        let old = lastGood.withLock { $0.note(item, of: revision) }
        mayKnowGood.store(true, ordering: .releasing)
        withExtendedLifetime(old) {}  // released without the lock
    }

    /// The item for a wrapper with this declaration while the content is broken; nil while no good one is known.
    func lastGood(by declaration: StoredKey<Item>) -> Item? {
        let known = lastGood.withLock { $0 }
        return known.replaced.reduce(known.item.flatMap { try? declaration.validated($0) }) { item, content in
            let next = content.decoded(by: schema).interpreted(by: declaration) { item }
            return next.isDefault ? item : next.item
        }
    }

    /// Logs once if validation refuses the default. The default is used all the same.
    func checkDefault(of declaration: StoredKey<Item>) {
        guard declaration.validate != nil, !isDefaultChecked.exchange(true, ordering: .relaxed) else { return }
        do {
            _ = try declaration.validated(declaration.defaultItem)
        } catch {
            store.report(
                "The default of \"\(key)\" in \"\(store.path)\" does not pass its validation, and is used all the same: \(error). Correct the default or the validation.")
        }
    }

    func beginChange() { live.beginChange() }

    func take(_ change: MemberChange, _ later: inout AfterUnlocking) {
        let content = content(of: change)
        let isGoodItself = change.item != nil && !isValidated.load(ordering: .relaxed)
        // Before the change, so that no reader of the new content finds the last good item of the old one.
        if mayKnowGood.load(ordering: .acquiring) || !isGoodItself {
            later.release(
                lastGood.withLock { lastGood -> LastGood<Item> in
                    let former = lastGood
                    lastGood = isGoodItself ? LastGood() : former.afterReplacing(live.replaced, by: content)
                    return former
                })
            mayKnowGood.store(!isGoodItself, ordering: .releasing)
        }
        live.put(content, &later)
    }

    func endChange() { live.endChange() }

    private func content(of change: MemberChange) -> StoredContent<Item> {
        guard let text = change.stored else { return .absent }
        // Not `item as? Item` of an optional: where Item is optional itself, no item would become a nil.
        guard let item = change.item, let item = item as? Item else { return .text(text) }
        return .item(item, text: text)
    }
}

extension Equatable {
    /// Whether `other` is of the same type and equal.
    fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}
