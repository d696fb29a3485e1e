import Foundation

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

    enum Unit {
        case time, memory

        /// With three figures.
        func text(_ value: Double) -> String {
            let units = self == .time ? ["ns", "µs", "ms", "s"] : ["B", "kB", "MB", "GB"]
            var scaled = self == .time ? value * 1e9 : value
            var unit = 0
            while scaled >= 999.5, unit < units.count - 1 {
                scaled /= 1000
                unit += 1
            }
            return String(format: scaled < 9.995 ? "%.2f" : scaled < 99.95 ? "%.1f" : "%.0f", scaled) + " " + units[unit]
        }
    }

    let task: String
    let ours: Contestant
    /// The least that the machine can do it with.
    var limit: Opponent?
    var peers: [Opponent] = []
    var unit = Unit.time
    /// How to measure it where that takes another number of turns.
    var race: Race?

    static let titles = ["Task", "Ours", "Bare limit", "Ratio", "Bar", "Relative to peers", "Met"]

    /// Measures it, and returns the cells of its row.
    func measure(by standard: Race) async throws -> [String] {
        let opponents = (limit.map { [$0] } ?? []) + peers
        let medians = try await (race ?? standard).run([ours] + opponents.map(\.contestant))
        var rivals = zip(opponents, medians.dropFirst()).map { opponent, median in
            (name: opponent.contestant.name, measured: unit.text(median), ratio: medians[0] / median, bar: opponent.bar)
        }
        let bars = rivals.compactMap { rival in rival.bar.map { rival.ratio <= $0 } }
        let bare = limit == nil ? nil : rivals.removeFirst()
        let besidePeers = rivals.map { peer in
            let bar = peer.bar.map { ", bar \(Self.text($0))" } ?? ""
            return "\(peer.name) \(peer.measured): \(Self.text(peer.ratio))\(bar)"
        }
        return [
            task, unit.text(medians[0]),
            bare.map { "\($0.name): \($0.measured)" } ?? "",
            bare.map { Self.text($0.ratio) } ?? "",
            bare?.bar.map(Self.text) ?? "",
            besidePeers.joined(separator: "; "),
            bars.isEmpty ? "" : bars.contains(false) ? "**no**" : "yes",
        ]
    }

    private static func text(_ ratio: Double) -> String {
        String(format: ratio < 0.095 ? "%.3f" : ratio < 10 ? "%.2f" : "%.0f", ratio)
    }
}
