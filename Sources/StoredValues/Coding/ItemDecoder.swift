import FoundationEssentials

/// Decodes items from JSON text; the inverse of ``ItemEncoder``.
enum ItemDecoder {
    /// Decodes an item. Throws the error of its `init(from:)`; a `DecodingError` contains the path. The trace records for a repair where
    /// decoding fails.
    static func decode<Item: Decodable>(_ type: Item.Type, from json: JSONIndex, trace: DecodingTrace? = nil) throws -> Item {
        try DecodingNode(json, 0, trace).decode(type)
    }

    static func decode<Item: Decodable>(_ type: Item.Type, from text: [UInt8]) throws -> Item {
        try decode(type, from: JSONIndex(text))
    }

    static func decode<Item: Decodable>(_ type: Item.Type, from value: JSONValue, trace: DecodingTrace? = nil) throws -> Item {
        try decode(type, from: JSONIndex(value.text()), trace: trace)
    }
}

extension JSONValue {
    /// The item that a wrapper of this type would read; nil if it would need a repair.
    package func item<Item: Decodable>(_ type: Item.Type) -> Item? { try? ItemDecoder.decode(type, from: self) }
}

/// One value being decoded. It is the `Decoder` that the item gets, and its single-value container.
final class DecodingNode {
    let json: JSONIndex
    /// The position of the value in the index.
    let position: Int
    let trace: DecodingTrace?
    private let parent: (node: DecodingNode, key: any CodingKey)?
    /// Whether an array or a set is being decoded, from which a repair may remove elements. Set only with a trace.
    fileprivate var isList = false

    var kind: JSONIndex.Kind { json.kind(position) }
    var codingPath: [any CodingKey] { parent.map { $0.node.codingPath + [$0.key] } ?? [] }

    init(_ json: JSONIndex, _ position: Int, _ trace: DecodingTrace?, in parent: (node: DecodingNode, key: any CodingKey)? = nil) {
        (self.json, self.position, self.trace, self.parent) = (json, position, trace, parent)
    }

    func decode<Item: Decodable>(_ type: Item.Type) throws -> Item {
        guard let trace else { return try decodeUntraced(type) }
        trace.goOn()
        let outer = isList
        isList = type is any ListItem.Type
        defer { isList = outer }
        do {
            let item = try decodeUntraced(type)
            trace.goOn()  // the item has handled what failed inside it
            return item
        } catch {
            trace.fail(at: codingPath, type)
            throw error
        }
    }

    private func decodeUntraced<Item: Decodable>(_ type: Item.Type) throws -> Item {
        // Each cast is to the type that was just compared. An optional cast would take longer.
        if type == Date.self { return try decodeDate() as! Item }
        if type == Data.self { return try decodeData() as! Item }
        if type == URL.self, kind == .string { return try decodeURL() as! Item }
        if type == Decimal.self, kind == .number { return try decodeDecimal() as! Item }
        // `Dictionary` itself reads the list of alternating keys and values that it writes.
        if kind != .list, let dictionary = type as? any RawKeyedDictionary.Type { return try dictionary.init(members: self) as! Item }
        return try Item(from: self)
    }

    func node(_ position: Int, _ key: any CodingKey) -> DecodingNode { DecodingNode(json, position, trace, in: (self, key)) }

    /// Decodes a member or an element.
    func decode<Item: Decodable>(_ type: Item.Type, _ position: Int, _ key: @autoclosure () -> any CodingKey) throws -> Item {
        // The most frequent types need no node. For the casts see `decodeUntraced`.
        if type == String.self, json.kind(position) == .string { return json.string(position) as! Item }
        if type == Int.self, json.kind(position) == .number, let integer = Int(json.string(position)) { return integer as! Item }
        if type == Bool.self, json.kind(position) == .bool { return json.bool(position) as! Item }
        return try node(position, key()).decode(type)
    }

    /// The positions of the names in an object, sorted by name. Throws a type mismatch for any other value.
    func names() throws -> [Int] {
        try require(.object, [String: JSONValue].self)
        return json.names(in: position)
    }

