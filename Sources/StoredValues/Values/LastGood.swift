/// What was in use before the content of a key: what is read in place of what somebody else breaks.
struct LastGood<Item: StorableItem>: Sendable {
    /// How many contents that nobody has read are kept.
    private static var limit: Int { 8 }

    /// What readers made of an earlier content.
    private(set) var item: Item?
    /// The contents since then that nobody made anything else of, the newest last.
    private(set) var replaced: [StoredContent<Item>] = []
    /// What readers make of the content now. All begin with what was before that, so that they agree, and it becomes the last good
    /// item when the content is replaced.
    private var made: (item: Item, revision: UInt64)?

    init(item: Item? = nil) { self.item = item }

    /// Notes what a reader made of the content of a revision. Returns what is to be released with no lock held.
    mutating func note(_ item: Item, of revision: UInt64) -> Item? {
        let old = made
        if let old, old.revision >= revision { return nil }
        made = (item, revision)
        return old?.item
    }

    /// What whoever keeps the key next should know, when the one who kept it goes and leaves this content; nil for nothing.
    func leaving(_ last: (content: StoredContent<Item>, revision: UInt64)) -> LastGood? {
        let item: Item? =
            switch last.content {
            case .absent: nil
            case _ where made?.revision == last.revision: made?.item
            case .item(let item, _): item
            case .text, .undecodable, .unreadable: item
            }
        return item.map { LastGood(item: $0) }
    }

    /// What is the last good one once `new` has taken the place of `old`.
    func afterReplacing(_ old: (content: StoredContent<Item>, revision: UInt64), by new: StoredContent<Item>) -> LastGood {
        var next = LastGood()
        if case .absent = new { return next }  // The defaults are in use then.
        if let made, made.revision == old.revision {
            next.item = made.item
            return next
        }
        next.item = item
        switch (old.content, new) {
        case (.absent, _), (_, .item): break  // What is set in this process was validated.
        case (.item, _): next.replaced = [old.content]
        default:
            next.replaced = replaced + [old.content]
            if next.replaced.count > Self.limit { next.replaced.remove(at: 1) }
        }
        return next
    }
}
