import Foundation

/// What a program that was run to its end has left.
struct FinishedProgram {
    let status: Int32
    let output: String
    let errors: String

    /// Runs `command`, a path and its arguments, with files in `folder` as its input and output, so that no thread need wait for
    /// the end of a pipe.
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
        func file(_ suffix: String) throws -> FileHandle {
            try FileHandle(forUpdating: URL(fileURLWithPath: path + suffix))
        }
        try inputBytes.write(to: URL(fileURLWithPath: path + ".in"))
        for suffix in [".out", ".err"] { try Data().write(to: URL(fileURLWithPath: path + suffix)) }
        defer { for suffix in [".in", ".out", ".err"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = environment
        let files = try [".in", ".out", ".err"].map(file)
        defer { for file in files { try? file.close() } }
        (process.standardInput, process.standardOutput, process.standardError) = (files[0], files[1], files[2])
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try startingAlone { try process.run() } } catch { continuation.resume(throwing: error) }
        }
        func text(_ suffix: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: path + suffix)), as: UTF8.self)
        }
        return FinishedProgram(status: process.terminationStatus, output: try text(".out"), errors: try text(".err"))
    }
}