    /// Throws a type mismatch if the value is of another kind. The error never contains the value itself, which may be a secret.
    func require(_ kind: JSONIndex.Kind, _ type: Any.Type) throws {
        guard self.kind != kind else { return }
        let reason = "expected \(kind.rawValue), found \(self.kind.rawValue)"
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: reason)
        throw self.kind == .null ? DecodingError.valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func corrupted(_ reason: String) -> DecodingError { .dataCorrupted(.init(codingPath: codingPath, debugDescription: reason)) }
}

extension DecodingNode: Decoder {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(MemberDecoder(node: self, names: try names()))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try require(.list, [JSONValue].self)
        return ElementDecoder(node: self, elements: json.parts(of: position))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

// The generic methods cover all requirements of the same name: one for each integer type, and so on.

extension DecodingNode: SingleValueDecodingContainer {
    func decodeNil() -> Bool { kind == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        try require(.bool, type)
        return json.bool(position)
    }

    func decode(_ type: String.Type) throws -> String {
        try require(.string, type)
        return json.string(position)
    }

    func decode(_ type: Double.Type) throws -> Double { try decodeFloatingPoint() }
    func decode(_ type: Float.Type) throws -> Float { try decodeFloatingPoint() }

    // The standard library has default implementations of these two, which would be preferred to the generic one.
    func decode(_ type: Int128.Type) throws -> Int128 { try decodeInteger() }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeInteger() }
    func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws -> Integer { try decodeInteger() }

    private func decodeInteger<Integer: FixedWidthInteger>() throws -> Integer {
        try require(.number, Integer.self)
        guard let value = JSONNumber(unchecked: json.string(position)).exactly(Integer.self) else {
            throw corrupted("the number does not fit into \(Integer.self)")
        }
        return value
    }
}

private struct MemberDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: DecodingNode
    let names: [Int]
    var codingPath: [any CodingKey] { node.codingPath }
    /// In the order of the text, so that the last of two names counts that Swift takes for one (é as one scalar or as two).
    var allKeys: [Key] { names.sorted().compactMap { Key(stringValue: node.json.string($0)) } }

    func contains(_ key: Key) -> Bool { node.json.member(key.stringValue, of: names) != nil }

    private func position(_ key: some CodingKey) throws -> Int {
        node.trace?.goOn()
        guard let position = node.json.member(key.stringValue, of: names) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "there is no member \"\(key.stringValue)\""))
        }
        return position
    }

    private func member(_ key: some CodingKey) throws -> DecodingNode { node.node(try position(key), key) }

    func decodeNil(forKey key: Key) throws -> Bool { node.json.kind(try position(key)) == .null }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try node.decode(type, position(key), key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try node.decode(type, position(key), key) }
    func decode<Item: Decodable>(_ type: Item.Type, forKey key: Key) throws -> Item { try node.decode(type, position(key), key) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try member(key).unkeyedContainer() }
    func superDecoder() throws -> any Decoder { try member(JSONKey.member("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct ElementDecoder: UnkeyedDecodingContainer {
    let node: DecodingNode
    let elements: [Int]
    var currentIndex = 0
    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// Passes the next element and its key to `body`, and advances if that does not throw.
    private mutating func next<Result>(_ body: (DecodingNode, Int, JSONKey) throws -> Result) throws -> Result {
        node.trace?.goOn()
        let key = JSONKey.element(currentIndex, isRemovable: node.isList)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Result.self, .init(codingPath: codingPath + [key], debugDescription: "the list ends here"))
        }
        let result = try body(node, elements[currentIndex], key)
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, node.json.kind(elements[currentIndex]) == .null else { return false }
        currentIndex += 1
        return true
    }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next { try $0.decode(type, $1, $2) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next { try $0.decode(type, $1, $2) } }
    mutating func decode<Item: Decodable>(_ type: Item.Type) throws -> Item { try next { try $0.decode(type, $1, $2) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.node($1, $2).container(keyedBy: type) }
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.node($1, $2).unkeyedContainer() }
    }
    mutating func superDecoder() throws -> any Decoder { try next { $0.node($1, $2) } }
}

/// A list of any length, which a repair may shorten.
protocol ListItem { static var element: any Any.Type { get } }

extension Array: ListItem { static var element: any Any.Type { Element.self } }
extension Set: ListItem { static var element: any Any.Type { Element.self } }
