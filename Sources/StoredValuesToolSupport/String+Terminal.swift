import StoredValuesSupport

// Text for a terminal.

extension String {
    /// The text with control characters escaped. Line breaks and tabs stay.
    package var withoutControls: String { escaped(\.spelled) { $0.steersTerminals && $0 != "\n" && $0 != "\t" } }

    /// The text with everything escaped that may end a line or column, so that no name looks like two lines.
    package var onOneLine: String { escaped(\.spelled, where: \.mayEndLine) }

    /// JSON with these scalars escaped, which occur only in its strings. Its line breaks stay.
    package func escapedJSON(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        escaped(\.spelledInJSON) { isEscaped($0) && $0 != "\n" }
    }

    private func escaped(_ spelling: (Unicode.Scalar) -> String, where isEscaped: (Unicode.Scalar) -> Bool) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if isEscaped(scalar) { text += spelling(scalar) } else { text.unicodeScalars.append(scalar) }
        }
    }

    /// The width in columns: East Asian characters and emoji take two.
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The text padded with spaces to at least `width` columns.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - columns))
    }

    /// The text truncated to `width` columns, with … at the end.
    package func cut(to width: Int) -> String {
        guard columns > width else { return self }
        var kept = ""
        var used = 1  // of the …
        for character in self {
            used += character.columns
            guard used <= width else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}

extension Int {
    /// The number with its noun: 1 item, 2 items.
    package func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}

extension Unicode.Scalar {
    fileprivate var spelledInJSON: String { "\\u" + "000\(String(value, radix: 16))".suffix(4) }  // no scalar that is escaped has more

    /// As in Swift source.
    fileprivate var spelled: String {
        switch self {
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        default: "\\u{\(String(value, radix: 16))}"
        }
    }
}

extension Character {
    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        return Self.wide.contains { $0.contains(first.value) } || unicodeScalars.contains("\u{FE0F}") ? 2 : 1
    }

    /// The blocks of wide characters, roughly (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
