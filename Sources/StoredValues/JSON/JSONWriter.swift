extension JSONValue {
    /// The value as readable text: sorted members, two spaces per level, slashes not escaped.
    ///
    /// - Parameter level: The depth of the value in the file, by which its later lines are indented.
    func text(level: Int = 0) -> [UInt8] {
        var writer = JSONWriter()
        writer.append(self, level: level)
        return writer.text
    }

    /// The value as JSON with sorted members: on one line, or indented over several.
    package func text(onOneLine: Bool) -> String {
        var writer = JSONWriter(onOneLine: onOneLine)
        writer.append(self, level: 0)
        return String(decoding: writer.text, as: UTF8.self)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON on one line, with sorted members.
    public var description: String { text(onOneLine: true) }
}

/// Builds JSON text.
struct JSONWriter {
    private(set) var text: [UInt8] = []
    /// The level of the most deeply nested container.
    private(set) var deepest = 0
    /// Whether containers are written without line breaks.
    private let onOneLine: Bool

    init(onOneLine: Bool = false) { self.onOneLine = onOneLine }

    mutating func reserveCapacity(_ size: Int) { text.reserveCapacity(size) }

    mutating func append(_ value: JSONValue, level: Int) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .number(let number): text.append(contentsOf: number.text.utf8)
        case .string(let string): append(quoted: string)
        case .array(let elements): appendContainer("[", "]", of: elements, level) { $0.append($1, level: level + 1) }
        case .object(let members): appendMembers(members.map { ($0, $1) }, level) { $0.append($1, level: level + 1) }
        }
    }

    /// Appends an object with sorted members; the last of a name counts.
    mutating func appendMembers<Part>(
        _ members: [(name: String, part: Part)], _ level: Int, _ append: (inout JSONWriter, Part) -> Void
    ) {
        func isBefore(_ left: Int, _ right: Int) -> Bool {
            var (left, right) = (members[left].name, members[right].name)
            return left.withUTF8 { left in right.withUTF8 { right in left.lexicographicallyPrecedes(right) } }
        }
        let sorted = members.indices.sorted { isBefore($0, $1) || $0 < $1 && !isBefore($1, $0) }
        let last = sorted.indices.filter { $0 + 1 == sorted.count || isBefore(sorted[$0], sorted[$0 + 1]) }
        appendContainer("{", "}", of: last, level) { writer, position in
            writer.append(quoted: members[sorted[position]].name)
            writer.append(": ")
            append(&writer, members[sorted[position]].part)
        }
    }

    mutating func appendContainer<Content>(
        _ opening: StaticString, _ closing: StaticString, of contents: [Content], _ level: Int,
        _ append: (inout JSONWriter, Content) -> Void
    ) {
        deepest = max(deepest, level)
        self.append(opening)
        for (position, content) in contents.enumerated() {
            if position > 0 { self.append(onOneLine ? ", " : ",") }
            breakLine(level + 1)
            append(&self, content)
        }
        if !contents.isEmpty { breakLine(level) }
        self.append(closing)
    }

    mutating func append(_ literal: StaticString) {
        text.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    mutating func append(_ bytes: ArraySlice<UInt8>) { text.append(contentsOf: bytes) }

    private mutating func breakLine(_ level: Int) {
        guard !onOneLine else { return }
        append("\n")
        indent(level)
    }

    mutating func indent(_ level: Int) { text.append(contentsOf: repeatElement(0x20, count: 2 * level)) }

    /// Whether JSON requires that a byte of a string is escaped: quotes, backslashes and control characters.
    static func mustEscape(_ byte: UInt8) -> Bool { byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }

    /// Appends a string in quotes, escaping only what JSON requires.
    mutating func append(quoted string: String) {
        text.append(UInt8(ascii: "\""))
        defer { text.append(UInt8(ascii: "\"")) }
        var string = string
        let isPlain = string.withUTF8 { bytes in
            guard !bytes.contains(where: Self.mustEscape) else { return false }
            text.append(contentsOf: bytes)
            return true
        }
        if isPlain { return }
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x0A: append("\\n")
            case 0x0D: append("\\r")
            case 0x09: append("\\t")
            case ..<0x20:
                append(byte < 0x10 ? "\\u000" : "\\u001")
                text.append(contentsOf: String(byte & 0xF, radix: 16).utf8)
            default: text.append(byte)
            }
        }
    }
}
