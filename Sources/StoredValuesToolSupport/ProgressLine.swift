import StoredValuesSupport

/// Shows on a terminal what a command is doing once that has taken a second, with a bar if the amount is known. The next output, or the
/// end of the command, erases the line. Without a terminal on standard error nothing is shown.
package final class ProgressLine: Sendable {
    private struct State {
        /// Counts the operations, so that the delay of one that has ended shows nothing.
        var number = 0
        /// The current operation; nil if there is none.
        var sentence: String?
        /// How much is done; nil if the amount is not known.
        var percent: Int?
        /// The columns that the line takes; 0 until it is shown.
        var columns = 0
    }

    /// The line of the tools.
    package static let shared = ProgressLine(on: .error, after: .seconds(1))

    private let output: Output
    private let delay: Duration
    private let state = Guarded(State())

    /// A line on `output` for what takes longer than `delay`; shown at once if that is zero.
    package init(on output: Output, after delay: Duration) { (self.output, self.delay) = (output, delay) }

    /// Begins an operation that may take long, and ends the one before it.
    ///
    /// - Parameter sentence: The operation, such as `Moving secrets`.
    package func begin(_ sentence: String) {
        guard output.isTerminal else { return }
        let number = state.withLock { state in
            erase(&state)
            state.sentence = sentence
            return state.number
        }
        guard delay > .zero else { return show(number) }
        Task.detached { [delay] in
            try await Task.sleep(for: delay)
            self.show(number)
        }
    }

    /// Updates how much of the operation is done.
    package func advance(to done: Int, of total: Int) {
        guard output.isTerminal, total > 0 else { return }
        state.withLock { state in
            let percent = min(max(done, 0), total) * 100 / total
            guard state.percent != percent else { return }
            state.percent = percent
            if state.columns > 0 { draw(&state) }
        }
    }

    /// Ends the operation, and erases the line.
    package func end() { state.withLock { erase(&$0) } }

    private func show(_ number: Int) {
        state.withLock { state in
            guard state.number == number else { return }
            draw(&state)
        }
    }

    // MARK: The line

    // Drawn with a carriage return and spaces: not every terminal knows control sequences. Not written by `Output.write`, which ends
    // the line. A failure is ignored.

    private func draw(_ state: inout State) {
        guard let sentence = state.sentence else { return }
        let line = Self.line(sentence, percent: state.percent, width: output.width)
        put("\r\(line.padded(to: state.columns))")
        state.columns = max(line.columns, state.columns)
    }

    private func erase(_ state: inout State) {
        if state.columns > 0 { put("\r\(String(repeating: " ", count: state.columns))\r") }
        state = State(number: state.number + 1)
    }

    private func put(_ text: String) {
        var text = text
        _ = text.withUTF8 { System.writeAll(output.descriptor, UnsafeRawBufferPointer($0), needsReader: false) }
    }

    /// The text of the line, shorter than `width` columns: a terminal may begin a new line after the last one.
    package static func line(_ sentence: String, percent: Int?, width: Int) -> String {
        guard let percent else { return "\(sentence) …".cut(to: max(width - 1, 1)) }
        let cells = 20, filled = percent * cells / 100
        let bar = " [\(String(repeating: "#", count: filled))\(String(repeating: "-", count: cells - filled))] \(percent) %"
        let room = width - 1 - bar.columns
        // Too narrow for a bar: the number alone.
        return room >= 8 ? sentence.cut(to: room) + bar : "\(percent) %".cut(to: max(width - 1, 1))
    }
}
