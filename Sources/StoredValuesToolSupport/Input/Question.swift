/// A question with one-letter answers.
package enum Question {
    package enum Answer: String {
        case editAgain = "edit again"
        case overwrite = "overwrite theirs"
        case quit = "quit"
        case yes = "yes"
        case no = "no"
    }

    /// Whether a user is there to answer.
    private static var canBeAnswered: Bool { System.isTerminal(System.standardInput) && Output.error.isTerminal }

    /// Prints `sentence` and asks for one of `answers`. Quits without a terminal.
    package static func ask(_ sentence: String, _ answers: [Answer]) throws -> Answer {
        guard canBeAnswered else { return .quit }
        let choices = answers.map { "[\($0.rawValue.prefix(1))]\($0.rawValue.dropFirst())" }.joined(separator: ", ")
        Output.error.line(Output.error.oneLine(sentence))
        while true {
            Output.error.write("\(choices)? ")
            guard let line = readLine() else { return .quit }
            let letter = line.lowercased().prefix(1)
            if let answer = answers.first(where: { !letter.isEmpty && $0.rawValue.hasPrefix(letter) }) { return answer }
        }
    }

    /// Prints `sentence`, which says what would happen, and throws `refusal` unless the user answers yes. Does not ask if no user is
    /// at standard input; throws if a user is, but cannot see the question.
    package static func confirm(_ sentence: String, orElse refusal: String) throws {
        guard System.isTerminal(System.standardInput), try ask(sentence, [.yes, .no]) != .yes else { return }
        throw Failure(.refused, refusal)
    }
}
