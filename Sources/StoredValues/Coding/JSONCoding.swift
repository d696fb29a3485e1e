import FoundationEssentials

/// The JSON shapes of types that JSON lacks: nan and infinity, dates, data, URLs.
enum JSONCoding {
    /// A number, or one of the strings "nan", "inf" and "-inf", for which JSON has no number.
    static func encode(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> JSONValue {
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
    static func encode(_ date: Date) -> JSONValue {
        if let text = iso8601(date), (try? self.date(iso8601: text)) == date { return .string(text) }
        return encode(date.timeIntervalSinceReferenceDate)
    }

    static func decodeDate(_ node: DecodingNode) throws -> Date {
        guard case .string(let text) = node.value, Double(text) == nil else {
            return Date(timeIntervalSinceReferenceDate: try decodeFloatingPoint(node))
        }
        do {
            return try date(iso8601: text)
        } catch {
            throw node.corrupted("the text is not a date such as 2026-11-21T10:59:00Z")
        }
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

    // MARK: Dates

    /// The date with decimals as Swift prints them, or nil if the year does not have four digits.
    ///
    /// A date is a `Double` of seconds. Its shortest description that reads back equal is split into whole seconds, which
    /// Foundation formats as a calendar date, and decimals, which are appended digit by digit.
    private static func iso8601(_ date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        // From the year 1 to the year 9999.
        guard seconds > -63_113_904_000, seconds < 252_423_993_600 else { return nil }
        let whole = seconds.rounded(.down)
        var decimals = ""
        if seconds != whole {
            let text = abs(seconds).description
            guard let point = text.firstIndex(of: "."), !text.contains("e") else { return nil }
            decimals = String(text[text.index(after: point)...])
            if seconds < 0 { decimals = complement(decimals) }
            decimals = "." + decimals
        }
        let calendarDate = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
        return "\(calendarDate.dropLast())\(decimals)Z"
    }

    private static func date(iso8601 text: String) throws -> Date {
        var calendarDate = text
        var decimals = ""
        if let point = text.firstIndex(of: ".") {
            let end = text[point...].dropFirst().firstIndex { !isDigit($0) } ?? text.endIndex
            decimals = String(text[point..<end].dropFirst())
            if !decimals.isEmpty { calendarDate.removeSubrange(point..<end) }
        }
        // Foundation ignores anything after a date. The text has the right shape if each digit is at the place of a 0 here.
        let shape = String(calendarDate.map { isDigit($0) ? "0" : $0 })
        guard shape.hasPrefix("0000-00-00T00:00:00"), ["Z", "+00:00", "-00:00", "+0000", "-0000"].contains(shape.dropFirst(19)),
            decimals.isEmpty || text.dropFirst(19).first == "."
        else { throw CocoaError(.formatting) }
        let whole = try Date(calendarDate, strategy: .iso8601).timeIntervalSinceReferenceDate
        guard decimals.contains(where: { $0 != "0" }), let integer = Int64(exactly: whole) else {
            return Date(timeIntervalSinceReferenceDate: whole)
        }
        let seconds = integer < 0 ? "-\(-(integer + 1)).\(complement(decimals))" : "\(integer).\(decimals)"
        return Date(timeIntervalSinceReferenceDate: Double(seconds) ?? .nan)
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    /// The decimals of 1 - 0.`decimals`: 0.25 becomes 0.75.
    private static func complement(_ decimals: String) -> String {
        let significant = decimals.reversed().drop { $0 == "0" }
        let digits = significant.enumerated().map { position, digit in
            (position == 0 ? 10 : 9) - (digit.wholeNumberValue ?? 0)
        }
        return digits.reversed().map(String.init).joined()
    }
}

/// A member's name or an element's position in a coding path.
enum JSONKey: CodingKey, Hashable {
    case member(String)
    /// A repair may remove it only from a list that is read as a whole: the two numbers of a range have their places.
    case element(Int, isRemovable: Bool = false)

    init?(stringValue: String) { self = .member(stringValue) }
    init?(intValue: Int) { self = .element(intValue) }

    var stringValue: String {
        switch self {
        case .member(let name): name
        case .element(let index, _): "\(index)"
        }
    }

    var intValue: Int? { if case .element(let index, _) = self { index } else { nil } }
}
