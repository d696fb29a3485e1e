/// Why a text is not JSON, and where. It never contains any of the text, which may be a secret.
package struct JSONSyntaxError: Error, Equatable, CustomStringConvertible {
    /// A string that is valid JSON, but not valid Unicode. It makes its value unreadable, not the file.
    static let halfOfPair = "half of a surrogate pair"
    static let tooDeep = "more than \(JSONValue.maximumDepth) levels of nesting"

    let problem: String
    /// Counted from 1, as editors do.
    let line: Int
    /// Counted from 1 in Unicode scalars, without a byte order mark.
    let column: Int

    package var description: String { "\(problem) at line \(line), column \(column)" }
}

/// Scans JSON text (RFC 8259) and checks it, without building values.
///
/// `skip` methods move past one element and return where it ends; ``parseValue()`` (in `JSONScanner+Values.swift`) builds
/// values on top.
struct JSONScanner {
    let bytes: [UInt8]
    private(set) var index: Int
    /// Where an object has a name that it has already in another spelling; nil where none was found.
    var twin: JSONSyntaxError?

    init(_ bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        index = start
    }

    /// How many bytes at the start are a byte order mark, which some editors write.
    var byteOrderMarkCount: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// The next byte, or nil at the end.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    func failure(_ problem: String, at position: Int? = nil) -> JSONSyntaxError {
        let before = bytes[byteOrderMarkCount..<max(byteOrderMarkCount, position ?? index)]
        let line = before.suffix(from: (before.lastIndex(of: UInt8(ascii: "\n")) ?? before.startIndex - 1) + 1)
        return JSONSyntaxError(
            problem: problem,
            line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            // All bytes of a character except the first are 10xxxxxx.
            column: line.count { $0 & 0b1100_0000 != 0b1000_0000 } + 1
        )
    }

    mutating func skipByteOrderMark() { index = byteOrderMarkCount }

    mutating func skipWhitespace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    /// Moves past `byte` if it comes next.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    /// Moves past a comma and returns true, or past `end` and returns false.
    mutating func skipSeparator(orEnd end: UInt8) throws(JSONSyntaxError) -> Bool {
        skipWhitespace()
        if skip(UInt8(ascii: ",")) {
            skipWhitespace()
            return true
        }
        guard skip(end) else { throw failure("expected a comma or the closing bracket") }
        return false
    }

    /// Moves past `: ` between a member's name and its value.
    mutating func skipColon() throws(JSONSyntaxError) {
        skipWhitespace()
        guard skip(UInt8(ascii: ":")) else { throw failure("expected a colon after the member's name") }
        skipWhitespace()
    }

    /// Moves past one value and returns its range.
    mutating func skipValue(depth: Int = 0) throws(JSONSyntaxError) -> Range<Int> {
        let start = index
        switch next {
        case UInt8(ascii: "{"):
            try enter(depth)
            guard !skipEmpty(UInt8(ascii: "}")) else { break }
            repeat {
                _ = try skipString()
                try skipColon()
                _ = try skipValue(depth: depth + 1)
            } while try skipSeparator(orEnd: UInt8(ascii: "}"))
        case UInt8(ascii: "["):
            try enter(depth)
            guard !skipEmpty(UInt8(ascii: "]")) else { break }
            repeat {
                _ = try skipValue(depth: depth + 1)
            } while try skipSeparator(orEnd: UInt8(ascii: "]"))
        case UInt8(ascii: "\""): _ = try skipString()
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        case nil: throw failure("the text ends where a value is expected")
        default: _ = try skipNumber()
        }
        return start..<index
    }

    /// Moves past an opening bracket, unless it is nested too deep.
    mutating func enter(_ depth: Int) throws(JSONSyntaxError) {
        guard depth < JSONValue.maximumDepth else { throw failure(JSONSyntaxError.tooDeep) }
        index += 1
    }

    /// Moves past the closing bracket of an empty container.
    mutating func skipEmpty(_ end: UInt8) -> Bool {
        skipWhitespace()
        return skip(end)
    }

    mutating func skipWord(_ word: StaticString) throws(JSONSyntaxError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[offset] else { throw failure("expected a value") }
            index += 1
        }
    }

    /// Moves past a number and returns its end.
    mutating func skipNumber() throws(JSONSyntaxError) -> Int {
        _ = skip(UInt8(ascii: "-"))
        guard let first = next, isDigit(first) else { throw failure("expected a value") }
        if first == UInt8(ascii: "0") { index += 1 } else { skipDigits() }
        if skip(UInt8(ascii: ".")) { try skipRequiredDigits() }
        if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
            index += 1
            if !skip(UInt8(ascii: "-")) { _ = skip(UInt8(ascii: "+")) }
            try skipRequiredDigits()
        }
        return index
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private mutating func skipDigits() {
        while let byte = next, isDigit(byte) { index += 1 }
    }

    private mutating func skipRequiredDigits() throws(JSONSyntaxError) {
        guard let byte = next, isDigit(byte) else { throw failure("expected a digit") }
        skipDigits()
    }

    /// Moves past a string. Returns the range of its text, without the quotes, and whether it has escapes.
    mutating func skipString() throws(JSONSyntaxError) -> (text: Range<Int>, escaped: Bool) {
        guard skip(UInt8(ascii: "\"")) else { throw failure("expected a string") }
        let start = index
        var escaped = false
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return (start..<(index - 1), escaped)
            case UInt8(ascii: "\\"):
                escaped = true
                _ = try skipEscape()
            case ..<0x20:
                throw failure("a control character inside a string; write it as \\u00XX")
            default:
                index += 1
            }
        }
        throw failure("a string that does not end", at: start - 1)
    }

    /// Moves past an escape and returns its character; nil for half of a surrogate pair, which Python's `json` writes and JSON
    /// allows, but which is not a character.
    mutating func skipEscape() throws(JSONSyntaxError) -> Unicode.Scalar? {
        index += 1
        guard let byte = next else { throw failure("a string that does not end") }
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"):
            let unit = try skipHexadecimal()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            let end = index
            if unit < 0xDC00, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
                let low = try skipHexadecimal()
                if (0xDC00..<0xE000).contains(low) { return Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)) }
            }
            index = end  // the next escape is scanned by itself
            return nil
        default: throw failure("an unknown escape")
        }
    }

    private mutating func skipHexadecimal() throws(JSONSyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("expected four hexadecimal digits after \\u")
            }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }
}
