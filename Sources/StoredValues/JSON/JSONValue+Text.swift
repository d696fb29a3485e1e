// JSON as text that people type and read.

extension JSONValue {
    /// The value that `text` spells; nil when it is not JSON.
    package init?(text: String) {
        guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
        self = value
    }

    /// The value as JSON, members sorted: on one line, or indented over several.
    package func text(onOneLine: Bool) -> String {
        var writer = JSONWriter(onOneLine: onOneLine)
        writer.append(self, level: 0)
        return String(decoding: writer.text, as: UTF8.self)
    }
}
