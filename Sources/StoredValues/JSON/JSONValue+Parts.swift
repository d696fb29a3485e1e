// What migrations read and change.

extension JSONValue {
    /// The text, or nil when this is no string.
    public var stringValue: String? { if case .string(let text) = self { text } else { nil } }

    /// The whole number, `14.0` included; nil when this is no number, not whole or does not fit. It is never rounded.
    public var intValue: Int? { if case .number(let number) = self { number.exactly(Int.self) } else { nil } }

    /// The nearest `Double` to the number; nil when this is none, or too large for one.
    public var doubleValue: Double? {
        guard case .number(let number) = self, let value = Double(number.text), value.isFinite else { return nil }
        return value
    }

    /// `true` or `false`, or nil when this is neither.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements, or nil when this is no list.
    public var arrayValue: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members, or nil when this is no object.
    public var objectValue: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// The element at `index` of a list. Reads nil where there is none or this is no list; assigning there changes
    /// nothing, and assigning nil removes the element.
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

    /// Gives the member `name` of an object another name, in place of whatever had that. Changes nothing where there is
    /// no such member.
    public mutating func rename(_ name: String, to newName: String) {
        guard case .object(var members) = self, let value = members.removeValue(forKey: name) else { return }
        members[newName] = value
        self = .object(members)
    }

    /// Changes each element of a list in place. Changes nothing when this is no list, or when `change` throws.
    public mutating func updateElements<Failure>(_ change: (inout JSONValue) throws(Failure) -> Void) throws(Failure) {
        guard case .array(var elements) = self else { return }
        for index in elements.indices { try change(&elements[index]) }
        self = .array(elements)
    }
}

extension JSONValue {
    /// A whole number.
    public init(_ number: some BinaryInteger) { self = .number(JSONNumber(number)) }

    /// A number, or nil for what JSON has none for: infinity and nan.
    public init?(_ number: Double) {
        guard let number = JSONNumber(number) else { return nil }
        self = .number(number)
    }

    /// A text.
    public init(_ text: String) { self = .string(text) }

    /// `true` or `false`.
    public init(_ value: Bool) { self = .bool(value) }
}
