// How a content is decoded, and what readers make of it.

extension StoredContent {
    /// The item, if this holds one of this type.
    func item<Item: Sendable>(_ type: Item.Type) -> Item? { box(of: type)?.value }

    /// The box with the item, which its readers share.
    func box<Item: Sendable>(of type: Item.Type) -> Box<Item>? { if case .item(let box, _) = self { box as? Box<Item> } else { nil } }

    /// Whether it need not be decoded as `type`. It may be an item of another type, left by a batch that uses a key with two types.
    func isDecoded<Item: Sendable>(as type: Item.Type) -> Bool {
        switch self {
        case .text: false
        case .item(let box, _): box is Box<Item>
        case .absent, .undecodable, .unreadable: true
        }
    }

    /// The same content, decoded if it was not. Runs the item's migration and its `init(from:)`.
    func decoded<Item: StorableItem>(as type: Item.Type, by schema: ItemSchema) -> StoredContent {
        guard !isDecoded(as: type), let text else { return self }
        guard text.version <= schema.version else {
            return .unreadable(text, reason: "\(ItemCoding.NewerVersion(stored: text.version, supported: schema.version))")
        }
        let json: JSONIndex
        do {
            json = try JSONIndex(text.json)
        } catch {
            // The file was parsed, so it can only be an unpaired surrogate, and the error counts lines within the value.
            return .unreadable(text, reason: "it contains an invalid string: \(error.problem)")
        }
        if text.version == schema.version, let item = try? ItemDecoder.decode(type, from: json) { return .item(Box(item), text: text) }
        let value: JSONValue
        do {
            value = try schema.migrated(JSONValue(json), from: text.version)
        } catch {
            return .unreadable(text, reason: "it could not be migrated from version \(text.version): \(DecodingTrace.reason(error))")
        }
        // The repair finds out why, and distinguishes missing parts from broken ones.
        guard text.version < schema.version, let item = try? ItemDecoder.decode(type, from: value) else {
            return .undecodable(text, value)
        }
        return .item(Box(item), text: text)
    }

    /// The item that a wrapper with this declaration reads; the content is decoded. Broken parts are replaced by `lastGood`, which is called
    /// only if needed, or by the default if that returns nil.
    func interpreted<Item>(by declaration: StoredKey<Item>, lastGood: () -> Item?) -> Interpretation<Item> {
        func whole(_ reason: String, besides repairs: [Repair] = []) -> Interpretation<Item> {
            let lastGood = lastGood()
            let repair = Repair.whole(lastGood == nil ? .usedDefault : .usedLastGood, reason)
            return Interpretation(item: lastGood ?? declaration.defaultItem, repairs: repairs + [repair], isDefault: lastGood == nil)
        }
        var interpretation: Interpretation<Item>
        switch self {
        case .absent, .text: return Interpretation(item: declaration.defaultItem, isDefault: true)
        case .item:
            guard let item = item(Item.self) else { preconditionFailure("the content is not decoded") }
            interpretation = Interpretation(item: item)
        case .unreadable(_, let reason): return whole(reason)
        case .undecodable(_, let json):
            let lastGood = lastGood()
            let (item, repairs) = ItemRepair.decode(
                json, default: declaration.defaultItem, lastGood: lastGood, declaration.decoding)
            interpretation = Interpretation(
                item: item ?? lastGood ?? declaration.defaultItem, repairs: repairs, isDefault: item == nil && lastGood == nil)
            // The last good value is already valid, and the default is never validated.
            if item == nil { return interpretation }
        }
        do {
            interpretation.item = try declaration.validated(interpretation.item)
            return interpretation
        } catch {
            return whole("\(error)", besides: interpretation.repairs)
        }
    }
}

/// The item that a wrapper reads, and the repairs it needed.
struct Interpretation<Item: StorableItem>: Sendable {
    var item: Item
    var repairs: [Repair] = []
    /// Whether it is the declared default, because nothing else was usable.
    var isDefault = false
}

/// The last good value of a key, which is read while the file's content is broken.
struct LastGood<Item: StorableItem>: Sendable {
    /// The item that readers got from an earlier content.
    private(set) var item: Item?
    /// The later contents, none of them read yet, newest last.
    private(set) var replaced: [StoredContent] = []
    /// The item that the first reader got from the current content. All readers start from the content before it, so they agree.
    /// When the content is replaced, it becomes the last good item.
    private var made: (item: Item, reader: StoredKey<Item>, revision: UInt64)?

    /// Notes the item that a reader got from the content of a revision.
    mutating func note(_ item: Item, by reader: StoredKey<Item>, of revision: UInt64) {
        if let made, made.revision >= revision { return }
        made = (item, reader, revision)
    }

    /// The item that a reader got from the content of this revision, if it was noted.
    func made(of revision: UInt64) -> (item: Item, reader: StoredKey<Item>)? {
        made.flatMap { $0.revision == revision ? ($0.item, $0.reader) : nil }
    }

    /// What the next live value of the key needs to know when this one is released with this content; nil for nothing.
    func leaving(_ last: (content: StoredContent, revision: UInt64)) -> LastGood? {
        var next = LastGood()
        switch last.content {
        case .absent: return nil
        case _ where made?.revision == last.revision: next.item = made?.item
        case .item: next.item = last.content.item(Item.self)
        case .text, .undecodable, .unreadable: (next.item, next.replaced) = (item, replaced)
        }
        return next.item == nil && next.replaced.isEmpty ? nil : next
    }

    func afterReplacing(_ old: (content: StoredContent, revision: UInt64), by new: StoredContent) -> LastGood {
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
            if next.replaced.count > 8 { next.replaced.remove(at: 1) }  // keeps a bounded number of contents that were never read
        }
        return next
    }
}
