import StoredValuesSupport
import Synchronization

/// The one value that all wrappers of a key in a file share.
final class LivePreference<Item: StorableItem>: LiveMember {
    let store: PreferencesStore
    private let key: String
    /// What is stored, and the item as most readers read it: decoded as it stands in the file, and not validated.
    let live: LiveValue<StoredContent<Item>, Item>
    /// Asked for once: it takes longer than a read.
    let schema: ItemSchema
    /// Whether some wrapper of the key has a validation. Without one, nobody needs to know what was before an item.
    private let isValidated = Atomic(false)
    /// Whether ``lastGood`` may hold anything. Asked first: looking into what is of the item's type takes a change longer than the rest
    /// of telling this.
    private let mayKnowGood: Atomic<Bool>
    /// The default of the wrapper that found this first.
    private let firstDefault = Guarded<Item?>(nil)
    /// What is read where the content is broken. Wrappers share it, or one that is made later would read something else.
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
        let schema = ItemSchema(of: Item.self)  // out here: it asks the type, which locks must not wait for
        return store.member(key, Item.self) { LivePreference(key, in: store, text: $0, $1 as? LastGood<Item>, schema: schema) }
    }

    deinit { store.forget(key, self, leaving: lastGood.withLock { $0 }.leaving(live.current)) }

    /// Notes what a wrapper declares. Another default than the first wrapper's is logged, once.
    func note(_ declaration: StoredKey<Item>) {
        if declaration.validate != nil { isValidated.store(true, ordering: .relaxed) }
        let item = declaration.defaultItem
        let first = firstDefault.withLock { first -> Item? in
            if let first { return first }
            first = item
            return nil
        }
        guard let first, (first as? any Equatable)?.isEqual(to: item) != true else { return }
        // As they would stand in the file: nan is no other default than nan.
        let texts = [first, item].map { (try? ItemEncoder.encode($0))?.description ?? "\($0)" }
        if texts[0] != texts[1] { store.report(defaults: texts, of: key) }
    }

    /// The content now, decoded, and its revision. From now on, until it changes, it is ready to be read.
    var current: (content: StoredContent<Item>, revision: UInt64) {
        var (content, revision) = live.current
        if case .text = content {
            content = content.decoded(by: schema)
            live.refine(content, ifStill: revision)
        }
        switch content {
        case .absent: live.makeReady(nil, ifStill: revision)
        case .item(let item, _): live.makeReady(item, ifStill: revision)
        case .text, .undecodable, .unreadable: break  // each reader makes something else of it
        }
        return (content, revision)
    }

    /// The decoded form of a content that was read elsewhere: the shared one if that is still the same.
    func decoded(_ content: StoredContent<Item>) -> StoredContent<Item> {
        guard case .text(let text) = content else { return content }
        let shared = current.content
        return shared.text == text ? shared : content.decoded(by: schema)
    }

    /// What the calling thread reads where it has a view of its own, inside a batch or a consistent reading.
    var ownContent: StoredContent<Item>? { store.ownContent(of: key).map(content(of:)) }

    /// Notes what a reader has made of the content of a revision, for the time when a broken one takes its place.
    func note(_ item: Item, of revision: UInt64) {
        let old = lastGood.withLock { $0.note(item, of: revision) }
        mayKnowGood.store(true, ordering: .releasing)
        withExtendedLifetime(old) {}  // it goes when the lock is free
    }

    /// What a wrapper with this declaration reads where the content is broken; nil while nothing good is known.
    func lastGood(by declaration: StoredKey<Item>) -> Item? {
        let known = lastGood.withLock { $0 }
        return known.replaced.reduce(known.item.flatMap { try? declaration.validated($0) }) { item, content in
            let next = content.decoded(by: schema).interpreted(by: declaration) { item }
            return next.isDefault ? item : next.item
        }
    }

    /// Says once if validation refuses the default, which is used all the same.
    func checkDefault(of declaration: StoredKey<Item>) {
        guard declaration.validate != nil, !isDefaultChecked.exchange(true, ordering: .relaxed) else { return }
        do {
            _ = try declaration.validated(declaration.defaultItem)
        } catch {
            store.report(
                "The default of \"\(key)\" in \"\(store.path)\" is not valid, and is used all the same: \(error). Correct the default or the validation.")
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
