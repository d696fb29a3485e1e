import Foundation

/// How the cost of a task grows: one chart.
struct Curve: Sendable {
    let file: String
    let title: String
    let horizontal: String
    var vertical = "time for one, median"
    var steps: [Int]
    /// Who does it, at one step; not all need to be there at each.
    let contestants: @Sendable (_ step: Int) async throws -> [Contestant]

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
        let chart = LineChart(title: title, horizontal: horizontal, vertical: vertical, lines: lines)
        try chart.svg.write(toFile: "\(folder)/\(file).svg", atomically: true, encoding: .utf8)
        return Table(
            titles: [horizontal] + lines.map(\.name),
            rows: steps.map { step in
                ["\(step)"] + lines.map { line in line.points.first { $0.x == Double(step) }.map { Comparison.Unit.time.text($0.y) } ?? "" }
            })
    }
}
