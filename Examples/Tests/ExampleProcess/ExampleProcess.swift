import Foundation

/// An example that runs as a process of its own, with a home folder of its own and out of reach of any session bus. It is
/// killed when this object goes.
public final class ExampleProcess: Sendable {
    /// What it prints, also of errors, line by line. One reader may read them.
    public let lines: Lines
    private let process = Process()
    private let status: AsyncStream<Int32>

    /// Starts the example that is called `name`.
    ///
    /// - Parameters:
    ///   - home: Its `HOME`; the only environment variable besides those of `environment`.
    ///   - input: The line that it reads from standard input. It need not see the end of the input, which comes late where
    ///     another process was started meanwhile and has got this end of the pipe.
    public init(
        _ name: String, _ arguments: [String] = [], home: String, environment: [String: String] = [:], input: String = ""
    ) throws {
        let (standardInput, output) = (Pipe(), Pipe())
        process.executableURL = try Self.location(of: name)
        process.arguments = arguments
        process.environment = environment.merging(["HOME": home]) { given, _ in given }
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try? standardInput.fileHandleForWriting.write(contentsOf: Data("\(input)\n".utf8))  // it may have ended without reading
        try standardInput.fileHandleForWriting.close()

        let (lines, line) = AsyncStream<String>.makeStream()
        let (status, end) = AsyncStream<Int32>.makeStream()
        self.lines = Lines(stream: lines)
        self.status = status
        // Reading blocks, so it happens on a thread of its own and not on Swift's pool.
        Thread { [process] in
            var rest: [UInt8] = []
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                var parts = (rest + data).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = Array(parts.removeLast())
                for part in parts { line.yield(String(decoding: part, as: UTF8.self)) }
            }
            if !rest.isEmpty { line.yield(String(decoding: rest, as: UTF8.self)) }
            line.finish()
            process.waitUntilExit()
            end.yield(process.terminationStatus)
            end.finish()
        }.start()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Asks it to end, as systemd does.
    public func terminate() {
        process.terminate()
    }

    /// Its exit status, or the number of the signal that ended it. Waits for its end; ask once.
    public var exitStatus: Int32? {
        get async { await status.first { _ in true } }
    }

    /// All that it prints from now on to its end.
    public var allLines: [String] {
        get async { await lines.reduce(into: []) { $0.append($1) } }
    }

    /// Examples are built into the folder of the tests, whatever that is.
    private static func location(of name: String) throws -> URL {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name)
    }
}
