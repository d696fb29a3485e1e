import Foundation

/// What is to be measured, as the arguments say.
struct Plan {
    /// Proves that everything works, and judges nothing.
    private let isQuick: Bool
    /// Only the tasks and curves whose name contains this.
    private let only: String?
    private let programs: String
    private let withoutTraits: String
    private let python: String
    /// The address of an etcd.
    private let etcd: String
    private let curves: String
    private let standard: Race

    init(_ arguments: inout [String]) throws {
        func option(_ name: String) throws -> String {
            guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else {
                throw Failure(description: "\(name) is missing; start Benchmarks/run")
            }
            defer { arguments.removeSubrange(index...(index + 1)) }
            return arguments[index + 1]
        }
        programs = try option("--programs")
        withoutTraits = try option("--without-traits")
        python = try option("--python")
        etcd = try option("--etcd")
        curves = try option("--curves")
        isQuick = arguments.contains("--quick")
        only = arguments.contains("--only") ? try option("--only") : nil
        standard = isQuick ? .quick : Race()
    }

    func carryOut() async throws {
        let temporary = try TemporaryFolder()
        try await printTable(in: temporary)
        try await drawCurves(in: temporary)
    }

    private func printTable(in temporary: TemporaryFolder) async throws {
        let tasks =
            try await readingTasks(in: temporary) + changingTasks(in: temporary) + listTasks(in: temporary) + openingTasks(in: temporary)
            + streamingTasks(in: temporary) + secretTasks(in: temporary, python: python)
            + itemTasks(in: temporary) + fleetTasks(in: temporary, etcd: etcd)
            + startingTasks(in: temporary, programs: programs, withoutTraits: withoutTraits)
        var table = Table(titles: Comparison.titles)
        for task in tasks where isWanted(task.task) {
            progress(task.task)
            var task = task
            if isQuick { task.race = .quick }
            table.rows.append(try await task.measure(by: standard))
        }
        progress("")
        say(table.text)
        if isQuick { say("\nA quick run proves that everything works; its figures say nothing.") }
    }

    private func drawCurves(in temporary: TemporaryFolder) async throws {
        try FileManager.default.createDirectory(atPath: curves, withIntermediateDirectories: true)
        for curve in growthCurves(in: temporary) where isWanted(curve.file) {
            progress(curve.title)
            var curve = curve
            if isQuick { curve.steps = Array(curve.steps.prefix(2)) }
            let table = try await curve.measure(by: isQuick ? .quick : .forCurves, into: curves)
            progress("")
            say("\n\(curve.title) (\(curve.file).svg)\n\n\(table.text)")
        }
    }

    private func isWanted(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }

    /// Shows progress on a terminal.
    private func progress(_ what: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(what)".utf8))
    }
}

extension Race {
    static let quick = Race(rounds: 1...1, patience: .zero, turn: .zero)
    static let forCurves = Race(rounds: 3...51, patience: .milliseconds(500))
}
