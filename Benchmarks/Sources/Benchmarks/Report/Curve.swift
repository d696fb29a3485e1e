import Foundation

/// How the cost of a task grows: one chart.
struct Curve: Sendable {
    let file: String
    let title: String
    let horizontal: String
    let vertical: String
    private(set) var steps: [Int]
    /// Who does it, at one step.
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
        var names: [String] = []
        var measured: [[(x: Double, y: Double)]] = []
        for step in steps {
            let contestants = try await contestants(step)
            names = contestants.map(\.name)
            let medians = try await race.run(contestants)
            if measured.isEmpty { measured = medians.map { _ in [] } }
            for (index, median) in medians.enumerated() { measured[index].append((Double(step), median)) }
        }
        let unit = Comparison.Unit.time
        let chart = LineChart(
            title: title, horizontal: horizontal, vertical: vertical, label: { unit.shortText($0) },
            lines: zip(names, measured).map { LineChart.Line(name: $0, points: $1) })
        try chart.svg.write(toFile: "\(folder)/\(file).svg", atomically: true, encoding: .utf8)
        return Table(
            titles: [horizontal] + names,
            rows: steps.enumerated().map { index, step in ["\(step)"] + measured.map { unit.text($0[index].y) } })
    }
}

extension Comparison.Unit {
    /// For the powers of ten on an axis.
    fileprivate func shortText(_ value: Double) -> String {
        let parts = text(value).split(separator: " ")
        return "\(Int((Double(parts[0]) ?? 0).rounded())) \(parts[1])"
    }
}
