import Foundation

/// A chart of lines over two logarithmic axes, as SVG.
struct LineChart {
    struct Line {
        let name: String
        var points: [(x: Double, y: Double)] = []
    }

    let title: String
    /// What grows.
    let horizontal: String
    let vertical: String
    let lines: [Line]

    private static let size = (width: 640.0, height: 400.0)
    private static let frame = (left: 76.0, right: 32.0, top: 64.0, bottom: 48.0)
    private static let colours = ["#0b62c4", "#d9730d", "#2f8f4e", "#8b4fb8", "#777777"]

    var svg: String {
        let points = lines.flatMap(\.points)
        let across = Axis(points.map(\.x), wholeDecades: false, from: Self.frame.left, to: Self.size.width - Self.frame.right)
        let upward = Axis(points.map(\.y), wholeDecades: true, from: Self.size.height - Self.frame.bottom, to: Self.frame.top)
        let marks = Set(points.map(\.x)).sorted()
        var parts = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(Int(Self.size.width)) \#(Int(Self.size.height))" font-family="sans-serif" font-size="12">"#,
            #"<rect width="100%" height="100%" fill="white"/>"#,
            text(title, Self.frame.left, 22, size: 15),
            text(horizontal, (across.start + across.end) / 2, Self.size.height - 10, anchor: "middle"),
        ]
        for mark in upward.decades {
            let y = upward.position(mark)
            parts.append(line(across.start, y, across.end, y, colour: "#dddddd"))
            parts.append(text(Self.label(mark), across.start - 8, y + 4, anchor: "end"))
        }
        for mark in marks {
            let x = across.position(mark)
            parts.append(line(x, upward.start, x, upward.start + 5, colour: "#888888"))
            parts.append(text(mark.formatted(.number.locale(Locale(identifier: "en_US"))), x, upward.start + 19, anchor: "middle"))
        }
        for (line, colour) in zip(lines, Self.colours) {
            let places = line.points.map { String(format: "%.1f,%.1f", across.position($0.x), upward.position($0.y)) }
            parts.append(#"<polyline points="\#(places.joined(separator: " "))" fill="none" stroke="\#(colour)" stroke-width="2"/>"#)
            for place in places {
                let pair = place.split(separator: ",")
                parts.append(#"<circle cx="\#(pair[0])" cy="\#(pair[1])" r="3" fill="\#(colour)"/>"#)
            }
        }
        parts.append(legend)
        parts.append("</svg>\n")
        return parts.joined(separator: "\n")
    }

    private var legend: String {
        var x = Self.frame.left
        var parts: [String] = []
        for (line, colour) in zip(lines, Self.colours) {
            parts.append(#"<rect x="\#(Int(x))" y="36" width="12" height="4" fill="\#(colour)"/>"#)
            parts.append(text(line.name, x + 17, 43))
            x += 40 + 6.4 * Double(line.name.count)
        }
        return (parts + [text(vertical, Self.frame.left, 58, colour: "#666666")]).joined(separator: "\n")
    }

    /// A power of ten on the axis.
    private static func label(_ height: Double) -> String {
        let parts = Comparison.Unit.time.text(height).split(separator: " ")
        return "\(Int((Double(parts[0]) ?? 0).rounded())) \(parts[1])"
    }

    private func text(
        _ words: String, _ x: Double, _ y: Double, anchor: String = "start", size: Int = 12, colour: String = "#222222"
    ) -> String {
        let escaped = words.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
        return String(
            format: #"<text x="%.1f" y="%.1f" text-anchor="\#(anchor)" font-size="\#(size)" fill="\#(colour)">"#, x, y)
            + escaped + "</text>"
    }

    private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, colour: String) -> String {
        String(format: #"<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="\#(colour)"/>"#, x1, y1, x2, y2)
    }
}

/// One logarithmic axis.
private struct Axis {
    let start: Double
    let end: Double
    private let low: Double
    private let high: Double

    /// An axis for `values`, from the position `start` to `end`. With whole decades, it begins and ends at a power of ten.
    init(_ values: [Double], wholeDecades: Bool, from start: Double, to end: Double) {
        self.start = start
        self.end = end
        let logarithms = values.map(log10)
        let least = logarithms.min() ?? 0
        let most = logarithms.max() ?? 1
        low = wholeDecades ? least.rounded(.down) : least
        high = max(wholeDecades ? most.rounded(.up) : most, low + (wholeDecades ? 1 : 0.1))
    }

    func position(_ value: Double) -> Double {
        start + (end - start) * (log10(value) - low) / (high - low)
    }

    /// The powers of ten on it.
    var decades: [Double] {
        (Int(low.rounded(.up))...Int(high.rounded(.down))).map { pow(10, Double($0)) }
    }
}
