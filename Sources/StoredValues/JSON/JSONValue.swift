import StoredValuesSupport

/// A JSON value of any shape, with its numbers as written.
public enum JSONValue: Hashable, Sendable {
    /// `null`, which a nil is stored as.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number with its original digits.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members by name, unordered.
    case object([String: JSONValue])

    /// The maximum nesting depth; deeper values are refused both on reading and on writing.
    package static let maximumDepth = 512

    /// Whether containers are nested in more than this number of levels.
    package func isDeeper(than levels: Int) -> Bool {
        switch self {
        case .array(let elements): levels == 0 || elements.contains { $0.isDeeper(than: levels - 1) }
        case .object(let members): levels == 0 || members.values.contains { $0.isDeeper(than: levels - 1) }
        default: false
        }
    }
}

extension JSONValue {
    /// Whether both are the same value. Strings and names are compared byte by byte: two that only look alike (é as one scalar
    /// or as two) are different values for other programs.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.string(let left), .string(let right)): left.isIdentical(to: right)
        case (.number(let left), .number(let right)): left.text.isIdentical(to: right.text)
        case (.array(let left), .array(let right)): left == right
        case (.object(let members), .object(let others)):
            members.count == others.count && members.allSatisfy { right[$0.key] == $0.value }
        default: false
        }
    }
}

// No nil literal: `json["size"] = isOld ? nil : 12` would then store null instead of removing the member.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A literal `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A literal integer.
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// A literal string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A literal array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// A literal object.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(members: elements) }
}

extension JSONValue {
    /// An object of these members. Of several with one name, also in two spellings, it has the last.
    init(members: [(String, JSONValue)]) {
        self = .object(
            members.reduce(into: [:]) { object, member in
                object.removeValue(forKey: member.0)  // or it would keep its spelling, and would be another one of the file's
                object[member.0] = member.1
            })
    }

    /// The member `name` of an object. Reads nil if there is none or this is not an object. Assigning turns a value that is not
    /// an object into one; assigning nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get {
            // Names are compared byte by byte, as in a file. To a dictionary é as one scalar or as two is one name.
            guard case .object(let members) = self, let index = members.index(forKey: name), members[index].key.isIdentical(to: name)
            else { return nil }
            return members[index].value
        }
        set {
            var members = objectValue ?? [:]
            if newValue != nil || self[name] != nil { members.removeValue(forKey: name) }
            if let newValue { members[name] = newValue }
            self = .object(members)
        }
    }
}

// MARK: Parts, for migrations

extension JSONValue {
    /// The string; nil if this is not a string.
    public var stringValue: String? { if case .string(let text) = self { text } else { nil } }

    /// The integer, `14.0` included; nil if this is not a number, not an integer or does not fit. Never rounded.
    public var intValue: Int? { if case .number(let number) = self { number.exactly(Int.self) } else { nil } }

    /// The nearest `Double` to the number; nil if this is not a number, or too large.
    public var doubleValue: Double? {
        guard case .number(let number) = self, let value = Double(number.text), value.isFinite else { return nil }
        return value
    }

    /// The Boolean; nil if this is neither `true` nor `false`.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements; nil if this is not a list.
    public var arrayValue: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members; nil if this is not an object.
    public var objectValue: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// The element at `index` of a list. Reads nil if there is none or this is not a list; assigning does nothing then.
    /// Assigning nil removes the element.
    public subscript(index: Int) -> JSONValue? {
        get {
            guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
            return elements[index]
        }
        set {
            guard case .array(var elements) = self, elements.indices.contains(index) else { return }
            elements.replaceSubrange(index...index, with: newValue.map { [$0] } ?? [])
            self = .array(elements)
        }
    }

    /// Renames the member `name` of an object, replacing any member of the new name. Does nothing if there is no such member.
    public mutating func rename(_ name: String, to newName: String) {
        guard let value = self[name] else { return }
        self[name] = nil
        self[newName] = value
    }

    /// Changes each element of a list in place. Changes nothing if this is not a list, or if `change` throws.
    public mutating func updateElements<Failure>(_ change: (inout JSONValue) throws(Failure) -> Void) throws(Failure) {
        guard case .array(var elements) = self else { return }
        for index in elements.indices { try change(&elements[index]) }
        self = .array(elements)
    }
}

extension JSONValue {
    /// An integer.
    public init(_ number: some BinaryInteger) { self = .number(JSONNumber(number)) }

    /// A number; nil for infinity and nan, which JSON has no number for.
    public init?(_ number: Double) {
        guard let number = JSONNumber(number) else { return nil }
        self = .number(number)
    }

    /// A string.
    public init(_ text: String) { self = .string(text) }

    /// `true` or `false`.
    public init(_ value: Bool) { self = .bool(value) }
}
