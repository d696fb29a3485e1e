/// What is stored under a key, in the form that the readers of this process share.
enum StoredContent<Item: StorableItem>: Sendable {
    /// Nothing is stored; each reader has its own default.
    case absent
    /// JSON text that nobody has decoded yet.
    case text([UInt8])
    /// An item, and the text it was encoded to or decoded from.
    case item(Item, text: [UInt8])
    /// JSON text that is no `Item` as it stands, and why; each reader repairs it by its own default.
    case undecodable(text: [UInt8], any Error)

    /// The JSON text, or nil when nothing is stored.
    var text: [UInt8]? {
        switch self {
        case .absent: nil
        case .text(let text), .item(_, let text), .undecodable(let text, _): text
        }
    }

    /// The same content, decoded if it was text only. Runs the item's `init(from:)`.
    var decoded: StoredContent {
        guard case .text(let text) = self else { return self }
        do {
            return .item(try ItemDecoder.decode(Item.self, from: JSONValue(parsing: text)), text: text)
        } catch {
            return .undecodable(text: text, error)
        }
    }
}

/// The one value that all wrappers of a key in a file share.
final class LivePreference<Item: StorableItem>: PreferencesMember {
    let preferences: OpenPreferences
    let live: LiveContent<StoredContent<Item>>

    private init(in preferences: OpenPreferences, text: [UInt8]?) {
        self.preferences = preferences
        live = LiveContent(text.map(StoredContent.text) ?? .absent)
    }

    /// The live value of `key` in `preferences`.
    static func find(_ key: String, in preferences: OpenPreferences) -> LivePreference {
        preferences.member(key, Item.self) { LivePreference(in: preferences, text: $0) }
    }

    /// The content now, decoded, and its revision.
    var current: (content: StoredContent<Item>, revision: UInt64) {
        let (content, revision) = live.current
        guard case .text = content else { return (content, revision) }
        let decoded = content.decoded
        live.refine(decoded, ifStill: revision)
        return (decoded, revision)
    }

    /// The decoded form of a content that was streamed: the shared one if that is still the same.
    func decoded(_ content: StoredContent<Item>) -> StoredContent<Item> {
        guard case .text(let text) = content else { return content }
        let shared = current.content
        return shared.text == text ? shared : content.decoded
    }

    func take(_ change: PreferencesTransaction.Change, _ aftermath: inout Aftermath) {
        let content: StoredContent<Item> =
            switch (change.json, change.item) {
            case (nil, _): .absent
            // Not `item as? Item` of an optional: where Item is optional itself, no item would become a nil.
            case (let text?, let item?): (item as? Item).map { .item($0, text: text) } ?? .text(text)
            case (let text?, nil): .text(text)
            }
        live.change(to: content, &aftermath)
    }
}
