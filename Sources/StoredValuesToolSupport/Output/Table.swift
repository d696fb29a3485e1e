/// Rows of keys and values: in two columns on a terminal, in one on a narrow terminal, and separated by tabs for scripts.
package struct Table {
    package struct Row {
        package let key: String
        /// JSON on one line.
        package let value: String
        /// A remark, only on a terminal.
        package var remark = ""

        package init(key: String, value: String, remark: String = "") { (self.key, self.value, self.remark) = (key, value, remark) }
    }

    package let rows: [Row]

    package init(rows: [Row]) { self.rows = rows }

    package func print(to output: Output = .standard) {
        guard output.isTerminal else {
            for row in rows { output.line("\(output.oneLine(row.key))\t\(output.shownJSON(row.value))") }
            return
        }
        let keyWidth = rows.map { output.oneLine($0.key).columns }.max() ?? 0
        let isNarrow = output.width < 40 + keyWidth
        for row in rows {
            let key = output.oneLine(row.key)
            let remark = row.remark.isEmpty || isNarrow ? "" : "  \(row.remark)"
            let room = output.width - (isNarrow ? 2 : keyWidth + 2) - remark.columns
            let value = output.shownJSON(row.value).cut(to: max(room, 8)) + output.styled(remark, .dim)
            if isNarrow {
                output.line(output.styled(key, .bold))
                output.line("  \(value)")
                if !row.remark.isEmpty { output.line("  \(output.styled(row.remark, .dim))") }
            } else {
                output.line(output.styled(key.padded(to: keyWidth), .bold) + "  \(value)")
            }
        }
    }
}
