extension AsyncStream<String>.Iterator {
    /// Reads on to the next line with `text` in it. Throws when the lines are at an end, or the test's time is up.
    public mutating func next(containing text: String) async throws -> String {
        var others: [String] = []
        while let line = await next() {
            if line.contains(text) { return line }
            others.append(line)
        }
        throw NoSuchLine(text: text, others: others)
    }
}

/// What was waited for in vain, and what came instead.
struct NoSuchLine: Error, CustomStringConvertible {
    let text: String
    let others: [String]
    var description: String { "no line with \"\(text)\"; there were: \(others)" }
}
