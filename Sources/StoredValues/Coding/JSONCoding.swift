import FoundationEssentials

/// The JSON shapes of types that JSON lacks: nan and infinity, dates, data, URLs.
enum JSONCoding {
    /// The value of an item that is always a single one; nil for any other type.
    static func encode<Item>(_ item: Item) -> JSONValue? {
        // Comparing types before casting is much faster. Optionals come here unwrapped.
        if Item.self == String.self, let text = item as? String { return .string(text) }
        if Item.self == Int.self, let number = item as? Int { return .number(JSONNumber(number)) }
        if Item.self == Bool.self, let value = item as? Bool { return .bool(value) }
        if Item.self == Double.self, let number = item as? Double { return encode(floatingPoint: number) }
        if Item.self == Date.self, let date = item as? Date { return encode(date) }
        if Item.self == Data.self, let data = item as? Data { return .string(data.base64EncodedString()) }
        if Item.self == URL.self, let url = item as? URL, url.baseURL == nil { return .string(url.absoluteString) }
        if Item.self == Decimal.self, let decimal = item as? Decimal { return JSONNumber(text: decimal.description).map { .number($0) } }
        return nil
    }

    /// A number, or one of the strings "nan", "inf" and "-inf", for which JSON has no number.
    static func encode(floatingPoint value: some BinaryFloatingPoint & LosslessStringConvertible) -> JSONValue {
        guard value.isFinite else { return .string(value.description) }
        // The description is the shortest text that reads back equal. 14.0 is written as 14, but -0 stays -0.0.
        let text = value.description
        return .number(JSONNumber(unchecked: text.hasSuffix(".0") && value != 0 ? String(text.dropLast(2)) : text))
    }

    /// The inverse of `encode`.
    static func decodeFloatingPoint<Value: BinaryFloatingPoint & LosslessStringConvertible>(_ node: DecodingNode) throws -> Value {
        switch node.value {
        case .number(let number):
            guard let value = Value(number.text), value.isFinite else {
                throw node.corrupted("the number does not fit into \(Value.self)")
            }
            return value
        case .string(let text) where ["nan", "-nan", "inf", "-inf"].contains(text):
            guard let value = Value(text) else { fallthrough }
            return value
        default:
            throw node.mismatch(Value.self, "a number")
        }
    }

    /// ISO 8601 text in UTC with as many decimals as the date needs to read back equal. For a date too far away for that, the
    /// seconds since 2001 as a number.
    private static func encode(_ date: Date) -> JSONValue {
        let seconds = date.timeIntervalSinceReferenceDate
        return ISO8601.text(seconds).map(JSONValue.string) ?? encode(floatingPoint: seconds)
    }

    static func decodeDate(_ node: DecodingNode) throws -> Date {
        guard case .string(let text) = node.value, Double(text) == nil else {
            return Date(timeIntervalSinceReferenceDate: try decodeFloatingPoint(node))
        }
        guard let seconds = ISO8601.seconds(text) else {
            throw node.corrupted("the text is not a date such as 2026-11-21T10:59:00Z")
        }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    static func decodeData(_ node: DecodingNode) throws -> Data {
        guard case .string(let text) = node.value else { throw node.mismatch(Data.self, "a string") }
        guard let data = Data(base64Encoded: text) else { throw node.corrupted("the text is not base64") }
        return data
    }

    /// Exactly the number: Foundation would truncate what a `Decimal` cannot hold.
    static func decodeDecimal(_ number: JSONNumber, _ node: DecodingNode) throws -> Decimal {
        guard let decimal = Decimal(string: number.text), JSONNumber(unchecked: decimal.description).isSame(as: number) else {
            throw node.corrupted("the number does not fit into Decimal")
        }
        return decimal
    }

    static func decodeURL(_ node: DecodingNode) throws -> URL {
        let text = try node.decode(String.self)
        guard let url = URL(string: text) else { throw node.corrupted("the text is not a URL") }
        return url
    }
}

/// A dictionary whose keys are enums (or other types) with a raw string or integer. It is an object in JSON.
///
/// Without this, `Dictionary` encodes as a list of alternating keys and values, unless its key is `String`, `Int` or
/// `CodingKeyRepresentable` (SE-0320).
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
        for (name, value) in try node.members() {
            let member = node.node(value, JSONKey.member(name))
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
