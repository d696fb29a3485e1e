/// In a preferences file, exactly the stored value. Other encoders and decoders have no numbers with their digits: those get, and give,
/// an integer of 64 bits where it is one, else the nearest `Double`.
extension JSONValue: Codable {
    /// Reads any JSON. Throws the decoder's error.
    public init(from decoder: any Decoder) throws {
        if let node = decoder as? DecodingNode {
            self.init(node.json, at: node.position)
        } else if let container = try? decoder.container(keyedBy: JSONKey.self) {
            self.init(members: try container.allKeys.map { ($0.stringValue, try container.decode(JSONValue.self, forKey: $0)) })
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            try self.init(single: decoder.singleValueContainer())
        }
    }

    private init(single container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self.init(value)
        } else if let value = try? container.decode(UInt64.self) {
            self.init(value)
        } else if let value = try? container.decode(Double.self) {
            self = JSONCoding.encode(floatingPoint: value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    /// Writes the value. Throws the encoder's error, and `EncodingError` for a number that is too large for another encoder than a
    /// preferences file's.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .null: try Bool?.none.encode(to: encoder)
        case .bool(let value): try value.encode(to: encoder)
        case .string(let text): try text.encode(to: encoder)
        case .array(let elements): try elements.encode(to: encoder)
        case .object(let members): try members.encode(to: encoder)
        case .number(let number):
            if let node = encoder as? EncodingNode { return node.encode(number) }
            if let integer = number.exactly(Int64.self) { return try integer.encode(to: encoder) }
            if let integer = number.exactly(UInt64.self) { return try integer.encode(to: encoder) }
            guard let value = doubleValue else {
                let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "\(number) is too large for a Double")
                throw EncodingError.invalidValue(self, context)
            }
            try value.encode(to: encoder)
        }
    }
}
