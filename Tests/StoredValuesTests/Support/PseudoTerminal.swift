import Foundation
import Glibc
import StoredValuesSupport

/// A program in a terminal: what it shows can be looked at, and keys can be typed.
final class PseudoTerminal: Sendable {
    private let process: Process
    private let keyboard: FileHandle
    private let shown = Shown()

    /// Both ends of a new terminal: what a person types and sees, and what a program has.
    static func open(columns: Int = 80) throws -> (keyboard: FileHandle, screen: FileHandle) {
        // As posix_openpt(3) and its kin do it, which are not to be had in Swift; nor are the requests' names (ioctl_tty(2)).
        let primary = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var lock: Int32 = 0, number: Int32 = 0
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        guard primary >= 0, ioctl(primary, setLock, &lock) == 0, ioctl(primary, getNumber, &number) == 0 else {
            throw SystemFailure("open a terminal", errno)
        }
        let keyboard = FileHandle(fileDescriptor: primary, closeOnDealloc: true)
        let replica = Glibc.open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard replica >= 0 else { throw SystemFailure("open a terminal's other end", errno) }
        let screen = FileHandle(fileDescriptor: replica, closeOnDealloc: true)
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(primary, UInt(TIOCSWINSZ), &size) == 0 else { throw SystemFailure("size a terminal", errno) }
        return (keyboard, screen)
    }

    init(_ command: [String], environment: [String: String], columns: Int = 80) throws {
        let screen: FileHandle
        (keyboard, screen) = try Self.open(columns: columns)
        process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = environment.merging(["TERM": "xterm-256color"]) { own, _ in own }
        process.standardInput = screen
        process.standardOutput = screen
        process.standardError = screen
        try process.runAlone()
        try screen.close()  // or its end would never show
        Thread.detachNewThread { [shown, keyboard] in
            var bytes = [UInt8](repeating: 0, count: 4096)
            // Ends with EIO when the last process that has the terminal is gone.
            while case let count = read(keyboard.fileDescriptor, &bytes, bytes.count), count > 0 {
                shown.append(bytes[..<count])
            }
            shown.end()
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// All that was shown up to now.
    var text: String { shown.text }

    /// The lines that were shown, without their ends.
    var lines: [String] { text.split(separator: "\r\n").map(String.init) }

    /// Whether it shows what is typed.
    var echoes: Bool {
        var settings = termios()
        return tcgetattr(keyboard.fileDescriptor, &settings) != 0 || settings.c_lflag & tcflag_t(ECHO) != 0
    }

    func type(_ keys: String) throws {
        try keyboard.write(contentsOf: Data(keys.utf8))
    }

    func waits(for text: String) async throws {
        do {
            try await eventually("the terminal shows \"\(text)\"") { self.text.contains(text) }
        } catch is NeverHappened {
            throw Otherwise(expected: text, shown: self.text, isRunning: process.isRunning)
        }
    }

    private struct Otherwise: Error {
        let expected: String
        let shown: String
        let isRunning: Bool
    }

    /// Waits for the program's end, and until all that it has shown is read. Returns its status, or minus the signal that ended it.
    func end() async throws -> Int32 {
        try await eventually("the program in the terminal ends") { !process.isRunning }
        try await eventually("all that was shown is read") { shown.hasEnded }
        let isSignal = process.terminationReason == .uncaughtSignal
        return isSignal ? -process.terminationStatus : process.terminationStatus
    }
}

/// What a terminal has shown.
private final class Shown: Sendable {
    private let state = Guarded<(bytes: [UInt8], hasEnded: Bool)>(([], false))

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }
    /// Whether nothing can come any more.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func end() { state.withLock { $0.hasEnded = true } }

    func append(_ more: ArraySlice<UInt8>) { state.withLock { $0.bytes += more } }
}
