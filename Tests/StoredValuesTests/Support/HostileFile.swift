@testable import StoredValues

/// A preferences file that nobody expects, and what must become of it.
struct HostileFile: Sendable, CustomStringConvertible {
    /// What a program that declares "n", an Int with the default -1, gets to see.
    enum Outcome: Sendable {
        /// The file is read; "n" is this, and the members that nobody declares are kept.
        case read(n: Int)
        /// The file is no JSON, for this reason.
        case rejected(JSONSyntaxError)
    }

    let description: String
    let bytes: [UInt8]
    let outcome: Outcome

    private init(_ description: String, _ bytes: [UInt8], _ outcome: Outcome) {
        self.description = description
        self.bytes = bytes
        self.outcome = outcome
    }

    private static func read(_ description: String, _ bytes: [UInt8], n: Int = 7) -> HostileFile {
        HostileFile(description, bytes, .read(n: n))
    }

    private static func read(_ description: String, _ text: String, n: Int = 7) -> HostileFile {
        read(description, Array(text.utf8), n: n)
    }

    private static func rejected(
        _ description: String, _ bytes: [UInt8], _ problem: String, line: Int = 1, column: Int
    ) -> HostileFile {
        HostileFile(description, bytes, .rejected(JSONSyntaxError(problem: problem, line: line, column: column)))
    }

    private static func rejected(
        _ description: String, _ text: String, _ problem: String, line: Int = 1, column: Int
    ) -> HostileFile {
        rejected(description, Array(text.utf8), problem, line: line, column: column)
    }

