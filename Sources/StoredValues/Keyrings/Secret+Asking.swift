import StoredValuesSupport

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension Secret {
    /// Asks the user for a secret at the terminal, which does not show it. If the standard input is not a terminal, all of it is the secret: if
    /// it may be something else, as in the closure of a passphrase, check `isatty(STDIN_FILENO)` first.
    ///
    /// ```swift
    /// func askForPassword() throws -> String? {
    ///     let password = try Secret.ask("Password: ").text
    ///     return password?.isEmpty == false ? password : nil
    /// }
    /// ```
    ///
    /// The secret excludes one line break at its end, and is empty if the user enters nothing. The question goes to the standard error, on one
    /// line; that must be a terminal, too. Backspace removes a character, Ctrl-U all; Ctrl-C ends the process by SIGINT, and leaves the terminal as it was.
    /// Arrow keys and other keys without a character are ignored.
    ///
    /// Blocks the thread until the user is done. Call it where no other thread reads the standard input.
    ///
    /// Throws ``KeyringError/tooLarge`` above 1 MiB, and ``KeyringError/other(domain:code:message:)`` of the domain `terminal` if the question
    /// cannot be written or the input cannot be read.
    public static func ask(_ question: String) throws(KeyringError) -> Secret {
        try isTypedByUser ? typed(question) : ofStandardInput()
    }

    /// Whether the standard input is a terminal.
    package static var isTypedByUser: Bool { isatty(STDIN_FILENO) == 1 }

    /// All of the standard input, without one line break at its end unless `isVerbatim`.
    package static func ofStandardInput(isVerbatim: Bool = false) throws(KeyringError) -> Secret {
        // One byte more than the largest secret and CR LF, so that a longer input is noticed.
        let buffer = SecretBuffer(capacity: sizeLimit + 3)
        while try buffer.readOn() {}
        return try buffer.secret(isVerbatim: isVerbatim)
    }

    private static func typed(_ question: String) throws(KeyringError) -> Secret {
        guard isatty(STDERR_FILENO) == 1 else { throw .terminal(SystemErrorCode(rawValue: errno), "The secret cannot be asked for", advice) }
        // Before the question: keys typed in between would be shown, and then discarded. Until the end of this scope nothing may end the
        // process, which would leave the echo off.
        let terminal = try HiddenTerminal()
        try show(question.asOneLine(upTo: .max))
        defer { try? show("\n") }
        let line = SecretBuffer(capacity: sizeLimit + 1)
        var sequence = KeySequence()
        while try line.readOn(atMost: 1), let key = line.last {
            guard !sequence.includes(key) else {
                line.removeLast()
                continue
            }
            guard key < 0x20 || key == 0x7F else {
                guard line.count <= sizeLimit else { throw .tooLarge }
                continue
            }
            line.removeLast()
            switch key {
            case 0x0A, 0x0D, 0x04: return try line.secret()  // the last is Ctrl-D
            case 0x03:  // Ctrl-C; the process ends before the end of this scope
                _ = consume terminal
                try? show("\n")
                endProcess(by: SIGINT)
            case 0x15: line.removeAll()  // Ctrl-U
            case 0x08, 0x7F: line.removeCharacter()
            case 0x1B where isMoreTyped: sequence.begin()
            default: try? show("\u{7}")  // other control characters are not accepted: rings the bell
            }
        }
        return try line.secret()
    }

    /// Whether more input follows at once. Otherwise the escape character is the Escape key itself.
    private static var isMoreTyped: Bool {
        var terminal = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return (try? system { poll(&terminal, 1, 50) }) == 1
    }

    private static let advice = "Send it through a pipe, or let the standard error be the terminal."

    /// Writes to the standard error, which is a terminal: no SIGPIPE comes from there.
    private static func show(_ text: String) throws(KeyringError) {
        var rest = Array(text.utf8)[...]
        do throws(SystemErrorCode) {
            while !rest.isEmpty { rest.removeFirst(try system { rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) } }) }
        } catch { throw .terminal(error, "The secret cannot be asked for", advice) }
    }
}

extension KeyringError {
    fileprivate static func terminal(_ code: SystemErrorCode, _ what: String, _ advice: String) -> KeyringError {
        .other(domain: terminalDomain, code: Int(code.rawValue), message: "\(what): \(String(cString: strerror(code.rawValue))). \(advice)")
    }
}

/// The terminal at the standard input echoes nothing and delivers every key, for the lifetime of this value.
private struct HiddenTerminal: ~Copyable {
    private var old = termios()

    init() throws(KeyringError) {
        var old = termios()
        do throws(SystemErrorCode) {
            try system { tcgetattr(STDIN_FILENO, &old) }
            var new = old
            // Without ISIG, Ctrl-C arrives as a key: the process cannot end without restoring the terminal.
            new.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
            withUnsafeMutableBytes(of: &new.c_cc) { keys in
                keys[Int(VMIN)] = 1
                keys[Int(VTIME)] = 0
            }
            try system { tcsetattr(STDIN_FILENO, TCSAFLUSH, &new) }
        } catch {
            throw .terminal(error, "The terminal's echo cannot be turned off", "Send the secret through a pipe.")
        }
        self.old = old
    }

    deinit {
        var old = old
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &old)
    }
}

/// What a terminal sends for an arrow key or another one without a character: the escape character, `[` or `O`, parameters, and one byte of
/// 0x40 to 0x7E (ECMA-48, 5.4). For F1 to F5 the console of Linux sends a second `[`.
private struct KeySequence {
    /// How many bytes there were behind the escape character; nil outside of a sequence.
    private var count: Int?

    /// The escape character has come.
    mutating func begin() { count = 0 }

    /// Whether the next byte belongs to the sequence. A control character ends it.
    mutating func includes(_ byte: UInt8) -> Bool {
        guard let before = count else { return false }
        switch (before, byte) {
        case (0, UInt8(ascii: "[")), (0, UInt8(ascii: "O")), (1, UInt8(ascii: "[")), (1..., 0x20...0x3F): count = before + 1
        case (1..., 0x40...0x7E): count = nil
        default:
            count = nil
            return false
        }
        return true
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

    /// A copy of the bytes, without one line break at the end unless `isVerbatim`.
    func secret(isVerbatim: Bool = true) throws(KeyringError) -> Secret {
        let copied = isVerbatim ? bytes : bytes.withoutLineBreak
        guard copied.count <= Secret.sizeLimit else { throw .tooLarge }
        return Secret(copied)
    }

    /// Valid inside of a method only: nothing else keeps the buffer alive while they are used.
    private var bytes: Slice<UnsafeRawBufferPointer> { UnsafeRawBufferPointer(storage)[..<count] }
    var last: UInt8? { bytes.last }

    /// Reads more of standard input; false at its end, or if there is no room.
    func readOn(atMost limit: Int = .max) throws(KeyringError) -> Bool {
        let free = storage[count...].prefix(limit)
        do {
            let added = try system { read(STDIN_FILENO, UnsafeMutableRawBufferPointer(rebasing: free).baseAddress, free.count) }
            count += added
            return added > 0
        } catch { throw .terminal(error, "The standard input cannot be read", "Send the secret through a pipe.") }
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
