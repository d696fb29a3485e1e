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
        let secret = try System.isTerminal(System.standardInput) ? typed(id) : piped(isVerbatim: isVerbatim)
        guard secret.count > 0 else {
            throw Failure(.usage, "The secret for \"\(id)\" is empty, so nothing was stored. To remove the stored one, use: secret remove")
        }
        return secret
    }

    private static func piped(isVerbatim: Bool) throws -> Secret {
        // One byte more than the largest with CR LF behind it, or a longer input would look like that.
        let buffer = SecretBuffer(capacity: Secret.sizeLimit + 3)
        while try buffer.readOn() {}
        if !isVerbatim, buffer.last == UInt8(ascii: "\n") {
            buffer.removeLast()
            if buffer.last == UInt8(ascii: "\r") { buffer.removeLast() }
        }
        guard buffer.count <= Secret.sizeLimit else { throw KeyringError.tooLarge }
        return buffer.secret
    }

    private static func typed(_ id: SecretIdentifier) throws -> Secret {
        let first = try ask("Secret for \"\(id)\" (not shown): ")
        guard try first.count == 0 || ask("Repeat it: ") == first else {
            throw Failure(.usage, "The two inputs differ, so nothing was stored. Try again.")
        }
        return first
    }

    private static func ask(_ question: String) throws -> Secret {
        // Before the question: what is typed in between would be shown, and then thrown away. Until the end of this scope nothing may end the
        // process, and leave the terminal hidden.
        let terminal = try HiddenTerminal()
        guard Output.error.put(Output.error.oneLine(question)) else {
            throw Failure(.notSaved, "Could not ask for the secret: \(System.problem). Send it through a pipe, or open the standard error.")
        }
        defer { Output.error.put("\n") }
        let line = SecretBuffer(capacity: Secret.sizeLimit + 1)
        while try line.readOn(atMost: 1), let key = line.last {
            guard key < 0x20 || key == 0x7F else {
                guard line.count <= Secret.sizeLimit else { throw KeyringError.tooLarge }
                continue
            }
            line.removeLast()
            switch key {
            case 0x0A, 0x0D, 0x04: return line.secret  // the last is Ctrl-D
            case 0x03:  // Ctrl-C; the process ends before the end of this scope
                _ = consume terminal
                Output.error.line()
                System.endInterrupted()
            case 0x15: line.removeAll()  // Ctrl-U
            case 0x08, 0x7F: line.removeCharacter()
            default: Output.error.put("\u{7}")  // other control characters are no part of a typed secret: rings the bell
            }
        }
        return line.secret
    }
}

/// Bytes of a secret while they arrive, in memory that is wiped when it is released.
private final class SecretBuffer {
    private let storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int) { storage = .allocate(byteCount: capacity, alignment: 1) }

    deinit {
        wipe(storage)
        storage.deallocate()
    }

    var secret: Secret { Secret(storage[..<count]) }
    var last: UInt8? { count > 0 ? storage[count - 1] : nil }

    /// Reads more of standard input; false at its end, or if there is no room.
    func readOn(atMost limit: Int = .max) throws -> Bool {
        let added = try System.readOn(into: UnsafeMutableRawBufferPointer(rebasing: storage[count...].prefix(limit)))
        count += added
        return added > 0
    }

    func removeLast() { count -= 1 }
    func removeAll() { count = 0 }

    /// Removes the last character with all its bytes, of which all except the first are 10xxxxxx.
    func removeCharacter() {
        while let byte = last {
            removeLast()
            if byte & 0b1100_0000 != 0b1000_0000 { return }
        }
    }
}
