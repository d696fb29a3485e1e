/// Why a text is not JSON, and where. It never contains any of the text, which may be a secret.
package struct JSONSyntaxError: Error, Equatable, CustomStringConvertible {
    /// A string that is valid JSON, but not valid Unicode. It makes its value unreadable, not the file.
    package static let unpairedSurrogate = "an unpaired surrogate"
    static let tooDeep = "more than \(JSONValue.maximumDepth) levels of nesting"

    package let problem: String
    /// Counted from 1, as editors do.
    let line: Int
    /// Counted from 1 in Unicode scalars, without a byte order mark.
    package let column: Int

    package var description: String { "\(problem) at line \(line), column \(column)" }
}

/// Scans JSON text (RFC 8259) and checks it. `skip` methods move past one element and return where it ends.
struct JSONScanner {
    let bytes: [UInt8]
    private(set) var index = 0
    /// The values and the names of members for a ``JSONIndex``; nil if none is made.
    var tokens: [JSONIndex.Token]?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Checks that the whole text is UTF-8, as RFC 8259 requires.
    func checkEncoding() throws(JSONSyntaxError) {
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            throw failure("the text is \(isUTF16 ? "UTF-16" : "not UTF-8"); save it as UTF-8", at: error.byteOffsets.lowerBound)
        }
    }

    /// Checks that only white space is left.
    mutating func checkEnd() throws(JSONSyntaxError) {
        skipWhitespace()
        guard next == nil else { throw failure(unless: "more text after the end of the value") }
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

    /// What people write by habit that is not JSON, and the problem that is reported.
    private static let habits = [
        ("//", "a comment (JSON has none)"), ("/*", "a comment (JSON has none)"), ("#", "a comment (JSON has none)"),
        ("'", "single quotes (use double quotes)"), ("True", "a capital letter (write true)"), ("False", "a capital letter (write false)"),
        ("None", "a word that JSON does not have (write null)"),
    ]

    /// The failure for a habit if one comes next, else for `problem`.
    func failure(unless problem: String) -> JSONSyntaxError {
        let last = bytes[..<index].lastIndex { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
        if let last, bytes[last] == UInt8(ascii: ","), next == UInt8(ascii: "}") || next == UInt8(ascii: "]") {
            return failure("a comma before the closing bracket", at: last)
        }
        return failure(Self.habits.first { bytes[index...].starts(with: $0.0.utf8) }?.1 ?? problem)
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
        guard skip(end) else { throw failure(unless: "expected a comma or the closing bracket") }
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
        let token = tokens?.count ?? 0
        switch next {
        case UInt8(ascii: "{")?, UInt8(ascii: "[")?:
            let (isObject, end) = (bytes[start] == UInt8(ascii: "{"), bytes[start] + 2)  // the code of either closing bracket is higher by 2
            try enter(depth)
            guard !skipEmpty(end) else { break }
            repeat {
                if isObject {
                    _ = try skipString()
                    try skipColon()
                }
                _ = try skipValue(depth: depth + 1)
            } while try skipSeparator(orEnd: end)
        case UInt8(ascii: "\""):
            _ = try skipString()
            return start..<index
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        case nil: throw failure("the text ends where a value is expected")
        default: try skipNumber()
        }
        note(from: start, at: token)
        return start..<index
    }

    /// Notes a token from `start` to here: a new one, or the one at `position` again after its contents were noted.
    private mutating func note(from start: Int, at position: Int? = nil, isEscaped: Bool = false) {
        guard let count = tokens?.count else { return }
        let position = position ?? count
        let token = JSONIndex.Token(range: (start..<index).compact, next: UInt32(truncatingIfNeeded: max(count, position + 1)), isEscaped: isEscaped)
        if position == count { tokens?.append(token) } else { tokens?[position] = token }
    }

    /// Moves past an opening bracket, unless it is nested too deep.
    mutating func enter(_ depth: Int) throws(JSONSyntaxError) {
        guard depth < JSONValue.maximumDepth else { throw failure(JSONSyntaxError.tooDeep) }
        note(from: index)
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

    mutating func skipNumber() throws(JSONSyntaxError) {
        _ = skip(UInt8(ascii: "-"))
        guard let first = next, isDigit(first) else { throw failure(unless: "expected a value") }
        if first == UInt8(ascii: "0") { index += 1 } else { try skipDigits() }
        if skip(UInt8(ascii: ".")) { try skipDigits() }
        if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
            index += 1
            if !skip(UInt8(ascii: "-")) { _ = skip(UInt8(ascii: "+")) }
            try skipDigits()
        }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        guard let byte = next, isDigit(byte) else { throw failure("expected a digit") }
        while let byte = next, isDigit(byte) { index += 1 }
    }

    /// Moves past a string. Returns the range of its text, without the quotes, and whether it has escapes.
    mutating func skipString() throws(JSONSyntaxError) -> (text: Range<Int>, escaped: Bool) {
        guard skip(UInt8(ascii: "\"")) else { throw failure(unless: "expected a string") }
        let start = index
        var escaped = false
        var half: Int?  // matters only if the string is read, as from an index
        while true {
            var end = index
            while end < bytes.count, !JSONWriter.mustEscape(bytes[end]) { end += 1 }
            index = end
            switch next {
            case UInt8(ascii: "\""):
                index += 1
                if let half, tokens != nil { throw failure(JSONSyntaxError.unpairedSurrogate, at: half) }
                note(from: start - 1, isEscaped: escaped)
                return (start..<end, escaped)
            case UInt8(ascii: "\\"):
                escaped = true
                if try skipEscape() == nil, half == nil { half = index }
            case nil: throw failure("an unterminated string", at: start - 1)
            default: throw failure("a control character inside a string; write it as \\u00XX")
            }
        }
    }

    /// Moves past an escape and returns its character; nil for an unpaired surrogate, which JSON allows and Python's `json` writes.
    mutating func skipEscape() throws(JSONSyntaxError) -> Unicode.Scalar? {
        index += 1
        guard let byte = next else { throw failure("an unterminated string") }
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

    /// The string whose escaped text is at `text`, and was skipped before. Throws only for an unpaired surrogate.
    func unescape(_ text: Range<Int>) throws -> String {
        try String(unsafeUninitializedCapacity: text.count) { plain in
            var (rest, count) = (self, 0)
            rest.index = text.lowerBound
            while rest.index < text.upperBound, let byte = rest.next {
                if byte == UInt8(ascii: "\\") {
                    guard let scalar = try rest.skipEscape() else { throw failure(JSONSyntaxError.unpairedSurrogate) }
                    count = plain[count...].update(fromContentsOf: String(scalar).utf8)
                } else {
                    plain[count] = byte
                    count += 1
                    rest.index += 1
                }
            }
            return count
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
