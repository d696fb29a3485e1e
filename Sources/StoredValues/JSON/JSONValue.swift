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

/// A JSON number as text, so that nothing of it is lost: `1e400`, `0.10` and 80 digits all survive.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number in JSON's syntax.
    public let text: String

    /// The number that `text` spells, or nil when that is not JSON's syntax for one.
    public init?(text: String) {
        var scanner = JSONScanner(Array(text.utf8))
        guard let end = try? scanner.skipNumber(), end == text.utf8.count else { return nil }
        self.text = text
    }

    /// A whole number.
    public init(_ value: some BinaryInteger) {
        text = String(value)
    }

    /// For text that is known to be a number.
    init(unchecked text: String) {
        self.text = text
    }

    /// The text.
    public var description: String { text }
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
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue {
    /// The member `name` of an object. Reads nil where there is none or this is no object; assigning to what is no
    /// object makes it one, and assigning nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get {
            guard case .object(let members) = self else { return nil }
            return members[name]
        }
        set {
            var members: [String: JSONValue] = [:]
            if case .object(let present) = self { members = present }
            members[name] = newValue
            self = .object(members)
        }
    }
}
