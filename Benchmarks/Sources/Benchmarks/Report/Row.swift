import Foundation

/// What came out for one task.
struct Row: Sendable {
    struct Rival: Sendable {
        let name: String
        let measured: Double
        let bar: Double?
    }

    let task: String
    let ours: Double
    let limit: Rival?
    let peers: [Rival]
    let unit: Comparison.Unit

    /// Whether every bar is met; nil where there is none.
    var isMet: Bool? {
        let bars = ((limit.map { [$0] } ?? []) + peers).compactMap { rival in rival.bar.map { ours / rival.measured <= $0 } }
        return bars.isEmpty ? nil : bars.allSatisfy { $0 }
    }

    static let titles = ["Task", "Ours", "Bare limit", "Ratio", "Bar", "Relative to peers", "Met"]

    var cells: [String] {
        [
            task, unit.text(ours),
            limit.map { "\($0.name): \(unit.text($0.measured))" } ?? "",
            limit.map { Self.ratio(ours / $0.measured) } ?? "",
            limit?.bar.map(Self.ratio) ?? "",
            peers.map { peer in
                let bar = peer.bar.map { ", bar \(Self.ratio($0))" } ?? ""
                return "\(peer.name) \(unit.text(peer.measured)): \(Self.ratio(ours / peer.measured))\(bar)"
            }.joined(separator: "; "),
            isMet.map { $0 ? "yes" : "**no**" } ?? "",
        ]
    }

    private static func ratio(_ value: Double) -> String {
        String(format: value < 0.095 ? "%.3f" : value < 10 ? "%.2f" : "%.0f", value)
    }
}

extension Comparison.Unit {
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
