import StoredValuesSupport

/// Encodes items as JSON text without loss. Foundation's encoder refuses nan, writes dictionaries with enum keys as lists, and rounds
/// dates.
enum ItemEncoder {
    /// The JSON text of `item`, whose later lines are indented by its level in the file. Throws the error of the item's own `encode(to:)`,
    /// and `EncodingError` if the item is nested deeper than ``JSONValue/maximumDepth`` or encodes nothing.
    static func text(_ item: some Encodable, level: Int = 0, onOneLine: Bool = false) throws -> [UInt8] {
        if let number = JSONCoding.cast(item, to: Int.self) { return number.digits }
        var writer = JSONWriter(onOneLine: onOneLine)
        if let value = JSONCoding.encode(item) {
            writer.append(value, level: level)  // most items are single values
        } else {
            let node = EncodingNode(.whole, depth: 0)
            try node.encode(item)
            try node.checkParts()
            writer.reserveCapacity(256)  // most items are shorter; each growth copies and wipes
            writer.append(node, level: level)
        }
        return writer.text
    }

    /// The JSON value of `item`; throws as ``text(_:level:onOneLine:)`` does.
    static func encode(_ item: some Encodable) throws -> JSONValue { try JSONValue(parsing: text(item)) }
}

/// The coding path of a part. It is built for every part and rarely read, so it is a linked list.
indirect enum CodingPath {
    case whole
    case part(any CodingKey, of: CodingPath)

    var keys: [any CodingKey] {
        switch self {
        case .whole: []
        case .part(let key, let path): path.keys + [key]
        }
    }
}

/// One value being encoded. It is the `Encoder` that the item gets, and its single-value container.
final class EncodingNode {
    fileprivate enum Content {
        case nothing
        case value(JSONValue)
        case list
        case members
    }

    /// A member, or an element without a name; the node is nil for a single value.
    fileprivate typealias Part = (name: String, node: EncodingNode?, value: JSONValue)

    fileprivate private(set) var content = Content.nothing
    /// The elements of a list, without names, or the members in the order of encoding; the last of a name counts.
    fileprivate private(set) var parts: [Part] = []
    /// The last node of each name, by its bytes; nil until a nested container is requested.
    private var nodesByName: [[UInt8]: EncodingNode]?
    private let path: CodingPath
    private let depth: Int
    var codingPath: [any CodingKey] { path.keys }

    init(_ path: CodingPath, depth: Int) { (self.path, self.depth) = (path, depth) }

    private func checkDepth(_ depth: Int) throws {
        guard depth < JSONValue.maximumDepth - 1 else {
            throw failure("it has more than \(JSONValue.maximumDepth) levels of nesting")
        }
    }

    /// Checks the depth of this and of all nested containers, for which ``encode(_:)`` was not called.
    fileprivate func checkParts() throws {
        try checkDepth(depth)
        for part in parts { try part.node?.checkParts() }
    }

    private func failure(_ reason: String) -> EncodingError {
        .invalidValue(codingPath, .init(codingPath: codingPath, debugDescription: reason))
    }

    /// Encodes `item` here: types with a special JSON shape in that shape, all others by their own `encode(to:)`.
    func encode<Item: Encodable>(_ item: Item) throws {
        try checkDepth(depth)
        if let value = JSONCoding.encode(item) { return put(value) }
        // Checking the conformance of a type takes longer than encoding a number or a string, and that of a value takes longer still.
        let unordered = _isPOD(Item.self) ? nil : Item.self as? any UnorderedItem.Type
        if unordered != nil, let dictionary = item as? any RawKeyedDictionary {
            begin(asList: false)
            for (name, value) in dictionary.valuesByName { try add(value, JSONKey.member(name)) }
        } else {
            do { try item.encode(to: self) } catch {
                // As in Foundation's encoder, what it encoded until then is dropped, and another item may take its place.
                (content, parts, nodesByName) = (.nothing, [], nil)
                throw error
            }
            if case .nothing = content { throw failure("it encoded nothing") }
            if let unordered { sortList(by: unordered.partsPerElement) }
        }
    }

    /// If this is a list, sorts its elements by the bytes of their texts. Each element is `size` parts.
    private func sortList(by size: Int) {
        guard case .list = content, parts.count > size else { return }
        var writer = JSONWriter(onOneLine: true)
        defer { writer.wipeText() }
        let elements = stride(from: 0, to: parts.count, by: size).map { start in
            let begin = writer.text.count, element = parts[start...].prefix(size)
            for part in element {
                writer.append(part, level: 0)
                writer.append(",")  // so that no text is a prefix of another
            }
            return (parts: element, text: begin..<writer.text.count)
        }
        parts = writer.text.withUnsafeBufferPointer { bytes in
            elements.sorted { UnsafeBufferPointer(rebasing: bytes[$0.text]).order(to: UnsafeBufferPointer(rebasing: bytes[$1.text])) < 0 }
        }.flatMap(\.parts)
    }

    // MARK: Containers

    fileprivate func begin(asList isList: Bool) {
        switch (content, isList) {
        case (.list, true), (.members, false): return
        case (.nothing, _): break
        default: twoKinds()
        }
        content = isList ? .list : .members
        parts.reserveCapacity(6)  // most containers are small, and growing takes long
    }

