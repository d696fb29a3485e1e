/// A task that several do: a row of the table.
struct Comparison: Sendable {
    /// A competitor, and how much of its time we may take.
    struct Opponent: Sendable {
        let contestant: Contestant
        /// The most that ours may be, as a part of theirs; nil where it is only to be known.
        let bar: Double?

        init(_ contestant: Contestant, bar: Double? = nil) {
            self.contestant = contestant
            self.bar = bar
        }
    }

    enum Unit { case time, memory }

    let task: String
    let ours: Contestant
    /// The least that the machine can do it with.
    var limit: Opponent?
    var peers: [Opponent] = []
    var unit = Unit.time
    /// How to measure it where that takes another number of turns.
    var race: Race?

    func measure(by standard: Race) async throws -> Row {
        let opponents = (limit.map { [$0] } ?? []) + peers
        let medians = try await (race ?? standard).run([ours] + opponents.map(\.contestant))
        let rivals = zip(opponents, medians.dropFirst()).map { opponent, median in
            Row.Rival(name: opponent.contestant.name, measured: median, bar: opponent.bar)
        }
        return Row(
            task: task, ours: medians[0], limit: limit == nil ? nil : rivals.first,
            peers: limit == nil ? rivals : Array(rivals.dropFirst()), unit: unit)
    }
}
