import Foundation

/// How the cost of a task grows: one chart.
struct Curve: Sendable {
    let file: String
    let title: String
    let horizontal: String
    let vertical: String
    private(set) var steps: [Int]
    /// Who does it, at one step; not all need to be there at each.
    let contestants: @Sendable (_ step: Int) async throws -> [Contestant]

    init(
        file: String, title: String, horizontal: String, vertical: String = "time for one, median", steps: [Int],
        _ contestants: @escaping @Sendable (_ step: Int) async throws -> [Contestant]
    ) {
        self.file = file
        self.title = title
        self.horizontal = horizontal
        self.vertical = vertical
        self.steps = steps
        self.contestants = contestants
    }

    /// Leaves the first two steps.
    mutating func shorten() { steps = Array(steps.prefix(2)) }

    /// Measures all steps and writes the chart into `folder`. Returns the figures as a table.
    func measure(by race: Race, into folder: String) async throws -> Table {
        var lines: [LineChart.Line] = []
        for step in steps {
            let contestants = try await contestants(step)
            for (contestant, median) in zip(contestants, try await race.run(contestants)) {
                let index = lines.firstIndex { $0.name == contestant.name } ?? lines.endIndex
                if index == lines.endIndex { lines.append(LineChart.Line(name: contestant.name)) }
                lines[index].points.append((Double(step), median))
            }
        }
        let unit = Comparison.Unit.time
        let chart = LineChart(
            title: title, horizontal: horizontal, vertical: vertical, label: { unit.shortText($0) },
            lines: lines)
        try chart.svg.write(toFile: "\(folder)/\(file).svg", atomically: true, encoding: .utf8)
        return Table(
            titles: [horizontal] + lines.map(\.name),
            rows: steps.map { step in
                ["\(step)"] + lines.map { line in line.points.first { $0.x == Double(step) }.map { unit.text($0.y) } ?? "" }
            })
    }
}

extension Comparison.Unit {
    /// For the powers of ten on an axis.
    fileprivate func shortText(_ value: Double) -> String {
        let parts = text(value).split(separator: " ")
        return "\(Int((Double(parts[0]) ?? 0).rounded())) \(parts[1])"
    }
}