    /// `{"n": 7, "s": "` and `bytes` and `"}`: the bytes stand in a value that nobody declares, from column 16 on.
    private static func inValue(_ bytes: [UInt8]) -> [UInt8] {
        Array(#"{"n": 7, "s": ""#.utf8) + bytes + Array(#""}"#.utf8)
    }

    static let all = wellFormed + encodings + escapes + nesting + numbers + otherDialects + otherShapes

    /// Those that take no time.
    static let small = all.filter { $0.bytes.count < 100_000 }

    private static let wellFormed = [
        read("a member twice: the last counts", #"{"n": 1, "s": 0, "n": 7}"#),
        read("a member twice, once with an escape in its name", #"{"n": 1, "\u006e": 7}"#),
        read("a byte order mark", "\u{FEFF}{\"n\": 7}"),
        read("CRLF, tabs and a lone CR", "{\r\n\t\"n\":\t7\r\n\r}\r\n"),
        read("no white space at all", #"{"s":[1,{"a":null}],"n":7}"#),
        read("an empty key", #"{"": 1, "n": 7}"#),
        read("reserved members of a kind from the future", #"{"$": 0, "$future": [{"a": 1.0}], "n": 7}"#),
        read("odd names", #"{"\"": 1, "\\": 2, "/": 3, "\/\/": 4, "\u0000\u001f\b\f": 5, "\#u{7F}\#u{85}\#u{2028}\#u{FEFF}": 6, "n": 7}"#),
        read("names that look alike", "{\"\u{E9}\": 1, \"e\u{301}\": 2, \"\u{C5}\": 3, \"\u{212B}\": 4, \"n\": 7}"),
        read("a name that goes on with a combining character", "{\"n\u{301}\": 1, \"n\": 7, \"$\u{301}\": 2}"),
        read("a name of 1 MB", "{\"\(String(repeating: "k", count: 1 << 20))\": 1, \"n\": 7}"),
        read("100,000 members", "{" + (0..<100_000).map { "\"k\(100_000 + $0)\":\($0)," }.joined() + "\"n\":7}"),
        read("100,000 members in disorder", "{\"n\":7" + (0..<100_000).map { ",\"\($0 * 7919 % 100_003)\":0" }.joined() + "}"),
        read("10,000 times the same member", "{" + String(repeating: "\"n\":1,", count: 10_000) + "\"n\":7}"),
    ]

    private static let encodings = [
        rejected("UTF-16, little-endian", [0xFF, 0xFE] + utf16(#"{"n": 7}"#), utf16Problem, column: 1),
        rejected("UTF-16, big-endian", [0xFE, 0xFF] + utf16(#"{"n": 7}"#, bigEndian: true), utf16Problem, column: 1),
        rejected("UTF-16 without a mark", utf16(#"{"n": 7}"#), "expected a string", column: 2),
        rejected("two byte order marks", "\u{FEFF}\u{FEFF}{\"n\": 7}", "expected an object, which begins with {", column: 1),
        rejected(
            "a byte that is no UTF-8 in a name", Array("{\n  \"n\": 7,\n  \"näme".utf8) + [0xFF] + Array("\": 1}".utf8),
            utf8Problem, line: 3, column: 8),
        rejected(
            "a byte that is no UTF-8 in a value that is read", Array("{\"n\": \"".utf8) + [0xFF] + Array("\"}".utf8),
            utf8Problem, column: 8),
        rejected("Latin-1", inValue([0xE4, 0x20]), utf8Problem, column: 16),
        rejected("an overlong slash", inValue([0xC0, 0xAF]), utf8Problem, column: 16),
        rejected("a longer overlong slash", inValue([0xE0, 0x80, 0xAF]), utf8Problem, column: 16),
        rejected("the longest overlong slash", inValue([0xF0, 0x80, 0x80, 0xAF]), utf8Problem, column: 16),
        rejected("beyond Unicode", inValue([0xF4, 0x90, 0x80, 0x80]), utf8Problem, column: 16),
        rejected("half a surrogate pair as UTF-8", inValue([0xED, 0xA0, 0x80]), utf8Problem, column: 16),
        rejected("a lone continuation byte", inValue([0x80]), utf8Problem, column: 16),
        rejected("a NUL in a value", inValue([0]), "a control character inside a string; write it as \\u00XX", column: 16),
        rejected("a NUL between members", "{\"n\": 7,\0\"s\": 1}", "expected a string", column: 9),
        rejected("a NUL after the end", "{\"n\": 7}\n\0", "more text after the end of the value", line: 2, column: 1),
        rejected("nothing but zeros, as after a power cut", [UInt8](repeating: 0, count: 4096), "expected an object, which begins with {", column: 1),
    ]

    private static let escapes = [
        read("escapes of every kind", #"{"s": "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000\uFFFE", "n": 7}"#),
        read("a lone high surrogate", #"{"n": 7, "s": "\ud800"}"#),
        read("a lone low surrogate", #"{"n": 7, "s": ["\udc00"]}"#),
        read("a surrogate pair the wrong way round", #"{"n": 7, "s": "\ude00\ud83d"}"#),
        read("two high surrogates before a low one", #"{"n": 7, "s": "\ud83d\ud83d\ude00"}"#),
        read("a lone surrogate before other escapes", #"{"n": 7, "s": "\ud800\n\u0041\ud800\"\ud800"}"#),
        read("a lone surrogate in a name", #"{"n": 7, "\ud800": 1}"#),
        read("a lone surrogate in the value that is read", #"{"n": {"a": "\ud800"}, "s": 1}"#, n: -1),
        rejected("a cut escape behind a lone surrogate", #"{"n": 7, "s": "\ud800\u00"}"#, "expected four hexadecimal digits after \\u", column: 26),
        rejected("an unknown escape", #"{"n": 7, "s": "\x41"}"#, "an unknown escape", column: 18),
        rejected("a cut escape", #"{"n": 7, "s": "\u00e"}"#, "expected four hexadecimal digits after \\u", column: 21),
        rejected("full-width digits in an escape", #"{"n": 7, "s": "\u００４１"}"#, "expected four hexadecimal digits after \\u", column: 18),
        rejected("a line break in a string", "{\"n\": 7, \"s\": \"a\nb\"}", "a control character inside a string; write it as \\u00XX", column: 17),
        rejected("a string without an end", "{\"n\": 7,\n \"s\": \"a}", "an unterminated string", line: 2, column: 7),
    ]

    private static let nesting = [
        read("512 levels", "{\"n\": 7, \"s\": \(nested("[", "]", 511))}"),
        rejected("10,000 lists in each other", "{\"n\": 7, \"s\": \(nested("[", "]", 10_000))}", tooDeep, column: 15 + 511),
        rejected("10,000 objects in each other", "{\"n\": 7, \"s\": \(nested(#"{"a":"#, "}", 10_000, inside: "1"))}", tooDeep, column: 15 + 511 * 5),
        rejected("10,000 levels of both", "{\"n\": 7, \"s\": \(nested(#"[{"a":"#, "}]", 5_000, inside: "1"))}", tooDeep, column: 15 + 255 * 6 + 1),
        rejected("10,000 opening brackets", "{\"n\": 7, \"s\": " + String(repeating: "[", count: 10_000), tooDeep, column: 15 + 511),
        rejected("as many levels in the value that is read", "{\"n\": \(nested("[", "]", 10_000))}", tooDeep, column: 7 + 511),
    ]

    private static let numbers = [
        read("numbers that no type holds", "{\"s\": [1e999999, -1E-999999, \(String(repeating: "9", count: 400)), 0.\(String(repeating: "0", count: 400))1], \"n\": 7}"),
        read("a number too large for the value that is read", #"{"n": 1e999999}"#, n: -1),
        read("400 digits in the value that is read", "{\"n\": \(String(repeating: "9", count: 400))}", n: -1),
        read("a whole number with an exponent", #"{"n": 0.7e1}"#),
        rejected("a leading zero", #"{"n": 07}"#, "expected a comma or the closing bracket", column: 8),
        rejected("no digit before the point", #"{"n": .5}"#, "expected a value", column: 7),
        rejected("no digit after the point", #"{"n": 5.}"#, "expected a digit", column: 9),
        rejected("a minus sign alone", #"{"n": -}"#, "expected a value", column: 8),
        rejected("a plus sign", #"{"n": +7}"#, "expected a value", column: 7),
        rejected("an exponent without digits", #"{"n": 7e}"#, "expected a digit", column: 9),
        rejected("a hexadecimal number", #"{"n": 0x7}"#, "expected a comma or the closing bracket", column: 8),
        rejected("Arabic digits", #"{"n": ٧}"#, "expected a value", column: 7),
        rejected("NaN", #"{"n": NaN}"#, "expected a value", column: 7),
        rejected("Infinity", #"{"n": -Infinity}"#, "expected a value", column: 8),
    ]

    private static let otherDialects = [
        rejected("a comma after the last member", "{\n  \"n\": 7,\n}\n", "a comma before the closing bracket", line: 2, column: 9),
        rejected("a comma after the last element", #"{"s": [1, ], "n": 7}"#, "a comma before the closing bracket", column: 9),
        rejected("a comma alone", #"{"s": [,], "n": 7}"#, "expected a value", column: 8),
        rejected("a comment to the end of the line", "{\n  // seven\n  \"n\": 7\n}", "a comment (JSON has none)", line: 2, column: 3),
        rejected("a comment in brackets", "{\"n\": /* ä */ 7}", "a comment (JSON has none)", column: 7),
        rejected("a comment after the value", "{\"n\": 7 # seven\n}", "a comment (JSON has none)", column: 9),
        rejected("a comment before all", "// seven\n{\"n\": 7}", "a comment (JSON has none)", column: 1),
        rejected("a comment behind all", "{\"n\": 7} // seven", "a comment (JSON has none)", column: 10),
        rejected("a path without quotes", "{\"s\": /usr}", "expected a value", column: 7),
        rejected("single quotes", "{'n': 7}", "single quotes (use double quotes)", column: 2),
        rejected("single quotes around a value", "{\"s\": 'x'}", "single quotes (use double quotes)", column: 7),
        rejected("names without quotes", "{n: 7}", "expected a string", column: 2),
        rejected("Python's true", #"{"s": True, "n": 7}"#, "a capital letter (write true)", column: 7),
        rejected("Python's false", #"{"s": [False], "n": 7}"#, "a capital letter (write false)", column: 8),
        rejected("Python's null", #"{"s": None, "n": 7}"#, "a word that JSON does not have (write null)", column: 7),
        rejected("a word that goes on", #"{"s": nullable, "n": 7}"#, "expected a comma or the closing bracket", column: 11),
        rejected("a vertical tab for white space", "{\u{B}\"n\": 7}", "expected a string", column: 2),
        rejected("a no-break space for white space", "{\u{A0}\"n\": 7}", "expected a string", column: 2),
        rejected("a missing comma, behind text in many scripts", "{\"s\": \"äö漢字😀\" \"n\": 7}", "expected a comma or the closing bracket", column: 15),
        rejected("a missing comma after a byte order mark", "\u{FEFF}{\"s\": 1 \"n\": 7}", "expected a comma or the closing bracket", column: 9),
        rejected("a missing comma behind CRLF", "{\r\n\"s\": 1\r\n\"n\": 7}", "expected a comma or the closing bracket", line: 3, column: 1),
    ]

    private static let otherShapes = [
        rejected("nothing", "", "expected an object, which begins with {", column: 1),
        rejected("white space only", " \n ", "expected an object, which begins with {", line: 2, column: 2),
        rejected("a list", #"["n", 7]"#, "expected an object, which begins with {", column: 1),
        rejected("a number", "7", "expected an object, which begins with {", column: 1),
        rejected("two objects", #"{"n": 7}{"n": 8}"#, "more text after the end of the value", column: 9),
        rejected("half a file", "{\n  \"n\": 7,\n  \"s\": [1", "expected a comma or the closing bracket", line: 3, column: 10),
        rejected("a file that ends after a colon", #"{"n":"#, "the text ends where a value is expected", column: 6),
    ]

    private static let utf8Problem = "the text is not UTF-8; save it as UTF-8"
    private static let utf16Problem = "the text is UTF-16; save it as UTF-8"
    private static let tooDeep = "more than 512 levels of nesting"

    private static func nested(_ opening: String, _ closing: String, _ depth: Int, inside: String = "") -> String {
        String(repeating: opening, count: depth) + inside + String(repeating: closing, count: depth)
    }

    private static func utf16(_ text: String, bigEndian: Bool = false) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            return bigEndian ? bytes.reversed() : bytes
        }
    }
}
