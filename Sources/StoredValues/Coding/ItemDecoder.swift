import FoundationEssentials

/// Decodes items from JSON values; the inverse of ``ItemEncoder``.
enum ItemDecoder {
    /// The item that `value` describes. Throws the error of the item's own `init(from:)`; a `DecodingError` contains the path.
    ///
    /// - Parameter trace: Records where decoding fails, for a repair.
    static func decode<Item: Decodable>(_ type: Item.Type, from value: JSONValue, trace: DecodingTrace? = nil) throws -> Item {
        try DecodingNode(value: value, path: .whole, trace: trace).decode(type)
    }
}

extension JSONValue {
    /// The item that a wrapper of this type would read; nil if it would need a repair.
    package func item<Item: Decodable>(_ type: Item.Type) -> Item? { try? ItemDecoder.decode(type, from: self) }
}

/// One value being decoded. It is the `Decoder` that the item gets, and its single-value container.
struct DecodingNode {
    let value: JSONValue
    let path: CodingPath
    let trace: DecodingTrace?
    /// Whether it is an array or a set, which can do without an element; known only with a trace.
    private(set) var isList = false

    var codingPath: [any CodingKey] { path.keys }

    func decode<Item: Decodable>(_ type: Item.Type) throws -> Item {
        guard let trace else { return try decodeUntraced(type) }
        trace.goOn()
        do {
            var node = self
            node.isList = type is any RepairableList.Type
            return try node.decodeUntraced(type)
        } catch {
            trace.fail(at: codingPath)
            throw error
        }
    }

    private func decodeUntraced<Item: Decodable>(_ type: Item.Type) throws -> Item {
        // Each cast is from a value to its own type, as compared before. An optional cast would take longer.
        if type == Date.self { return try JSONCoding.decodeDate(self) as! Item }
        if type == Data.self { return try JSONCoding.decodeData(self) as! Item }
        if type == URL.self, case .string = value { return try JSONCoding.decodeURL(self) as! Item }
        if type == Decimal.self, case .number(let number) = value { return try JSONCoding.decodeDecimal(number, self) as! Item }
        if let dictionary = type as? any RawKeyedDictionary.Type { return try dictionary.init(members: self) as! Item }
        return try Item(from: self)
    }

    /// The node of a member or an element.
    func node(_ value: JSONValue, _ key: any CodingKey) -> DecodingNode {
        DecodingNode(value: value, path: .part(key, of: path), trace: trace)
    }

    /// Decodes a member or an element.
    func decode<Item: Decodable>(_ type: Item.Type, _ value: JSONValue, _ key: @autoclosure () -> any CodingKey) throws -> Item {
        // The most frequent need no decoder. The casts are as in `decodeUntraced`.
        switch value {
        case .string(let text) where type == String.self: return text as! Item
        case .bool(let value) where type == Bool.self: return value as! Item
        case .number(let number) where type == Int.self:
            if let integer = Int(number.text) { return integer as! Item }
        default: break
        }
        return try node(value, key()).decode(type)
    }

    /// The members of an object, or a type mismatch.
    func members() throws -> [String: JSONValue] {
        guard case .object(let members) = value else { throw mismatch([String: JSONValue].self, "an object") }
        return members
    }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "expected \(expected), found \(value.kind)")
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func corrupted(_ reason: String) -> DecodingError { .dataCorrupted(.init(codingPath: codingPath, debugDescription: reason)) }
}

extension JSONValue {
    /// The kind of value, for error messages. It never contains the value itself, which may be a secret.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a bool"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension DecodingNode: Decoder {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(MemberDecoder(node: self, members: try members()))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self, "a list") }
        return ElementDecoder(node: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

// The generic methods cover all requirements of the same name: one for each integer type, and so on.

extension DecodingNode: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch(type, "a bool") }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let value) = value else { throw mismatch(type, "a string") }
        return value
    }

    func decode(_ type: Double.Type) throws -> Double { try JSONCoding.decodeFloatingPoint(self) }
    func decode(_ type: Float.Type) throws -> Float { try JSONCoding.decodeFloatingPoint(self) }

    // The standard library has default implementations of these two, which would be preferred to the generic one.
    func decode(_ type: Int128.Type) throws -> Int128 { try decodeInteger() }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeInteger() }
    func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws -> Integer { try decodeInteger() }

    private func decodeInteger<Integer: FixedWidthInteger>() throws -> Integer {
        guard case .number(let number) = value else { throw mismatch(Integer.self, "a number") }
        guard let value = number.exactly(Integer.self) else { throw corrupted("the number does not fit into \(Integer.self)") }
        return value
    }
}

private struct MemberDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: DecodingNode
    let members: [String: JSONValue]
    var codingPath: [any CodingKey] { node.codingPath }
    var allKeys: [Key] { members.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func value(_ key: some CodingKey) throws -> JSONValue {
        node.trace?.goOn()
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "there is no member \"\(key.stringValue)\""))
        }
        return value
    }

    private func member(_ key: some CodingKey) throws -> DecodingNode { node.node(try value(key), key) }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key) == .null }
    func decode<Item: Decodable>(_ type: Item.Type, forKey key: Key) throws -> Item { try node.decode(type, value(key), key) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try member(key).unkeyedContainer() }
    func superDecoder() throws -> any Decoder { try member(JSONKey.member("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct ElementDecoder: UnkeyedDecodingContainer {
    let node: DecodingNode
    let elements: [JSONValue]
    var currentIndex = 0
    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// Passes the next element and its key to `body`, and advances if that does not throw.
    private mutating func next<Result>(_ body: (DecodingNode, JSONValue, JSONKey) throws -> Result) throws -> Result {
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
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }
    mutating func decode<Item: Decodable>(_ type: Item.Type) throws -> Item { try next { try $0.decode(type, $1, $2) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.node($1, $2).container(keyedBy: type) }
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.node($1, $2).unkeyedContainer() }
    }
    mutating func superDecoder() throws -> any Decoder { try next { $0.node($1, $2) } }
}

/// A list that a repair may shorten.
private protocol RepairableList {}

extension Array: RepairableList {}
extension Set: RepairableList {}
