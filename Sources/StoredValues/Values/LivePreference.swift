/// The one value that all wrappers of a key in a file share.
final class LivePreference<Item: StorableItem>: PreferencesMember {
    let preferences: OpenPreferences
    let live: LiveContent<StoredContent<Item>>
    /// The item as most readers read it: decoded as it stands in the file, and not validated.
    let ready: ReadyItem<Item>
    /// Asked for once: it takes longer than a read.
    let schema: ItemSchema

    private init(in preferences: OpenPreferences, text: StoredText?, schema: ItemSchema) {
        self.preferences = preferences
        self.schema = schema
        let ready = ReadyItem<Item>(ContentSignal())
        self.ready = ready
        live = LiveContent(StoredContent(text), signal: ready.signal) { ready.clear() }
    }

    /// The live value of `key` in `preferences`.
    static func find(_ key: String, in preferences: OpenPreferences) -> LivePreference {
        let schema = ItemSchema(of: Item.self)  // out here: it asks the type, which locks must not wait for
        return preferences.member(key, Item.self) { LivePreference(in: preferences, text: $0, schema: schema) }
    }

    /// The content now, decoded, and its revision. From now on, until it changes, it is ready to be read.
    var current: (content: StoredContent<Item>, revision: UInt64) {
        var (content, revision) = live.current
        if case .text = content {
            content = content.decoded(by: schema)
            live.refine(content, ifStill: revision)
        }
        switch content {
        case .absent: live.makeReady(ifStill: revision, isAbsent: true) { nil }
        case .item(let item, _): live.makeReady(ifStill: revision) { ready.prepare(item) }
        case .text, .undecodable, .unreadable: break  // each reader makes something else of it
        }
        return (content, revision)
    }

    /// The decoded form of a content that was streamed: the shared one if that is still the same.
    func decoded(_ content: StoredContent<Item>) -> StoredContent<Item> {
        guard case .text(let text) = content else { return content }
        let shared = current.content
        return shared.text == text ? shared : content.decoded(by: schema)
    }

    func take(_ change: PreferencesTransaction.Change, _ aftermath: inout Aftermath) {
        guard let text = change.stored else {
            live.change(to: .absent, &aftermath)
            return
        }
        // Not `item as? Item` of an optional: where Item is optional itself, no item would become a nil.
        let content: StoredContent<Item> =
            if let item = change.item, let item = item as? Item { .item(item, text: text) } else { .text(text) }
        live.change(to: content, &aftermath)
    }
}
