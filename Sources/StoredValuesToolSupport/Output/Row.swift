package import StoredValues

/// A key and its value in a list.
package struct Row {
    private let key: String
    private let value: String
    private let remark: String
    private let group: String?

    /// - Parameters:
    ///   - remark: Shown only on a terminal, in brackets; empty is none.
    ///   - group: What tells it from others of the same key, only for scripts: the second of their columns.
    package init(_ key: String, _ value: JSONValue, remark: String, group: String? = nil) {
        (self.key, self.value, self.group) = (key, value.text(onOneLine: true), group)
        self.remark = remark.isEmpty ? "" : "(\(remark))"
    }

    /// Writes rows: in two columns on a terminal, below each other on a narrow terminal, and separated by tabs for scripts.
    package static func print(_ rows: [Row], to output: Output = .standard) {
        let keyWidth = rows.map { output.oneLine($0.key).columns }.max() ?? 0
        let isNarrow = output.width < 40 + keyWidth
        for row in rows {
            let key = output.oneLine(row.key), remark = output.oneLine(row.remark), value = output.shownJSON(row.value)
            if !output.isTerminal {
                output.line(([key] + (row.group.map { [output.oneLine($0)] } ?? []) + [value]).joined(separator: "\t"))
            } else if isNarrow {
                output.line(output.styled(key, .bold))
                output.line("  \(value.cut(to: max(output.width - 2, 8)))")
                if !remark.isEmpty { output.line("  \(output.styled(remark, .dim))") }
            } else {
                let room = output.width - keyWidth - 2 - (remark.isEmpty ? 0 : remark.columns + 2)
                let end = remark.isEmpty ? "" : "  " + output.styled(remark, .dim)
                output.line("\(output.styled(key.padded(to: keyWidth), .bold))  \(value.cut(to: max(room, 8)))\(end)")
            }
        }
    }
}
