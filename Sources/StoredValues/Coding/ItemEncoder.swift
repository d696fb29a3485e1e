import FoundationEssentials
import StoredValuesSupport

/// Encodes items as JSON text.
///
/// Foundation's encoder is not used because not every item survives its round trip exactly: it refuses nan, writes dictionaries
/// with enum keys as lists, and rounds dates.
enum ItemEncoder {
    /// The JSON text of `item`. Throws the error of the item's own `encode(to:)`, and `EncodingError` if the item is nested
    /// deeper than ``JSONValue/maximumDepth`` or encodes nothing.
    ///
    /// - Parameter level: The depth of the value in the file, by which its later lines are indented.
    static func text(_ item: some Encodable, level: Int = 0) throws -> [UInt8] {
        let node = EncodingNode(.whole, depth: 0)
        try node.encode(item)
        var writer = JSONWriter()
        writer.append(node, level: level)
        // Once more, for nested containers without an item of their own.
        try node.checkDepth(writer.deepest - level)
        return writer.text
    }

    /// The JSON value of `item`; throws as ``text(_:level:)`` does.
    static func encode(_ item: some Encodable) throws -> JSONValue { try JSONValue(parsing: text(item)) }
}

/// One value being encoded. It is the `Encoder` that the item gets, and its single-value container.
final class EncodingNode {
    fileprivate enum Content {
        case nothing
        case value(JSONValue)
        case list
        case members
    }

    fileprivate enum Part {
        case value(JSONValue)
        case node(EncodingNode)
    }

    fileprivate private(set) var content = Content.nothing
    /// The elements of a list, or the members in the order of encoding; the last of a name counts.
    fileprivate private(set) var parts: [(name: String, part: Part)] = []
    private let path: CodingPath
    private let depth: Int
    var codingPath: [any CodingKey] { path.keys }

    init(_ path: CodingPath, depth: Int) { (self.path, self.depth) = (path, depth) }

    fileprivate func checkDepth(_ depth: Int) throws {
        guard depth < JSONValue.maximumDepth - 1 else {
            throw failure("it has more than \(JSONValue.maximumDepth) levels of nesting")
        }
    }

    private func failure(_ reason: String) -> EncodingError {
        .invalidValue(codingPath, .init(codingPath: codingPath, debugDescription: reason))
    }

    /// Encodes `item` here: types with a special JSON shape in that shape, all others by their own `encode(to:)`.
    func encode<Item: Encodable>(_ item: Item) throws {
        try checkDepth(depth)
        if let value = JSONCoding.encode(item) {
            content = .value(value)
            // Checking a protocol conformance takes longer than encoding a number or a string.
        } else if !_isPOD(Item.self), let dictionary = item as? any RawKeyedDictionary {
            addMembers()
            for (name, value) in dictionary.valuesByName { try add(value, JSONKey.member(name)) }
        } else {
            try item.encode(to: self)
            if case .nothing = content { throw failure("it encoded nothing") }
        }
    }

    // MARK: Containers

    fileprivate func addElements() {
        if case .list = content { return }
        (content, parts) = (.list, [])
    }

    fileprivate func addMembers() {
        if case .members = content { return }
        (content, parts) = (.members, [])
    }

    /// Adds a part: a member, or an element if `key` is a position.
    fileprivate func add<Item: Encodable>(_ item: Item, _ key: some CodingKey) throws {
        if let value = JSONCoding.encode(item) {
            try checkDepth(depth + 1)
            return add(.value(value), key)
        }
        let node = node(key)
        try node.encode(item)
        add(.node(node), key)
    }

    fileprivate func addNode(_ key: some CodingKey) -> EncodingNode {
        let node = node(key)
        add(.node(node), key)
        return node
    }

    private func node(_ key: some CodingKey) -> EncodingNode { EncodingNode(.part(key, of: path), depth: depth + 1) }

    fileprivate func add(_ part: Part, _ key: some CodingKey) {
        switch content {
        case .list: parts.append(("", part))
        case .members: parts.append((key.stringValue, part))
        default: programmerError("encode(to:) used two kinds of container")
        }
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ node: EncodingNode, level: Int) {
        switch node.content {
        case .nothing: append("{}")  // an encoder that the item asked for and did not use
        case .value(let value): append(value, level: level)
        case .list: appendContainer("[", "]", of: node.parts, level) { $0.append($1.part, level: level + 1) }
        case .members: appendMembers(node.parts, level) { $0.append($1, level: level + 1) }
        }
    }

    private mutating func append(_ part: EncodingNode.Part, level: Int) {
        switch part {
        case .value(let value): append(value, level: level)
        case .node(let node): append(node, level: level)
        }
    }
}

extension EncodingNode: Encoder {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        addMembers()
        return KeyedEncodingContainer(MemberEncoder<Key>(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        addElements()
        return ElementEncoder(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

// The generic methods cover all requirements of the same name: one for each integer type, and so on.

extension EncodingNode: SingleValueEncodingContainer {
    func encodeNil() { content = .value(.null) }
    func encode(_ value: Bool) { content = .value(.bool(value)) }
    func encode(_ value: String) { content = .value(.string(value)) }
    func encode(_ value: Double) { content = .value(JSONCoding.encode(floatingPoint: value)) }
    func encode(_ value: Float) { content = .value(JSONCoding.encode(floatingPoint: value)) }
    // The standard library has default implementations of these two, which would be preferred to the generic one.
    func encode(_ value: Int128) { content = .value(.number(JSONNumber(value))) }
    func encode(_ value: UInt128) { content = .value(.number(JSONNumber(value))) }
    func encode<Integer: FixedWidthInteger & Encodable>(_ value: Integer) { content = .value(.number(JSONNumber(value))) }
}

private struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) { node.add(.value(.null), key) }
    func encode<Item: Encodable>(_ value: Item, forKey key: Key) throws { try node.add(value, key) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        node.addNode(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { node.addNode(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { node.addNode(JSONKey.member("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { node.addNode(key) }
}

private struct ElementEncoder: UnkeyedEncodingContainer {
    let node: EncodingNode
    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.parts.count }
    private var key: JSONKey { .element(count) }

    func encodeNil() { node.add(.value(.null), key) }
    func encode<Item: Encodable>(_ value: Item) throws { try node.add(value, key) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        node.addNode(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.addNode(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { node.addNode(key) }
}
