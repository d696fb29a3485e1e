import Foundation
import StoredValuesSupport
import Testing

/// The number in a line that a process has printed.
func number(_ line: String?) throws -> Int {
    try #require(line.flatMap { Int($0) }, "the process printed \(line ?? "nothing")")
}

/// The program of `Tests/TestProcess`, running: another process that uses the library. `TestProcesses` starts it.
final class TestProcess: Sendable {
    /// What it logged, as far as its lines were read.
    var logs: [String] { logged.withLock { $0 } }

    private let process: ChildProcess
    private let logged = Guarded<[String]>([])
    /// What blocks happens here, one call after the other.
    private let queue = DispatchQueue(label: "TestProcess")

    private static let logMark = "log: "
    /// Long enough for any machine under any load; waiting for it means failure.
    private static let limit = hangLimit

    fileprivate init(_ process: ChildProcess) {
        self.process = process
    }

    /// The command line that starts it.
    static func command(_ arguments: [String]) throws -> [String] {
        [try BuiltProgram.path("TestProcess")] + arguments
    }

    // MARK: Reading and writing

    /// The next line that it prints; nil when its output is at an end. What it logs goes to `logs`.
    func line() async throws -> String? {
        try await blocking {
            while let line = try self.process.line(within: Self.limit) {
                guard line.hasPrefix(Self.logMark) else { return line }
                self.logged.withLock { $0.append(String(line.dropFirst(Self.logMark.count))) }
            }
            return nil
        }
    }

    /// All further lines, up to its end.
    func lines() async throws -> [String] {
        var lines: [String] = []
        while let line = try await line() { lines.append(line) }
        return lines
    }

    /// Sends a line to its standard input.
    func send(_ line: String) throws {
        try process.send(line)
    }

    /// Sends a line and returns the answer.
    func ask(_ question: String) async throws -> String {
        try send(question)
        guard let answer = try await line() else { throw NoAnswer(question: question) }
        return answer
    }

    private struct NoAnswer: Error {
        let question: String
    }

    // MARK: Its life

    /// Whether it is known that it has ended, which does not wait.
    var hasEnded: Bool { process.hasEnded }

    func signal(_ signal: Int32) { process.signal(signal) }

    /// Stops it where it is, and returns when it stands still.
    func stop() async throws { try await blocking { try self.process.stop() } }

    /// Kills it and returns when it is gone.
    @discardableResult
    func kill() async throws -> ChildProcess.End {
        process.kill()
        return try await end()
    }

    /// Waits for its end. What it printed before is read away.
    func end() async throws -> ChildProcess.End {
        try await blocking { try self.process.waitForEnd(within: Self.limit) }
    }

    private func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }
}

/// The processes of one test, which are ended with it, however it ends: a local variable may go after its last use, and the
/// process with it.
final class TestProcesses: Sendable {
    private let processes = Guarded<[ChildProcess]>([])

    /// Starts `TestProcess` with `arguments`; without `environment` it has ours.
    ///
    /// - Parameter launcher: A command that runs the command after it in its own place, such as `setpriv …`.
    func start(
        _ arguments: String..., environment: [String: String]? = nil, by launcher: [String] = []
    ) throws -> TestProcess {
        try start(command: launcher + TestProcess.command(arguments), environment: environment)
    }

    /// Starts another program, a path and its arguments, that is spoken with in the same way.
    func start(command: [String], environment: [String: String]? = nil) throws -> TestProcess {
        let process = try ChildProcess(command, environment: environment ?? ProcessInfo.processInfo.environment)
        processes.withLock { $0.append(process) }
        return TestProcess(process)
    }

    deinit {
        // All at once, then each is waited for.
        for process in processes.withLock({ $0 }) { process.kill() }
    }
}
