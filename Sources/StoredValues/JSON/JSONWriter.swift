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
        case .array(let elements):
            appendContainer("[", "]", of: elements, level: level) { writer, element in
                writer.append(element, level: level + 1)
            }
        case .object(let members):
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            appendContainer("{", "}", of: sorted, level: level) { writer, member in
                writer.append(quoted: member.key)
                writer.append(": ")
                writer.append(member.value, level: level + 1)
            }
        }
    }

    private mutating func appendContainer<Content>(
        _ opening: StaticString, _ closing: StaticString, of contents: [Content], level: Int,
        appendOne: (inout JSONWriter, Content) -> Void
    ) {
        append(opening)
        for (position, content) in contents.enumerated() {
            if position > 0 { append(onOneLine ? ", " : ",") }
            breakLine(level + 1)
            appendOne(&self, content)
        }
        if !contents.isEmpty { breakLine(level) }
        append(closing)
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
        text.append(UInt8(ascii: "\""))
    }
}
