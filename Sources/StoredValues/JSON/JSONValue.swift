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
    static let maximumDepth = 512
}

import StoredValuesSupport

extension JSONValue {
    /// Whether both are the same value. Strings and names are compared byte by byte: two that only look alike (é as one scalar
    /// or as two) are different values for other programs.
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
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Dictionary(elements) { _, last in last }) }
}

extension JSONValue {
    /// The member `name` of an object. Reads nil if there is none or this is not an object. Assigning turns a value that is not
    /// an object into one; assigning nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { objectValue?[name] }
        set {
            var members = objectValue ?? [:]
            members[name] = newValue
            self = .object(members)
        }
    }
}
