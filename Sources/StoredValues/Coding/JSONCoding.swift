import FoundationEssentials

/// How values are encoded that JSON has no type for: nan and infinity, dates, data, URLs.
enum JSONCoding {
    /// The JSON of an item whose type always encodes a single value; nil for any other type.
    static func encode<Item>(_ item: Item) -> JSONValue? {
        func cast<Known>(_ type: Known.Type) -> Known? { Self.cast(item, to: type) }  // Optionals come here unwrapped.
        if let text = cast(String.self) { return .string(text) }
        if let number = cast(Int.self) { return .number(JSONNumber(number)) }
        if let flag = cast(Bool.self) { return .bool(flag) }
        if let number = cast(Double.self) { return encode(floatingPoint: number) }
        if let date = cast(Date.self) { return encode(date: date) }
        if let data = cast(Data.self) { return .string(data.base64EncodedString()) }
        if let url = cast(URL.self), url.baseURL == nil { return .string(url.absoluteString) }
        if let decimal = cast(Decimal.self) { return JSONNumber(text: decimal.description).map { .number($0) } }
        return nil
    }

    /// The item, if it is of that type. A checked cast would take longer than encoding it.
    static func cast<Item, Known>(_ item: Item, to type: Known.Type) -> Known? {
        Item.self == type ? unsafeBitCast(item, to: type) : nil  // sound: the same type
    }

    /// A number, or one of the strings "nan", "inf" and "-inf", for which JSON has no number.
    static func encode(floatingPoint value: some BinaryFloatingPoint & LosslessStringConvertible) -> JSONValue {
        guard value.isFinite else { return .string(value.description) }
        // The description is the shortest text that reads back equal. 14.0 is written as 14, but -0 stays -0.0.
        let text = value.description
        return .number(JSONNumber(unchecked: text.hasSuffix(".0") && value != 0 ? String(text.dropLast(2)) : text))
    }

    /// ISO 8601 text in UTC that reads back equal; for a date too far away for that, the seconds since 2001 as a number.
    private static func encode(date: Date) -> JSONValue {
        let seconds = date.timeIntervalSinceReferenceDate
        return ISO8601.text(seconds).map(JSONValue.string) ?? encode(floatingPoint: seconds)
    }
}

// The inverse of these.

extension DecodingNode {
    func decodeFloatingPoint<Value: BinaryFloatingPoint & LosslessStringConvertible>() throws -> Value {
        let isWord = kind == .string && ["nan", "-nan", "inf", "-inf"].contains(json.string(position))
        if !isWord { try require(.number, Value.self) }
        guard let value = Value(json.string(position)), value.isFinite || isWord else {
            throw corrupted("the number does not fit into \(Value.self)")
        }
        return value
    }

    func decodeDate() throws -> Date {
        if kind == .string {
            if let seconds = json.withBytes(position, ISO8601.seconds) { return Date(timeIntervalSinceReferenceDate: seconds) }
            if Double(json.string(position)) == nil { throw corrupted("the text is not a date such as 2026-11-21T10:59:00Z") }
        }
        return Date(timeIntervalSinceReferenceDate: try decodeFloatingPoint())
    }

    func decodeData() throws -> Data {
        try require(.string, Data.self)
        guard let data = Data(base64Encoded: json.string(position)) else { throw corrupted("the text is not base64") }
        return data
    }

    /// The exact number: Foundation would truncate what a `Decimal` cannot hold.
    func decodeDecimal() throws -> Decimal {
        let text = json.string(position)
        guard let decimal = Decimal(string: text),
            JSONNumber(unchecked: decimal.description).isSame(as: JSONNumber(unchecked: text))
        else { throw corrupted("the number does not fit into Decimal") }
        return decimal
    }

    func decodeURL() throws -> URL {
        guard let url = URL(string: try decode(String.self)) else { throw corrupted("the text is not a URL") }
        return url
    }
}

/// A dictionary whose keys are enums (or other types) with a raw string or integer. It is an object in JSON. `Dictionary` itself encodes
/// a list of alternating keys and values, unless its key is `String`, `Int` or `CodingKeyRepresentable` (SE-0320).
protocol RawKeyedDictionary {
    var valuesByName: [(String, any Encodable)] { get }
    init(members: DecodingNode) throws
}

extension Dictionary: RawKeyedDictionary
where Key: RawRepresentable, Key.RawValue: MemberName, Value: Codable {
    var valuesByName: [(String, any Encodable)] {
        map { ($0.key.rawValue.description, $0.value) }
    }

    init(members node: DecodingNode) throws {
        self.init()
        for position in try node.names().sorted() {  // in the order of the text: the last one of a key counts
            let name = node.json.string(position)
            let member = node.node(position + 1, JSONKey.member(name))
            guard let rawValue = Key.RawValue(name), let key = Key(rawValue: rawValue) else {
                throw member.corrupted("\"\(name)\" is not a valid \(Key.self)")
            }
            self[key] = try member.decode(Value.self)
        }
    }
}

/// A raw value that can be a member's name, by its description.
protocol MemberName: LosslessStringConvertible {}

extension String: MemberName {}
extension Int: MemberName {}
extension Int8: MemberName {}
extension Int16: MemberName {}
extension Int32: MemberName {}
extension Int64: MemberName {}
extension UInt: MemberName {}
extension UInt8: MemberName {}
extension UInt16: MemberName {}
extension UInt32: MemberName {}
extension UInt64: MemberName {}
