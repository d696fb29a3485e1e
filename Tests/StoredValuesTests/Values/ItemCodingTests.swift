import Foundation
import Testing

@testable import StoredValues

@Suite("Items as JSON")
struct ItemCodingTests {}

extension ItemCodingTests {
    /// Encodes, writes, parses and decodes, as a value does on its way through the file.
    private func readBack<Item: StorableItem>(_ item: Item) throws -> Item {
        try ItemDecoder.decode(Item.self, from: ItemEncoder.text(item, level: 1))
    }

    private func text(_ item: some StorableItem) throws -> String {
        String(decoding: try ItemEncoder.text(item), as: UTF8.self)
    }

    private func expectBack<Item: StorableItem & Equatable>(_ items: Item..., location: SourceLocation = #_sourceLocation) throws {
        for item in items { #expect(try readBack(item) == item, sourceLocation: location) }
    }

    @Test("Integers of every width come back, extremes included")
    func integers() throws {
        try expectBack(Int.min, .max, 0, -1)
        for number in [Int.min, -100, -99, -10, -9, 0, 9, 10, 99, 100, 1_000_000_000_000_000_000, .max] {
            #expect(try text(number) == number.description)
        }
        try expectBack(Int8.min, .max)
        try expectBack(Int16.min, .max)
        try expectBack(Int32.min, .max)
        try expectBack(Int64.min, .max)
        try expectBack(Int128.min, .max)
        try expectBack(UInt.max)
        try expectBack(UInt8.max)
        try expectBack(UInt16.max)
        try expectBack(UInt32.max)
        try expectBack(UInt64.max)
        try expectBack(UInt128.max)
    }

    private struct Wide: Codable, Equatable {
        var signed = Int128.min
        var unsigned: UInt128? = .max
        var none: Int128?
        var list: [UInt128] = [.max]
    }

    private struct WideList: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            guard try container.decode(Int128.self) == .min, try container.decode(UInt128.self) == .max else { throw CocoaError(.coderInvalidValue) }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(Int128.min)
            try container.encode(UInt128.max)
        }
    }

    @Test("Integers of 128 bits come back as members and elements, and their schema says that they are integers")
    func wide() throws {
        try expectBack(Wide())
        try expectBack(WideList())
        let schema = ItemShape.schema(of: Wide.self, sample: try ItemEncoder.encode(Wide()))
        #expect(schema.json["properties"]?["signed"]?["type"] == "integer", "\(schema.json)")
    }

    @Test("Floating-point numbers come back to the bit, nan and infinities included")
    func floatingPoint() throws {
        let values: [Double] = [0, -0.0, 1, 0.1, 1 / 3, .pi, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, 14]
        for value in values { #expect(try readBack(value).bitPattern == value.bitPattern) }
        for value in values.map(Float.init) { #expect(try readBack(value).bitPattern == value.bitPattern) }
        #expect(try readBack(Double.nan).isNaN)
        #expect(try readBack([Float.nan])[0].isNaN)
        #expect(try text(14.0) == "14")
    }

    @Test("A number that the type cannot hold is an error, not another number")
    func overflow() {
        #expect(throws: DecodingError.self) { try ItemDecoder.decode(Int8.self, from: 128) }
        #expect(throws: DecodingError.self) { try ItemDecoder.decode(UInt.self, from: -1) }
        #expect(throws: DecodingError.self) { try ItemDecoder.decode(Int.self, from: JSONValue(parsing: Array("1.5".utf8))) }
        #expect(throws: DecodingError.self) { try ItemDecoder.decode(Double.self, from: JSONValue(parsing: Array("1e999".utf8))) }
        #expect((try? ItemDecoder.decode(Int.self, from: JSONValue(parsing: Array("30.0".utf8)))) == 30)
    }

    @Test(
        "An integer is exactly the number in the text, or an error",
        arguments: [
            ("9223372036854775807", Int.max), ("9223372036854775808", nil), ("-9223372036854775808", .min), ("-9223372036854775809", nil),
            ("-9223372036854775808.0", .min), ("-9.223372036854775809e18", nil), ("9007199254740993.0", 9_007_199_254_740_993),
            ("9007199254740993000e-3", 9_007_199_254_740_993), ("0.99999999999999999999", nil), ("1.00000000000000000001", nil),
            ("4.000000000000000000000000000", 4), ("1.0", 1), ("1e3", 1000), ("1.5e1", 15), ("1E+2", 100), ("100e-2", 1), ("1e-1", nil),
            ("-0", 0), ("-0.0", 0), ("0e999999999999999999999", 0), ("0.000e-9", 0), ("1e999999999", nil), ("1e-999999999", nil),
            ("1e99999999999999999999999", nil), ("1e-99999999999999999999999", nil), ("1e00000000000000000000000000002", 100),
            ("12345678901234567890e-1", 1_234_567_890_123_456_789), ("100000000000000000000000000000000e-30", 100), ("1.50", nil),
        ] as [(String, Int?)])
    func exactIntegers(text: String, expected: Int?) throws {
        let json = JSONValue.number(try #require(JSONNumber(text: text)))
        #expect((try? ItemDecoder.decode(Int.self, from: json)) == expected)
        #expect(json.intValue == expected)
        if expected == nil { #expect(throws: DecodingError.self) { try ItemDecoder.decode([Int].self, from: [json]) } }
    }

    @Test("Integers of every width are exact at their ends, however they are written")
    func exactWidths() throws {
        func check<Integer: FixedWidthInteger & Codable & Sendable>(_ type: Integer.Type) throws {
            for (end, step) in [(Integer.max, "1"), (.min, "-1")] {
                for suffix in ["", ".0", "e0"] + (end == 0 ? [] : ["0e-1", "000.000e-3"]) {
                    #expect(try ItemDecoder.decode(type, from: number("\(end)\(suffix)")) == end)
                }
                // One beyond the end: 127 and 128, -128 and -129, 0 and -1.
                var digits = Array("\(end)".utf8)
                if end == 0 { digits = Array(step.utf8) } else { digits[digits.count - 1] += 1 }
                for suffix in ["", ".0", "0e-1"] {
                    let beyond = try number(String(decoding: digits, as: UTF8.self) + suffix)
                    #expect(throws: DecodingError.self) { try ItemDecoder.decode(type, from: beyond) }
                }
            }
        }
        try check(Int8.self)
        try check(Int16.self)
        try check(Int32.self)
        try check(Int64.self)
        try check(Int128.self)
        try check(UInt8.self)
        try check(UInt16.self)
        try check(UInt32.self)
        try check(UInt64.self)
        try check(UInt128.self)
    }

    private func number(_ text: String) throws -> JSONValue { .number(try #require(JSONNumber(text: text))) }

    @Test("A floating-point number takes the nearest, and none for what is too large")
    func nearest() throws {
        #expect(try ItemDecoder.decode(Double.self, from: number("9007199254740993.0")) == 9_007_199_254_740_992)
        #expect(try ItemDecoder.decode(Double.self, from: number("1e-999999")) == 0)
        #expect(try ItemDecoder.decode(Float.self, from: number("16777217")) == 16_777_216)
        #expect(try number("1e400").doubleValue == nil && number("1e308").doubleValue == 1e308)
        for text in ["1e309", "-1e400", "1e999999999"] {
            let json = try number(text)
            #expect(throws: DecodingError.self) { try ItemDecoder.decode(Double.self, from: json) }
            #expect(throws: DecodingError.self) { try ItemDecoder.decode(Date.self, from: json) }
        }
        #expect(throws: DecodingError.self) { try ItemDecoder.decode(Float.self, from: number("1e39")) }
    }

    @Test("A decimal is exactly the number in the text, or an error")
    func exactDecimals() throws {
        for text in ["0.10", "-12345678901234567890123456789012345678", "1e127", "1.50e-100", "0.000"] {
            #expect(try ItemDecoder.decode(Decimal.self, from: number(text)) == Decimal(string: text))
        }
        for text in ["0.33333333333333333333333333333333333333333333", "340282366920938463463374607431768211456e10", "1e128", "1e-400", "1e999999999"] {
            #expect(throws: DecodingError.self) { try ItemDecoder.decode(Decimal.self, from: number(text)) }
        }
    }

    @Test("A whole number as a key is exact, or an error", arguments: ["9223372036854775808", "1.5", "1e3"])
    func exactKeys(name: String) {
        enum Level: Int, Codable { case low = 1, high = 1000 }
        #expect(throws: DecodingError.self) { try ItemDecoder.decode([Int: Int].self, from: .object([name: 1])) }
        #expect(throws: DecodingError.self) { try ItemDecoder.decode([Level: Int].self, from: .object([name: 1])) }
    }

    @Test(
        "Strings come back, and their text keeps slashes",
        arguments: [("", 1), ("a/b", 1), ("👩‍👩‍👧‍👦é\u{301}", 1), ("\0\u{1F}\"\\\n\u{2028}", 1), ("x", 1_000_000)] as [(String, Int)])
    func strings(part: String, count: Int) throws {
        let string = String(repeating: part, count: count)
        #expect(try readBack(string).utf8.elementsEqual(string.utf8))
        #expect(try text("a/b") == "\"a/b\"")
    }

    @Test("Dates come back to the bit, as ISO 8601 text wherever that can say them")
    func dates() throws {
        var seconds: [Double] = [0, -0.0, 1, -1, 0.5, -0.5, 785_501_234.123456, -0.001, -978_307_200, -62_000_000_000.25, 1e-9, 4e17, .infinity, -1e300]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 { seconds.append(Double.random(in: -1e10...1e10, using: &generator)) }
        for second in seconds {
            let date = Date(timeIntervalSinceReferenceDate: second)
            #expect(try readBack(date).timeIntervalSinceReferenceDate.bitPattern == second.bitPattern)
        }
        #expect(try text(Date(timeIntervalSinceReferenceDate: 0)) == "\"2001-01-01T00:00:00Z\"")
        #expect(try text(Date(timeIntervalSinceReferenceDate: -0.25)) == "\"2000-12-31T23:59:59.75Z\"")
        #expect(try text(Date.now).hasPrefix("\"20"))
        #expect(try ItemDecoder.decode(Date.self, from: "2001-01-01T02:00:00+02:00") == Date(timeIntervalSinceReferenceDate: 0))
    }

    @Test("The calendar is Foundation's, from the year 1 to the year 9999")
    func calendar() throws {
        let (first, last, gregorian) = (-63_113_817_600.0, 252_423_993_599.0, -13_197_600_000.0)
        var seconds = [first, last, gregorian - 1, gregorian]
        // The last and the first second of each March and year around leap years.
        for year in [4, 100, 400, 1500, 1584, 1600, 1700, 1900, 2000, 2004, 2100, 2400, 9996] {
            for text in ["\(year)-03-01", "\(year + 1)-01-01"] {
                let start = try Date(String(repeating: "0", count: 10 - text.count) + text + "T00:00:00Z", strategy: .iso8601)
                seconds += [start.timeIntervalSinceReferenceDate - 1, start.timeIntervalSinceReferenceDate]
            }
        }
        for _ in 0..<2_000 { seconds.append(Double.random(in: first...last).rounded()) }
        for second in seconds {
            let date = Date(timeIntervalSinceReferenceDate: second)
            #expect(try text(date) == "\"\(date.formatted(.iso8601))\"", "\(second)")
            #expect(try readBack(date) == date)
        }
    }

    @Test(
        "Text that is a date in another spelling",
        arguments: [
            ("2001-01-01T00:00:00+00:00", 0), ("2001-01-01T02:30:00+0230", 0), ("2000-12-31T18:30:00-05:30", 0), ("2001-01-01T24:00:00Z", 86_400),
            ("2000-12-31T23:59:60Z", 0), ("2001-01-01T00:00:00.000Z", 0), ("2000-12-31T23:59:59.50Z", -0.5),
            ("2001-01-01T00:00:01.99999999999999999999999999999999999999999999Z", 2), ("2001-01-01T00:00:00.1234567890123456789Z", 0.12345678901234568),
        ])
    func otherSpellings(text: String, seconds: Double) throws {
        #expect(try ItemDecoder.decode(Date.self, from: .string(text)).timeIntervalSinceReferenceDate == seconds)
    }

    @Test(
        "Text that is almost a date is an error, not another date",
        arguments: [
            "", "T", "2001", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01T00:00:00.½Z", "2000-01-01T00:00:00.٣Z",
            "2000-01-01T00:00:00.万Z", "2001-01-01T00:00:00.5½Z", "2001-01-01T00:00:00.Z", "2001.5-01-01T00:00:00Z",
            "2001-01-01T00:00:00.5.5Z", "2001-01-01T00:00:00Z.5", "2001-13-01T00:00:00Z", "2001-01-01 00:00:00Z", "20010101T000000Z",
            "99999999999999999999-01-01T00:00:00Z", "-2001-01-01T00:00:00Z", "2001-01-01T00:00:00+99:99:99", "2001-01-01T00:00:00+0:000", "2001-01-01T00:00:00Z!",
            "2001-02-29T00:00:00Z", "2001-04-31T00:00:00Z", "2001-01-00T00:00:00Z", "0000-01-01T00:00:00Z", "2001-01-01T25:00:00Z", "2001-01-01T24:00:01Z",
            "2001-01-01T00:60:00Z", "2001-01-01T00:00:61Z", "2001-01-01T00:00:00+24:00", "2001-01-01T00:00:00+00:60",
        ])
    func almostDates(text: String) {
        // Not the date itself in the expectation: Foundation cannot print every date.
        let date = try? ItemDecoder.decode(Date.self, from: .string(text)).timeIntervalSinceReferenceDate
        #expect(date == nil)
    }

    @Test("Data, URLs, UUIDs and decimals come back")
    func foundationTypes() throws {
        try expectBack(Data(), Data([0, 255, 128]), Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) }))
        let base = try #require(URL(string: "https://example.com/a/"))
        try expectBack(base, try #require(URL(string: "file:///tmp/a%20b")), try #require(URL(string: "b?c=d", relativeTo: base)))
        #expect(try text(base) == "\"https://example.com/a/\"")
        try expectBack(UUID())
        try expectBack(try #require(Decimal(string: "12345678901234567890.0123456789")))
    }

    enum Theme: String, Codable, CaseIterable { case light, dark }
    enum Size: Int, Codable { case small = 1, large = 2 }
    enum Shape: Codable, Equatable { case dot, circle(radius: Double), box(Int, Int) }

    @Test("Enums come back, with raw values and with associated ones")
    func enums() throws {
        try expectBack(Theme.light, .dark)
        try expectBack(Size.large)
        try expectBack(Shape.dot, .circle(radius: 0.5), .box(1, 2))
        #expect(try text(Theme.dark) == "\"dark\"")
    }

    @Test("Dictionaries are objects, with keys that are strings, numbers or enums")
    func dictionaries() throws {
        try expectBack(["": 1, "a\"b": 2, "$": 3])
        try expectBack([1: "a", -2: "b"])
        try expectBack([Theme.light: Date(timeIntervalSinceReferenceDate: 0.1), .dark: .distantFuture])
        try expectBack([Size.small: [Theme.dark: [1]]])
        #expect(try text([Theme.dark: 1]) == "{\n  \"dark\": 1\n}")
        #expect(try text([Size.small: 1]) == "{\n  \"1\": 1\n}")
        #expect(throws: DecodingError.self) { try ItemDecoder.decode([Theme: Int].self, from: ["blue": 1]) }
    }

    private struct Tags: Codable {
        var numbers: Set<Int>?
        var byDate: [[Date: Int]]
    }

    @Test("Equal sets have one text, wherever they are, and so have equal dictionaries that are lists: what they hold is sorted")
    func unordered() throws {
        let one = Set(0..<50), byDate = Dictionary(uniqueKeysWithValues: one.map { (Date(timeIntervalSinceReferenceDate: Double($0)), $0) })
        // With room for more, so that what is equal comes in another order.
        var other = Set<Int>(minimumCapacity: 5_000), otherByDate = [Date: Int](minimumCapacity: 5_000)
        other.formUnion(one)
        otherByDate.merge(byDate) { $1 }
        #expect(Array(one) != Array(other) && byDate.map(\.value) != otherByDate.map(\.value))
        #expect(try text(one) == text(other))
        #expect(try text(byDate) == text(otherByDate))
        #expect(try text(Optional(one)) == text(Optional(other)))
        #expect(try text(["a": [one]]) == text(["a": [other]]))
        #expect(try text(Tags(numbers: one, byDate: [byDate])) == text(Tags(numbers: other, byDate: [otherByDate])))
        let sets: Set<Set<Int>> = [[7], one], others: Set<Set<Int>> = [other, [7]]
        #expect(try text(sets) == text(others))
        try expectBack(one)
        try expectBack(byDate)

        #expect(try text(Set([10, 9, 1])) == "[\n  1,\n  10,\n  9\n]")
        #expect(try text(Set(["a b", "a", "a\n"])) == "[\n  \"a b\",\n  \"a\",\n  \"a\\n\"\n]")
        #expect(try text([true: 1, false: 2]) == "[\n  false,\n  2,\n  true,\n  1\n]")
        #expect(try ItemDecoder.decode(Set<Int>.self, from: JSONValue.array([9, 1, 10])) == Set([1, 9, 10]))
        #expect(try ItemDecoder.decode([Bool: Int].self, from: JSONValue.array([true, 1, false, 2])) == [true: 1, false: 2])
    }

    struct Window: Codable, Equatable {
        struct Frame: Codable, Equatable { var x = 1.5, y = -2.0 }
        var title: String? = "Main"
        var subtitle: String?
        var frame = Frame()
        var tags: [String: [Frame?]] = ["a": [Frame(), nil]]
        var opened = Date(timeIntervalSinceReferenceDate: 700_000_000.123)
        var icon = Data([1, 2, 3])
    }
    struct Nothing: Codable, Equatable {}
    class Base: Codable { var a = 1 }

    @Test("Nested structs, optionals, lists and fragments come back")
    func nesting() throws {
        try expectBack(Window(), Window(title: nil, subtitle: "x"))
        try expectBack(Nothing())
        try expectBack([Int](), [1, 2])
        try expectBack([[Window()]])
        try expectBack(Int?.none, 5)
        try expectBack(true)
        #expect(try text(Int?.none) == "null")
    }

    final class Derived: Base, @unchecked Sendable {  // never mutated
        var b = 2
        enum Key: CodingKey { case b }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            b = try container.decode(Int.self, forKey: .b)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(b, forKey: .b)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("A class and its superclass come back")
    func inheritance() throws {
        let item = Derived()
        (item.a, item.b) = (7, 8)
        let back = try readBack(item)
        #expect((back.a, back.b) == (7, 8))
    }

    /// Encodes by hand what no synthesized code does.
    private struct ByHand: Encodable {
        enum Key: String, CodingKey { case a, b, accented = "e\u{301}", composed = "\u{E9}" }
        let body: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    private func compact(_ body: @escaping @Sendable (any Encoder) throws -> Void) throws -> String {
        try ItemEncoder.encode(ByHand(body: body)).description
    }

    @Test("Members are sorted by their bytes, and the last of a name counts")
    func memberOrder() throws {
        #expect(
            try compact {
                var container = $0.container(keyedBy: ByHand.Key.self)
                for (key, value) in [(ByHand.Key.b, 1), (.a, 2), (.b, 3)] { try container.encode(value, forKey: key) }
            } == #"{"a": 2, "b": 3}"#)
        let both = try ItemEncoder.text(
            ByHand {
                var container = $0.container(keyedBy: ByHand.Key.self)
                for key in [ByHand.Key.composed, .accented] { try container.encode(1, forKey: key) }
            })
        #expect(String(decoding: both, as: UTF8.self).utf8.elementsEqual("{\n  \"e\u{301}\": 1,\n  \"\u{E9}\": 1\n}".utf8))
    }

    @Test("A nested container that is asked for again goes on, as with Foundation's encoder")
    func nestedAgain() throws {
        func expect(_ text: String, _ body: @escaping @Sendable (inout KeyedEncodingContainer<ByHand.Key>) throws -> Void) throws {
            let encode: @Sendable (any Encoder) throws -> Void = {
                var container = $0.container(keyedBy: ByHand.Key.self)
                try body(&container)
            }
            #expect(try compact(encode) == text)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            #expect(String(decoding: try encoder.encode(ByHand(body: encode)), as: UTF8.self) == text.replacing(" ", with: ""))
        }
        try expect(#"{"a": {"a": 1, "b": 2}}"#) { container in
            for (key, value) in [(ByHand.Key.a, 1), (.b, 2)] {
                var nested = container.nestedContainer(keyedBy: ByHand.Key.self, forKey: .a)
                try nested.encode(value, forKey: key)
            }
        }
        try expect(#"{"a": [1, 2]}"#) { container in
            for value in 1...2 {
                var nested = container.nestedUnkeyedContainer(forKey: .a)
                try nested.encode(value)
            }
        }
        try expect(#"{"a": {"b": 2, "x": 1}}"#) { container in
            try container.encode(["x": 1], forKey: .a)
            var nested = container.nestedContainer(keyedBy: ByHand.Key.self, forKey: .a)
            try nested.encode(2, forKey: .b)
        }
    }

    private struct Spelled: Codable, Equatable {
        var a = 0
        var composed = 0
        var accented = 0
        enum CodingKeys: String, CodingKey { case a, composed = "\u{E9}", accented = "e\u{301}" }
    }

    @Test("Members are found by the bytes of their names, in any order and with escapes; the last of a name counts")
    func memberNames() throws {
        func decode<Item: Decodable>(_ type: Item.Type, _ text: String) throws -> Item { try ItemDecoder.decode(type, from: Array(text.utf8)) }
        let text = #"{"e\u0301": 3, "\u0061": 0, "b\n": [{"c": {}}], "\u00E9": 2, "a": 0, "z": "\"", "\u0061": 1}"#
        #expect(try decode(Spelled.self, text) == Spelled(a: 1, composed: 2, accented: 3))
        #expect(throws: DecodingError.self) { try decode(Spelled.self, "{\"a\": 1, \"\u{E9}\": 2}") }
        #expect(try decode([String: String].self, #"{"b\u000A": "\u0000", "a": "\ud83d\ude00\/", "": "x"}"#) == ["b\n": "\0", "a": "😀/", "": "x"])
        let names = (0..<2_000).map { "\($0 % 1_500)" }.shuffled()
        let last = Dictionary(zip(names, 0...)) { $1 }
        let object = names.enumerated().map { "\"\($1)\": \($0)" }.joined(separator: ",")
        #expect(try decode([String: Int].self, "{\(object)}") == last)
        #expect(try decode([Int: Int].self, "{\(object)}").count == 1_500)
    }

    private enum Accented: String, Codable { case e = "\u{E9}" }

    @Test("Of two names in a dictionary that are one key in Swift, the last in the text counts", arguments: [true, false])
    func oneKey(isComposedFirst: Bool) throws {
        let (first, second) = isComposedFirst ? ("\u{E9}", "e\u{301}") : ("e\u{301}", "\u{E9}")
        let text = Array("{\"\(first)\": 1, \"\(second)\": 2}".utf8)
        #expect(try ItemDecoder.decode([String: Int].self, from: text) == [first: 2])
        #expect(try ItemDecoder.decode([Accented: Int].self, from: text) == [Accented.e: 2])
        let members = try #require(JSONValue(parsing: text).objectValue)
        #expect(members.count == 1 && members.first?.key.utf8.elementsEqual(second.utf8) == true && members.first?.value == 2)
    }

    @Test(
        "An unpaired surrogate anywhere in the text is found, whether it is decoded or not",
        arguments: [
            #"{"a": 1, "b": "\ud800"}"#, #"{"a": 1, "\udc00": 1}"#, #"{"a": 1, "b": [{"\ud800\u0041": {}}]}"#,
        ])
    func unpairedSurrogate(text: String) {
        #expect { try ItemDecoder.decode([String: Int].self, from: Array(text.utf8)) } throws: { error in
            (error as? JSONSyntaxError)?.problem == JSONSyntaxError.unpairedSurrogate
        }
    }

    @Test("Containers are filled in any order, and one that is not filled is empty")
    func openContainers() throws {
        #expect(
            try compact {
                var container = $0.container(keyedBy: ByHand.Key.self)
                var list = container.nestedUnkeyedContainer(forKey: .b)
                try container.encode([true], forKey: .a)
                try list.encode(1)
                var inner = list.nestedContainer(keyedBy: ByHand.Key.self)
                try list.encode(list.count)
                try inner.encodeNil(forKey: .a)
                _ = container.superEncoder()
            } == #"{"a": [true], "b": [1, {"a": null}, 2], "super": {}}"#)
    }

    @Test("Encoding leaves nothing in memory")
    func leak() throws {
        final class Seen: @unchecked Sendable {  // used on one thread
            weak var outer: AnyObject?
            weak var inner: AnyObject?
        }
        let seen = Seen()
        let inner = ByHand {
            seen.inner = $0 as AnyObject
            var list = $0.unkeyedContainer()
            try list.encode([1])
        }
        _ = try ItemEncoder.text(
            ByHand {
                seen.outer = $0 as AnyObject
                var container = $0.container(keyedBy: ByHand.Key.self)
                try container.encode(inner, forKey: .a)
                #expect(seen.outer != nil && seen.inner != nil)
            })
        #expect(seen.outer == nil && seen.inner == nil)
    }

    @Test("An item that encodes nothing is refused, alone and as a member")
    func nothing() throws {
        #expect(throws: EncodingError.self) { try ItemEncoder.text(ByHand { _ in }) }
        #expect(throws: EncodingError.self) { try ItemEncoder.text(["a": ByHand { _ in }]) }
        #expect(throws: EncodingError.self) { try ItemEncoder.text(ByHand?.some(ByHand { _ in })) }
    }

    @Test("Containers nested too deep are refused, even if no item is in them", arguments: [505, 511, 512, 513, 600, 20_000])
    func deepContainers(depth: Int) throws {
        let item = ByHand {
            var containers = [$0.unkeyedContainer()]
            for _ in 1..<depth { containers.append(containers[containers.count - 1].nestedUnkeyedContainer()) }
        }
        let members = ByHand {
            var encoders: [any Encoder] = [$0]
            for _ in 1..<depth {
                var container = encoders[encoders.count - 1].container(keyedBy: ByHand.Key.self)
                encoders.append(container.superEncoder())
            }
            _ = encoders[encoders.count - 1].unkeyedContainer()
        }
        if depth < JSONValue.maximumDepth {
            #expect(try JSONValue(parsing: ItemEncoder.text(item)) == ItemEncoder.encode(item))
            #expect(try JSONValue(parsing: ItemEncoder.text(members)) == ItemEncoder.encode(members))
        } else {
            #expect(throws: EncodingError.self) { try ItemEncoder.text(item) }
            #expect(throws: EncodingError.self) { try ItemEncoder.text(members) }
        }
    }

    indirect enum Tree: Codable, Equatable { case leaf, node(Tree) }

    @Test("An item nested deeper than a file may be is refused when it is set, not when it is read")
    func depth() {
        var tree = Tree.leaf
        for _ in 0..<600 { tree = .node(tree) }
        #expect(throws: EncodingError.self) { try ItemEncoder.encode(tree) }
    }
}
