import StoredValues

/// Programs, from their start to their exit.
func startingTasks(in temporary: TemporaryFolder, programs: String, withoutTraits: String) throws -> [Comparison] {
    let file = try SampleSettings(count: 50).write("starting", in: temporary)
    try Child(["\(programs)/StartUserDefaults", "store"]).wait()
    func program(_ name: String, _ command: String...) -> Contestant {
        .timed(name) { count in for _ in 0..<count { try Child(command).wait() } }
    }
    let encoding = program("one that encodes with FoundationEssentials", "\(programs)/StartFoundationEssentials")
    let defaults = program("one that reads UserDefaults", "\(programs)/StartUserDefaults")
    let empty = program("an empty one", "\(programs)/StartEmpty")
    let libsecret = program("an empty one that loads libsecret", "\(programs)/StartLibsecret")
    func comparison(
        _ what: String, _ folder: String, limit: Comparison.Opponent, _ peers: Comparison.Opponent...
    ) -> Comparison {
        Comparison(
            task: "A program that reads one value, \(what)", ours: program("ours", "\(folder)/StartStoredValue", file.path),
            limit: limit, peers: peers, race: Race(rounds: 25...201, turn: .zero))
    }
    return [
        comparison("trait off", withoutTraits, limit: .init(encoding, bar: 1.5), .init(defaults, bar: 1), .init(empty)),
        // The system's loader takes most of the time, for a program that does nothing with the library too.
        comparison(
            "trait on", programs, limit: .init(libsecret, bar: 1.6), .init(encoding, bar: 2.2), .init(defaults), .init(empty)),
    ]
}
