/// What is stored under a key, in the form that the readers of this process share.
enum StoredContent<Item: StorableItem>: Sendable {
    /// Nothing is stored; each reader has its own default.
    case absent
    /// What nobody has decoded yet.
    case text(StoredJSON)
    /// An item, and the text it was encoded to or decoded from.
    case item(Item, text: StoredJSON)
    /// What is no `Item` as it stands, migrated as far as it goes, and why; each reader repairs it by its own default.
    case undecodable(StoredJSON, JSONValue, any Error)
    /// What is not to be decoded, and why; each reader has its own default.
    case unreadable(StoredJSON, reason: String)

    init(_ text: StoredJSON?) { self = text.map(Self.text) ?? .absent }

    /// What is stored, or nil.
    var text: StoredJSON? {
        switch self {
        case .absent: nil
        case .text(let text), .item(_, let text), .undecodable(let text, _, _), .unreadable(let text, _): text
        }
    }

    /// The same content, decoded if it was text only. Runs the item's migration and its `init(from:)`.
    func decoded(by schema: ItemSchema) -> StoredContent {
        guard case .text(let text) = self else { return self }
        guard text.version <= schema.version else {
            let known = schema.version == 0 ? "none" : "up to \(schema.version)"
            return .unreadable(
                text, reason: "a newer version of the program wrote it (its version is \(text.version), this program knows \(known))")
        }
        var json: JSONValue
        do {
            json = try JSONValue(parsing: text.json)
        } catch {
            // The file was read, so all that can be wrong is half of a surrogate pair. The line counts inside the value.
            return .unreadable(text, reason: "it holds a text that is none: \(error)")
        }
        do {
            try schema.migrate(&json, from: text.version)
        } catch {
            return .unreadable(text, reason: "it could not be migrated from version \(text.version): \(DecodingProblem.reason(error))")
        }
        do {
            return .item(try ItemDecoder.decode(Item.self, from: json), text: text)
        } catch {
            return .undecodable(text, json, error)
        }
    }

    /// What a wrapper with this declaration makes of the content, which is decoded.
    func interpreted(by declaration: StoredKey<Item>) -> Interpretation<Item> {
        let defaultItem = declaration.defaultItem
        var interpretation: Interpretation<Item>
        switch self {
        case .absent, .text: return Interpretation(item: defaultItem)
        case .item(let item, _): interpretation = Interpretation(item: item)
        case .unreadable(_, let reason): return Interpretation(item: defaultItem, repairs: [.wholeDefault(reason)])
        case .undecodable(_, let json, let error):
            guard declaration.decoding == .lenient else {
                return Interpretation(item: defaultItem, repairs: [.wholeDefault(DecodingProblem.reason(error))])
            }
            let (item, repairs) = ItemRepair.decode(json, default: defaultItem)
            interpretation = Interpretation(item: item, repairs: repairs)
        }
        do {
            if let validate = declaration.validate { interpretation.item = try validate(interpretation.item) }
            return interpretation
        } catch {
            return Interpretation(item: defaultItem, repairs: interpretation.repairs + [.wholeDefault("\(error)")])
        }
    }
}

/// The item that a wrapper reads, and what was repaired in what is stored.
struct Interpretation<Item: StorableItem>: Sendable {
    var item: Item
    var repairs: [Repair] = []
}
