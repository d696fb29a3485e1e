// Text as other programs read it: byte by byte. For Swift, a slash followed by a combining accent is not a slash, and two
// strings that look alike are equal.

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension String {
    /// The text after `prefix`, or nil if the text does not begin with it.
    package func after(prefix: String) -> String? {
        utf8.starts(with: prefix.utf8) ? String(Substring(utf8.dropFirst(prefix.utf8.count))) : nil
    }

    /// The text before `suffix`, or nil if the text does not end with it.
    package func before(suffix: String) -> String? {
        utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
            ? String(Substring(utf8.dropLast(suffix.utf8.count))) : nil
    }

    /// The parts between these ASCII characters, without the empty ones.
    package func parts(separatedBy separator: Unicode.Scalar) -> [String] {
        utf8.split(separator: UInt8(ascii: separator)).map { String(Substring($0)) }
    }

    /// The text with every occurrence of this ASCII character replaced.
    package func replacing(_ scalar: Unicode.Scalar, by replacement: String) -> String {
        unicodeScalars.reduce(into: "") { text, next in
            if next == scalar { text += replacement } else { text.unicodeScalars.append(next) }
        }
    }

    /// Whether the text contains this ASCII character.
    package func has(_ scalar: Unicode.Scalar) -> Bool { utf8.contains(UInt8(ascii: scalar)) }

    /// Whether the text begins with this ASCII character.
    package func begins(with scalar: Unicode.Scalar) -> Bool { utf8.first == UInt8(ascii: scalar) }

    /// The first `limit` scalars of a text from another process, with a space for each that ends a line or controls a terminal.
    package func asOneLine(upTo limit: Int) -> String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(limit).map { $0.steersTerminals ? " " : $0 }))
    }

    /// Whether both are the same bytes.
    package func isIdentical(to other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withCString { left in other.withCString { memcmp(left, $0, utf8.count) == 0 } }  // by pointers, which is far faster
    }
}

extension Int {
    /// The decimal text. `description` takes three times as long.
    package var digits: [UInt8] {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in  // the smallest number has as many, and a sign
            var start = digits.count, rest = magnitude
            func put(_ digit: UInt8) {
                start -= 1
                digits.initializeElement(at: start, to: digit)
            }
            repeat {
                put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            } while rest > 0
            if self < 0 { put(UInt8(ascii: "-")) }
            return Array(digits[start...])
        }
    }
}

extension Unicode.Scalar {
    /// Whether it does more in a terminal than being displayed: controls (also those of C1, from U+0080 on), and changes of the
    /// writing direction.
    package var steersTerminals: Bool { mayEndLine || properties.isBidiControl }

    /// Whether a program or a terminal may treat it as the end of a line or column.
    package var mayEndLine: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
