package import StoredValues
import StoredValuesSupport

/// One of the two output streams. Everything is written when a call returns.
package struct Output {
    package let descriptor: Int32
    package let isTerminal: Bool
    /// The number of columns.
    package let width: Int
    /// Whether to use colours: on a terminal that supports them, unless NO_COLOR is set (no-color.org).
    package let hasColor: Bool

    package static let standard = Output(System.standardOutput)
    package static let error = Output(System.standardError)

    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = System.isTerminal(descriptor)
        width = System.width(descriptor) ?? 80
        func variable(_ name: String) -> String? { try? System.environment(name) }
        hasColor = isTerminal && variable("NO_COLOR") == nil && variable("TERM") != "dumb"
    }

    package func line(_ text: String = "") {
        write("\(text)\n")
    }

    /// Writes a line of the tool itself: its name, then the text on one line.
    package func message(_ text: String) { line("\(CommandLineProgram.name): \(oneLine(text))") }

    /// Writes something to know about a command that succeeds.
    package func note(_ text: String) { message("note: \(text)") }

    package func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) {
        ProgressLine.shared.end()
        // What a command ends with says whether it succeeded, whoever reads its messages.
        let isForMessages = descriptor == System.standardError
        guard !System.writeAll(descriptor, bytes, needsReader: !isForMessages), !isForMessages else { return }
        Self.error.message("Could not write the output: \(System.problem).")
        System.end(.notSaved)
    }

    /// Writes a value as JSON over several lines.
    package func json(_ value: JSONValue) {
        line(shownJSON(value.text(onOneLine: false)))
    }

    /// Writes a value: a string as it is, unless `asJSON`, anything else as JSON.
    package func value(_ value: JSONValue, asJSON: Bool) {
        if let text = value.stringValue, !asJSON { line(shown(text)) } else { json(value) }
    }

    /// Writes names, one per line or as a JSON list.
    package func names(_ names: [String], asJSON: Bool) {
        guard !asJSON else { return json(.array(names.map { .string($0) })) }
        for name in names { line(oneLine(name)) }
    }

    /// Writes which secrets were moved, one per line or as a JSON object.
    package func moved(_ moved: MovedSecrets, asJSON: Bool) {
        guard !asJSON else { return json(["moved": list(moved.copied), "already there": list(moved.alreadyThere)]) }
        for id in moved.copied { line("moved: \(oneLine(id.account))") }
        for id in moved.alreadyThere { line("already there: \(oneLine(id.account))") }
    }

    private func list(_ ids: [SecretIdentifier]) -> JSONValue { .array(ids.map { .string($0.account) }) }

    /// Writes settings as one JSON object. Not by a dictionary, in which two names that only look alike would be one.
    package func json(_ members: [(key: String, value: JSONValue)]) {
        let texts = members.map { key, value in
            "  \(JSONValue.string(key).text(onOneLine: true)): \(value.text(onOneLine: false).replacing("\n", by: "\n  "))"
        }
        line(shownJSON(texts.isEmpty ? "{}" : "{\n\(texts.joined(separator: ",\n"))\n}"))
    }

    /// `text` in this style, if colours are used.
    package func styled(_ text: String, _ style: Style) -> String {
        hasColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The styles with their codes (ECMA-48). No meaning depends on them alone.
    package enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// Foreign text made safe for this stream: on a terminal, control characters are shown escaped.
    package func shown(_ text: String) -> String {
        isTerminal ? text.withoutControls : text
    }

    /// The same for text on one line.
    package func oneLine(_ text: String) -> String { shown(text.onOneLine) }

    /// The same for JSON, without changing its meaning. It keeps only its own line breaks, on any stream: a script may treat
    /// more characters as line ends than JSON escapes.
    package func shownJSON(_ text: String) -> String { text.escapedJSON { isTerminal ? $0.steersTerminals : $0.mayEndLine } }
}

/// Settings in a list.
extension Output {
    /// A remark is shown only on a terminal, in brackets; empty is none. A group tells settings of one key apart for scripts: the second of
    /// their columns.
    package typealias Row = (key: String, value: JSONValue, remark: String, group: String?)

    /// Writes rows: in two columns on a terminal, below each other on a narrow terminal, and separated by tabs for scripts.
    package func rows(_ rows: [Row]) {
        let keyWidth = rows.map { oneLine($0.key).columns }.max() ?? 0
        for row in rows {
            let key = oneLine(row.key), value = shownJSON(row.value.text(onOneLine: true))
            let remark = row.remark.isEmpty ? "" : "  \(styled(oneLine("(\(row.remark))"), .dim))"
            if !isTerminal {
                line(([key] + (row.group.map { [oneLine($0)] } ?? []) + [value]).joined(separator: "\t"))
            } else if width < 40 + keyWidth {
                line(styled(key, .bold))
                line("  \(value.cut(to: max(width - 2, 8)))")
                if !remark.isEmpty { line(remark) }
            } else {
                let room = width - keyWidth - 2 - (remark.isEmpty ? 0 : oneLine(row.remark).columns + 4)
                line("\(styled(key.padded(to: keyWidth), .bold))  \(value.cut(to: max(room, 8)))\(remark)")
            }
        }
    }
}
