import StoredValues

/// Programs, from their start to their exit.
func startingTasks(in temporary: TemporaryFolder, programs: String, withoutLibsecret: String) throws -> [Comparison] {
    let file = try SampleSettings(count: 50).write("starting", in: temporary)
    try Child(["\(programs)/StartUserDefaults", "store"]).wait()
    func program(_ name: String, _ command: String...) -> Contestant {
        .timed(name) { count in for _ in 0..<count { try Child(command).wait() } }
    }
    func comparison(_ what: String, _ folder: String, bar: Double, _ peers: Comparison.Opponent...) -> Comparison {
        Comparison(
            task: "A program that reads one value, \(what)",
            ours: program("ours", "\(folder)/StartStoredValue", file.path),
            limit: .init(
                program("one that encodes with FoundationEssentials", "\(programs)/StartFoundationEssentials"), bar: bar),
            peers: [
                .init(program("one that reads UserDefaults", "\(programs)/StartUserDefaults"), bar: 1),
                .init(program("an empty one", "\(programs)/StartEmpty")),
            ] + peers,
            race: Race(rounds: 25...201, turn: .zero))
    }
    return [
        comparison("trait off", withoutLibsecret, bar: 1.5),
        comparison(
            "trait on", programs, bar: 2.2,
            .init(program("an empty one that loads libsecret", "\(programs)/StartLibsecret"))),
    ]
}
