package import StoredValues

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
        let buffer = SecretBuffer(capacity: Secret.sizeLimit + 2)
        while buffer.hasRoom {
            guard try readOn(into: buffer) else { break }
        }
        if !isVerbatim { buffer.dropLineBreak() }
        guard buffer.count <= Secret.sizeLimit else { throw KeyringError.tooLarge }
        return buffer.secret
    }

    private static func readOn(into buffer: SecretBuffer) throws -> Bool {
        try buffer.append { room throws(Failure) in try System.readOn(System.standardInput, into: room) }
    }

    private static func typed(_ id: SecretIdentifier) throws -> Secret {
        let first = try ask("Secret for \"\(id)\" (not shown): ")
        guard try first.count == 0 || ask("Repeat it: ") == first else {
            throw Failure(.usage, "The two inputs differ, so nothing was stored. Try again.")
        }
        return first
    }

    private static func ask(_ question: String) throws -> Secret {
        Output.error.write(Output.error.oneLine(question))
        defer { Output.error.line() }
        let terminal = try HiddenTerminal(System.standardInput)
        let line = SecretBuffer(capacity: Secret.sizeLimit)
        let key = SecretBuffer(capacity: 1)
        while true {
            guard try readOn(into: key), let byte = key.removeLast() else { return line.secret }
            switch byte {
            case 0x0A, 0x0D: return line.secret
            case 0x03:  // Ctrl-C; the process ends before the end of this scope
                _ = consume terminal
                Output.error.line()
                System.endInterrupted()
            case 0x04: return line.secret  // Ctrl-D
            case 0x15: line.removeAll()  // Ctrl-U
            case 0x08, 0x7F: line.removeCharacter()
            case ..<0x20: Output.error.write("\u{7}")  // other control characters are no part of a typed secret: rings the bell
            default:
                guard line.append(byte) else { throw KeyringError.tooLarge }
            }
        }
    }
}
