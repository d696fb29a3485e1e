import StoredValuesSupport

extension JSONValue {
    /// The value as readable text: sorted members, two spaces per level, slashes not escaped. `level` is its depth in the file.
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

struct JSONWriter {
    private(set) var text: [UInt8] = []
    /// Whether containers are written without line breaks.
    private let onOneLine: Bool

    init(onOneLine: Bool = false) { self.onOneLine = onOneLine }

    mutating func reserveCapacity(_ size: Int) { text.reserveCapacity(size) }

    /// For text that is no longer needed and may contain a part of a secret.
    mutating func wipeText() { text.withUnsafeMutableBytes(wipe) }

    mutating func append(_ value: JSONValue, level: Int) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .number(let number):
            var text = number.text
            text.withUTF8 { append($0) }
        case .string(let string): append(quoted: string)
        case .array(let elements): appendContainer("[", "]", elements.indices, level) { $0.append(elements[$1], level: level + 1) }
        case .object(let members):
            let members = Array(members)
            appendMembers(members.map(\.key), level) { $0.append(members[$1].value, level: level + 1) }
        }
    }

    /// Appends an object with sorted members, each value by the position of its name; the last of a name counts.
    mutating func appendMembers(_ names: [String], _ level: Int, _ append: (inout JSONWriter, Int) -> Void) {
        let positions = Array(names.indices).sortedLast { left, right in
            var (left, right) = (names[left], names[right])
            return left.withUTF8 { left in right.withUTF8 { right in left.order(to: right) < 0 } }
        }
        appendContainer("{", "}", positions, level) { writer, position in
            writer.append(quoted: names[position])
            writer.append(": ")
            append(&writer, position)
        }
    }

    /// Appends what is at these positions, one after another.
    mutating func appendContainer(
        _ opening: StaticString, _ closing: StaticString, _ positions: some Sequence<Int>, _ level: Int, _ append: (inout JSONWriter, Int) -> Void
    ) {
        self.append(opening)
        var isFirst = true
        for position in positions {
            if !isFirst { self.append(onOneLine ? ", " : ",") }
            breakLine(level + 1)
            isFirst = false
            append(&self, position)
        }
        if !isFirst { breakLine(level) }
        self.append(closing)
    }

    mutating func append(_ literal: StaticString) { literal.withUTF8Buffer { append($0) } }

    mutating func append(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBufferPointer { append($0) } }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        makeRoom(for: bytes.count)
        text.append(contentsOf: bytes)
    }

    private mutating func append(_ byte: UInt8) {
        makeRoom(for: 1)
        text.append(byte)
    }

    /// Makes room for `count` more bytes. Memory that becomes too small is wiped: it may contain a part of a secret.
    private mutating func makeRoom(for count: Int) {
        guard !text.isEmpty else { return text.reserveCapacity(count) }
        guard text.capacity - text.count < count else { return }
        var larger: [UInt8] = []
        larger.reserveCapacity(2 * (text.count + count))
        larger += text
        wipeText()
        text = larger
    }

    private static let lineBegin = [UInt8(ascii: "\n")] + Array(repeating: 0x20, count: 2 * JSONValue.maximumDepth)

    private mutating func breakLine(_ level: Int) { if !onOneLine { append(Self.lineBegin.prefix(1 + 2 * level)) } }

    /// Whether JSON requires that a byte of a string is escaped: quotes, backslashes and control characters.
    static func mustEscape(_ byte: UInt8) -> Bool { byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }

    /// Appends a string in quotes, escaping only what JSON requires.
    mutating func append(quoted string: String) {
        var string = string
        string.withUTF8 { bytes in
            makeRoom(for: bytes.count + 2)
            append(UInt8(ascii: "\""))
            if bytes.contains(where: Self.mustEscape) { for byte in bytes { append(escaping: byte) } } else { append(bytes) }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case ..<0x20:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            append(Array(String(byte & 0xF, radix: 16).utf8)[...])
        default: append(byte)
        }
    }
}
