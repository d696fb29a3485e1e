import FoundationEssentials
import StoredValuesSupport

/// Encodes items as JSON values.
///
/// Foundation's encoder is not used because not every item survives its round trip exactly: it refuses nan, writes dictionaries
/// with enum keys as lists, and rounds dates.
enum ItemEncoder {
    /// The JSON value of `item`. Throws the error of the item's own `encode(to:)`, and `EncodingError` if the item is nested
    /// deeper than ``JSONValue/maximumDepth`` or encodes nothing.
    static func encode(_ item: some Encodable) throws -> JSONValue {
        let node = EncodingNode(codingPath: [])
        try node.encode(item)
        return try node.value
    }
}

/// One value being encoded. It is the `Encoder` that the item gets, and its single-value container.
final class EncodingNode {
    private enum Content {
        case nothing
        case value(JSONValue)
        case array([EncodingNode])
        case object([String: EncodingNode])
    }

    let codingPath: [any CodingKey]
    private var content = Content.nothing

    init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

    /// The finished value.
    var value: JSONValue {
        get throws {
            // Checked here once more, for nested containers without an item of their own.
            try checkDepth()
            return switch content {
            case .value(let value): value
            case .array(let elements): .array(try elements.map { try $0.value })
            case .object(let members): .object(try members.mapValues { try $0.value })
            case .nothing: throw failure(codingPath, "it encoded nothing")
            }
        }
    }

    private func checkDepth() throws {
        guard codingPath.count < JSONValue.maximumDepth - 1 else {
            throw failure(codingPath, "it has more than \(JSONValue.maximumDepth) levels of nesting")
        }
    }

    /// Encodes `item` here: types with a special JSON shape in that shape, all others by their own `encode(to:)`.
    func encode<Item: Encodable>(_ item: Item) throws {
        try checkDepth()
        // Comparing types before casting is much faster. Optionals come back here unwrapped.
        if Item.self == Date.self, let date = item as? Date {
            content = .value(JSONCoding.encode(date))
        } else if Item.self == Data.self, let data = item as? Data {
            content = .value(.string(data.base64EncodedString()))
        } else if Item.self == URL.self, let url = item as? URL, url.baseURL == nil {
            content = .value(.string(url.absoluteString))
        } else if Item.self == Decimal.self, let decimal = item as? Decimal, let number = JSONNumber(text: decimal.description) {
            content = .value(.number(number))
            // Checking a protocol conformance takes longer than encoding a number or a string.
        } else if !_isPOD(Item.self), Item.self != String.self, let dictionary = item as? any RawKeyedDictionary {
            addMembers()
            for (name, value) in dictionary.valuesByName {
                try addMember(JSONKey.member(name)).encode(value)
            }
        } else {
            try item.encode(to: self)
        }
    }

    private func failure(_ item: Any, _ reason: String) -> EncodingError {
        .invalidValue(item, .init(codingPath: codingPath, debugDescription: reason))
    }

    // MARK: Containers

    fileprivate var elementCount: Int { if case .array(let elements) = content { elements.count } else { 0 } }

    fileprivate func addElements() {
        if case .array = content { return }
        content = .array([])
    }

    fileprivate func addElement() -> EncodingNode {
        guard case .array(var elements) = content else { programmerError("encode(to:) used two kinds of container") }
        content = .nothing  // avoids copying the list below
        let node = EncodingNode(codingPath: codingPath + [JSONKey.element(elements.count)])
        elements.append(node)
        content = .array(elements)
        return node
    }

    fileprivate func addMembers() {
        if case .object = content { return }
        content = .object([:])
    }

    fileprivate func addMember(_ key: any CodingKey) -> EncodingNode {
        guard case .object(var members) = content else { programmerError("encode(to:) used two kinds of container") }
        content = .nothing
        let node = EncodingNode(codingPath: codingPath + [key])
        members[key.stringValue] = node
        content = .object(members)
        return node
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
    func encode(_ value: Double) { content = .value(JSONCoding.encode(value)) }
    func encode(_ value: Float) { content = .value(JSONCoding.encode(value)) }
    // The standard library has default implementations of these two, which would be preferred to the generic one.
    func encode(_ value: Int128) { content = .value(.number(JSONNumber(value))) }
    func encode(_ value: UInt128) { content = .value(.number(JSONNumber(value))) }
    func encode<Integer: FixedWidthInteger & Encodable>(_ value: Integer) { content = .value(.number(JSONNumber(value))) }
}

private struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) { node.addMember(key).encodeNil() }
    func encode<Item: Encodable>(_ value: Item, forKey key: Key) throws { try node.addMember(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        node.addMember(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { node.addMember(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { node.addMember(JSONKey.member("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { node.addMember(key) }
}

private struct ElementEncoder: UnkeyedEncodingContainer {
    let node: EncodingNode
    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.elementCount }

    func encodeNil() { node.addElement().encodeNil() }
    func encode<Item: Encodable>(_ value: Item) throws { try node.addElement().encode(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        node.addElement().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.addElement().unkeyedContainer() }
    func superEncoder() -> any Encoder { node.addElement() }
}
