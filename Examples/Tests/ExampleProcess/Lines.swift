import Testing

/// A part of all passwords, keys and tokens in the tests, by which they are found wherever they should not be.
public let secretMark = "unspeakable7d1f"

/// What a process prints, line by line. A line with a secret in it is an issue of the test that reads it.
public struct Lines: AsyncSequence, Sendable {
    let stream: AsyncStream<String>

    /// A reader of the lines that come from now on.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: stream.makeAsyncIterator()) }

    /// Reads one line after another.
    public struct Iterator: AsyncIteratorProtocol {
        var stream: AsyncStream<String>.Iterator

        /// The next line, or nil when they are at an end or the test's time is up.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> String? {
            let line = await stream.next(isolation: actor)
            #expect(line?.contains(secretMark) != true)
            return line
        }

        /// Reads on to the next line with one of `texts` in it. Throws when there is none.
        public mutating func next(containing texts: String...) async throws -> String {
            var others: [String] = []
            while let line = await next() {
                if texts.contains(where: line.contains) { return line }
                others.append(line)
            }
            throw NoSuchLine(texts: texts, others: others)
        }
    }
}

/// What was waited for in vain, and what came instead.
struct NoSuchLine: Error, CustomStringConvertible {
    let texts: [String]
    let others: [String]
    var description: String { "no line with any of \(texts); there were: \(others)" }
}