    /// Adds a part: a member, or an element if `key` is a position.
    fileprivate func add<Item: Encodable>(_ item: Item, _ key: some CodingKey) throws {
        if let value = JSONCoding.encode(item) {
            try checkDepth(depth + 1)
            return append(key, value: value)
        }
        let node = node(key)
        try node.encode(item)
        append(key, node)
    }

    fileprivate func addNode(_ key: some CodingKey) -> EncodingNode {
        // This one is too deep already. The new one is not attached: releasing a chain of any length would overflow the stack.
        guard depth < JSONValue.maximumDepth else { return EncodingNode(path, depth: depth) }
        let node = node(key)
        append(key, node)
        return node
    }

    /// The node for a nested container. As in Foundation's encoder, a second request for a key continues the first container: a class
    /// and its subclass may write into the same one.
    fileprivate func nestedNode(_ key: some CodingKey, asList isList: Bool) -> EncodingNode {
        guard case .members = content else { return addNode(key) }
        if nodesByName == nil {
            nodesByName = [:]
            for part in parts { nodesByName?[Array(part.name.utf8)] = part.node }
        }
        let old = nodesByName?[Array(key.stringValue.utf8)]
        switch (old?.content, isList) {
        case (.list, true), (.members, false): return old ?? addNode(key)
        default: return addNode(key)
        }
    }

    private func node(_ key: some CodingKey) -> EncodingNode { EncodingNode(.part(key, of: path), depth: depth + 1) }

    fileprivate func append(_ key: some CodingKey, _ node: EncodingNode? = nil, value: JSONValue = .null) {
        switch content {
        case .list: parts.append(("", node, value))
        case .members:
            parts.append((key.stringValue, node, value))
            if nodesByName != nil { nodesByName?[Array(key.stringValue.utf8)] = node }
        default: twoKinds()
        }
    }

    private func put(_ value: JSONValue) {
        switch content {
        case .nothing, .value: content = .value(value)
        case .list, .members: twoKinds()
        }
    }

    private func twoKinds() -> Never {
        programmerError("encode(to:) used two kinds of container for one value. Use one: a keyed one, an unkeyed one, or a single value")
    }
}

/// A set or a dictionary. The order of its elements differs between processes, and may differ between equal ones in a process.
private protocol UnorderedItem {
    /// How many parts of a list an element takes: in a dictionary two, its key and its value.
    static var partsPerElement: Int { get }
}

extension Set: UnorderedItem { static var partsPerElement: Int { 1 } }
extension Dictionary: UnorderedItem { static var partsPerElement: Int { 2 } }

extension JSONWriter {
    fileprivate mutating func append(_ node: EncodingNode, level: Int) {
        let parts = node.parts
        switch node.content {
        case .nothing: append("{}")  // the item requested an encoder and did not use it
        case .value(let value): append(value, level: level)
        case .list: appendContainer("[", "]", parts.indices, level) { $0.append(parts[$1], level: level + 1) }
        case .members: appendMembers(parts.map(\.name), level) { $0.append(parts[$1], level: level + 1) }
        }
    }

    /// Appends the value of a member or an element.
    @inline(__always)
    fileprivate mutating func append(_ part: EncodingNode.Part, level: Int) {
        if let node = part.node { append(node, level: level) } else { append(part.value, level: level) }
    }
}

extension EncodingNode: Encoder {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        begin(asList: false)
        return KeyedEncodingContainer(MemberEncoder<Key>(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        begin(asList: true)
        return ElementEncoder(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

// The generic methods cover all requirements of the same name: one for each integer type, and so on.

extension EncodingNode: SingleValueEncodingContainer {
    func encodeNil() { put(.null) }
    func encode(_ number: JSONNumber) { put(.number(number)) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
    func encode(_ value: Double) { put(JSONCoding.encode(floatingPoint: value)) }
    func encode(_ value: Float) { put(JSONCoding.encode(floatingPoint: value)) }
    // The standard library has default implementations for these two types in each container, which would be preferred to the generic ones.
    func encode(_ value: Int128) { put(.number(JSONNumber(value))) }
    func encode(_ value: UInt128) { put(.number(JSONNumber(value))) }
    func encode<Integer: FixedWidthInteger & Encodable>(_ value: Integer) { put(.number(JSONNumber(value))) }
}

private struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) { node.append(key) }
    func encode(_ value: Int128, forKey key: Key) throws { try node.add(value, key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try node.add(value, key) }
    func encode<Item: Encodable>(_ value: Item, forKey key: Key) throws { try node.add(value, key) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        node.nestedNode(key, asList: false).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { node.nestedNode(key, asList: true).unkeyedContainer() }
    func superEncoder() -> any Encoder { node.addNode(JSONKey.member("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { node.addNode(key) }
}

private struct ElementEncoder: UnkeyedEncodingContainer {
    let node: EncodingNode
    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.parts.count }
    private var key: JSONKey { .element(count) }

    func encodeNil() { node.append(key) }
    func encode(_ value: Int128) throws { try node.add(value, key) }
    func encode(_ value: UInt128) throws { try node.add(value, key) }
    func encode<Item: Encodable>(_ value: Item) throws { try node.add(value, key) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        node.addNode(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.addNode(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { node.addNode(key) }
}
