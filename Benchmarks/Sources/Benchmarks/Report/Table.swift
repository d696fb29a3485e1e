/// A table in Markdown that reads well as it is.
struct Table {
    let titles: [String]
    var rows: [[String]] = []

    var text: String {
        let all = [titles] + rows
        let widths = titles.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            "| " + zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: " | ") + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([line(titles), rule] + rows.map(line)).joined(separator: "\n")
    }
}
