/// Records what an item's `init(from:)` requests from its decoder. Missing members get sample values, so that it goes on to the others.
final class DecodingRecord {
    /// What was requested of the whole value or of a member.
    struct Part {
        private(set) var types: [any Decodable.Type] = []
        /// The JSON types that were requested without a Swift type: "null", "array" and "object".
        fileprivate(set) var jsonTypes: Set<String> = []

        mutating func note(_ type: any Decodable.Type) { if !types.contains(where: { $0 == type }) { types.append(type) } }
    }

    fileprivate(set) var whole = Part()
    fileprivate(set) var members: [String: Part] = [:]
    /// How deeply sample items are nested. Only the outermost has values for optional members: a type may contain itself.
    private let depth: Int

    init(depth: Int = 0) { self.depth = depth }

    /// Runs the type's `init(from:)`, and notes what it requests.
    @discardableResult
    func run<Item: Decodable>(_ type: Item.Type, on json: JSONValue) -> Item? {
        guard let index = try? JSONIndex(json.text()) else { return nil }
        return try? Item(from: RecordingDecoder(node: DecodingNode(index, 0, nil), record: self))
    }

    /// A sample item of the type; nil if none can be made.
    func make<Item: Decodable>(_ type: Item.Type) -> Item? {
        if let item = DecodingRecord.samples.lazy.compactMap({ $0.item(type) }).first { return item }
        if let item = ItemShape.cases(of: type).first?.item(type) { return item }
        guard depth < 8 else { return nil }
        return DecodingRecord(depth: depth + 1).run(type, on: [:])
    }

    /// A value of each kind.
    static let samples: [JSONValue] = [
        .null, true, 1, .number(JSONNumber(unchecked: "0.5")), .number(JSONNumber(unchecked: "1e30")), "", "x", "1", "2001-01-01T00:00:00Z",
        [], [1], ["x"], [:], ["x": 1],
    ]

    /// Further values to try for a member, as they may decide what the other members are.
    static let tags: [JSONValue] = [false, 0, 2, 3]

    /// Whether a missing optional member gets a sample value.
    fileprivate var hasOptionals: Bool { depth == 0 }
}

private struct RecordingDecoder: Decoder {
    let node: DecodingNode
    let record: DecodingRecord
    var codingPath: [any CodingKey] { node.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { node.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        record.whole.jsonTypes.insert("object")
        return KeyedDecodingContainer(RecordingMembers(base: try node.container(keyedBy: type), record: record))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        record.whole.jsonTypes.insert("array")
        return try node.unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { RecordingValue(node: node, record: record) }
}

private struct RecordingValue: SingleValueDecodingContainer {
    let node: DecodingNode
    let record: DecodingRecord
    var codingPath: [any CodingKey] { node.codingPath }

    func decodeNil() -> Bool {
        record.whole.jsonTypes.insert("null")
        return node.decodeNil()
    }

    // The standard library has default implementations of these two, which would be preferred to the generic one.
    func decode(_ type: Int128.Type) throws -> Int128 { try noted(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try noted(type) }
    func decode<Item: Decodable>(_ type: Item.Type) throws -> Item { try noted(type) }

    private func noted<Item: Decodable>(_ type: Item.Type) throws -> Item {
        record.whole.note(type)
        return try node.decode(type)
    }
}

/// The members. To the item, a missing one seems to be there.
private struct RecordingMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let record: DecodingRecord
    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) || record.hasOptionals }

    func decodeNil(forKey key: Key) throws -> Bool {
        record.members[key.stringValue, default: .init()].jsonTypes.insert("null")
        return base.contains(key) ? try base.decodeNil(forKey: key) : !record.hasOptionals
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try noted(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try noted(type, key) }
    func decode<Item: Decodable>(_ type: Item.Type, forKey key: Key) throws -> Item { try noted(type, key) }

    private func noted<Item: Decodable>(_ type: Item.Type, _ key: Key) throws -> Item {
        record.members[key.stringValue, default: .init()].note(type)
        if !base.contains(key), let item = record.make(type) { return item }
        return try base.decode(type, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        record.members[key.stringValue, default: .init()].jsonTypes.insert("object")
        return try base.nestedContainer(keyedBy: type, forKey: key)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        record.members[key.stringValue, default: .init()].jsonTypes.insert("array")
        return try base.nestedUnkeyedContainer(forKey: key)
    }
    // What is done with these decoders is not recorded, so the member may be any JSON.
    func superDecoder() throws -> any Decoder {
        record.members["super", default: .init()].note(JSONValue.self)
        return try base.superDecoder()
    }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        record.members[key.stringValue, default: .init()].note(JSONValue.self)
        return try base.superDecoder(forKey: key)
    }
}
