package import StoredValues
import StoredValuesSupport

/// A question with one-letter answers.
package enum Question {
    /// Prints `sentence` and asks for one of `answers`; returns its first letter. Without a terminal, where no user is there to answer, it is q.
    package static func ask(_ sentence: String, _ answers: [String]) -> Character {
        guard System.isTerminal(System.standardInput), Output.error.isTerminal else { return "q" }
        let choices = answers.map { "[\($0.prefix(1))]\($0.dropFirst())" }.joined(separator: ", ")
        Output.error.line(Output.error.oneLine(sentence))
        while true {
            Output.error.write("\(choices)? ")
            guard let line = readLine() else { return "q" }
            if let letter = line.lowercased().first, answers.contains(where: { $0.first == letter }) { return letter }
        }
    }

    /// Prints `sentence`, which says what would happen, and throws `refusal` unless the user answers yes. Does not ask if no user is
    /// at standard input; throws if a user is, but cannot see the question.
    package static func confirm(_ sentence: String, orElse refusal: String) throws {
        guard System.isTerminal(System.standardInput), ask(sentence, ["yes", "no"]) != "y" else { return }
        throw Failure(.refused, refusal)
    }
}

/// Reads a secret that the user types, or from standard input.
package enum SecretInput {
    /// The secret for `id`. One line break at the end of standard input is dropped, unless `isVerbatim`.
    package static func read(_ id: SecretIdentifier, isVerbatim: Bool) throws -> Secret {
        let secret = try Secret.isTypedByUser ? typed(id) : Secret.ofStandardInput(isVerbatim: isVerbatim)
        guard secret.count > 0 else {
            throw Failure(.usage, "The secret for \"\(id)\" is empty, so nothing was stored. To remove the stored one, use: secret remove")
        }
        return secret
    }

    private static func typed(_ id: SecretIdentifier) throws -> Secret {
        let first = try Secret.ask("Secret for \"\(id)\" (not shown): ")
        guard try first.count == 0 || Secret.ask("Repeat it: ") == first else {
            throw Failure(.usage, "The two inputs differ, so nothing was stored. Try again.")
        }
        return first
    }
}
