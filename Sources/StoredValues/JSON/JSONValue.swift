/// A JSON value of any shape, with its numbers as they were written.
public enum JSONValue: Hashable, Sendable {
    /// `null`, which is how a stored nil looks.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number in the digits it was written with.
    case number(JSONNumber)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members by name; they have no order.
    case object([String: JSONValue])

    /// Containers may be this deep inside each other; deeper ones are refused on reading and on writing alike.
    static let maximumDepth = 512
}

import StoredValuesSupport

extension JSONValue {
    /// Whether both say the same. Texts and names are compared by their bytes: those that only look alike (é as one character
    /// or as two) are another value to other programs.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isIdentical(to: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { name, value in
                    right.index(forKey: name).map { right[$0].key.isIdentical(to: name) && right[$0].value == value } ?? false
                }
        default: false
        }
    }
}

// Not by nil: in `json["size"] = isOld ? nil : 12` that would store null instead of removing the member.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A literal `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A literal whole number.
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// A literal text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A literal array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// A literal object.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Dictionary(elements) { _, last in last }) }
}

extension JSONValue {
    /// The member `name` of an object. Reads nil where there is none or this is no object; assigning to what is no
    /// object makes it one, and assigning nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { objectValue?[name] }
        set {
            var members = objectValue ?? [:]
            members[name] = newValue
            self = .object(members)
        }
    }
}
