/// The last good value of a key, which is read while the file's content is broken.
struct LastGood<Item: StorableItem>: Sendable {
    /// How many contents that were never read are kept.
    private static var limit: Int { 8 }

    /// The item that readers got from an earlier content.
    private(set) var item: Item?
    /// The later contents, none of them read yet, newest last.
    private(set) var replaced: [StoredContent<Item>] = []
    /// The item that readers got from the current content. All readers start from the content before it, so they agree. When
    /// the content is replaced, it becomes the last good item.
    private var made: (item: Item, revision: UInt64)?

    init(item: Item? = nil) { self.item = item }

    /// Notes the item that a reader got from the content of a revision. Returns an item to release without a lock.
    mutating func note(_ item: Item, of revision: UInt64) -> Item? {
        let old = made
        if let old, old.revision >= revision { return nil }
        made = (item, revision)
        return old?.item
    }

    /// The item that a reader got from the content of this revision, if it was noted.
    func item(of revision: UInt64) -> Item? { made?.revision == revision ? made?.item : nil }

    /// What the next live value of the key needs to know when this one is released with this content; nil for nothing.
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

    /// The last good value after `new` has replaced `old`.
    func afterReplacing(_ old: (content: StoredContent<Item>, revision: UInt64), by new: StoredContent<Item>) -> LastGood {
        var next = LastGood()
        if case .absent = new { return next }  // then the defaults are in use
        if let made, made.revision == old.revision {
            next.item = made.item
            return next
        }
        next.item = item
        switch (old.content, new) {
        case (.absent, _), (_, .item): break  // values set in this process were validated
        case (.item, _): next.replaced = [old.content]
        default:
            next.replaced = replaced + [old.content]
            if next.replaced.count > Self.limit { next.replaced.remove(at: 1) }
        }
        return next
    }
}
