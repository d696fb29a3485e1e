import FoundationEssentials

/// A value of a property list, of any shape. ``ItemEncoder`` encodes it as the JSON that a stored value of its Swift type has:
/// a date as ISO 8601 text, data as base64.
enum PropertyListValue {
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case date(Date)
    case data(Data)
    case string(String)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
}

extension PropertyListValue: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        func value<Value: Decodable>(_ make: (Value) -> PropertyListValue) -> PropertyListValue? {
            (try? container.decode(Value.self)).map(make)
        }
        // The decoder confuses none of these types, except that it decodes an integer as a real number, which therefore comes
        // last.
        self =
            try value(Self.bool) ?? value(Self.date) ?? value(Self.data) ?? value(Self.string) ?? value(Self.integer)
            ?? value(Self.unsigned) ?? value(Self.real) ?? value(Self.array)
            ?? .dictionary(container.decode([String: PropertyListValue].self))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .dictionary(let values): try container.encode(values)
        }
    }
}

extension PropertyListValue {
    /// The property list in `bytes`, binary or XML.
    init(parsing bytes: [UInt8]) throws {
        try PropertyListCheck.check(bytes)
        self = try PropertyListDecoder().decode(PropertyListValue.self, from: Data(bytes))
    }
}
