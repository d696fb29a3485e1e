import Foundation
import StoredValuesSupport

/// What a program that was run to its end has left.
struct FinishedProgram {
    let status: Int32
    let output: String
    let errors: String

    /// Runs `command`, a path and its arguments, with files in `folder` as its input and output, so that no thread need wait for
    /// the end of a pipe. If it hangs, it is killed, and this throws.
    static func run(
        _ command: [String], environment: [String: String], input: String = "", in folder: String
    ) async throws -> FinishedProgram {
        try await run(command, environment: environment, inputBytes: Data(input.utf8), in: folder)
    }

    /// The same with any bytes as its input.
    static func run(
        _ command: [String], environment: [String: String], inputBytes: Data, in folder: String
    ) async throws -> FinishedProgram {
        let path = "\(folder)/program-\(UUID().uuidString)"
        try inputBytes.write(to: URL(fileURLWithPath: path + ".in"))
        for suffix in [".out", ".err"] { try Data().write(to: URL(fileURLWithPath: path + suffix)) }
        defer { for suffix in [".in", ".out", ".err"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = environment
        let hasHung = Guarded(false)
        let limit = DispatchSource.makeTimerSource(queue: .global())
        limit.setEventHandler { [process] in
            let pid = process.processIdentifier
            guard process.isRunning, pid > 0 else { return }
            hasHung.withLock { $0 = true }
            kill(-pid, SIGKILL)  // and what it has started: Foundation makes it the head of a process group
        }
        limit.schedule(deadline: .now() + hangLimit.dispatchInterval)
        limit.activate()
        defer { limit.cancel() }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try start(process, with: path) } catch { continuation.resume(throwing: error) }
        }
        guard !hasHung.withLock({ $0 }) else { throw NeverHappened(what: "\(command[0]) ends", limit: hangLimit) }
        func text(_ suffix: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: path + suffix)), as: UTF8.self)
        }
        return FinishedProgram(status: process.terminationStatus, output: try text(".out"), errors: try text(".err"))
    }

    /// Starts `process` with the files at `path` as its input and output. They are open here no longer than that: hundreds of programs
    /// run at once, and `Process` bears only so many open files.
    private static func start(_ process: Process, with path: String) throws {
        let files = try [".in", ".out", ".err"].map { try FileHandle(forUpdating: URL(fileURLWithPath: path + $0)) }
        defer { for file in files { try? file.close() } }
        (process.standardInput, process.standardOutput, process.standardError) = (files[0], files[1], files[2])
        try process.runAlone()
    }
}
