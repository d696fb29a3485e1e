import Foundation

/// A program that did not do what a test needs.
struct ProgramFailed: Error, CustomStringConvertible {
    let description: String
}

/// The folder of the whole project.
let project = URL(fileURLWithPath: #filePath).pathComponents.dropLast(6).joined(separator: "/").dropFirst()

extension Pipe {
    /// A pipe of which a child has only the end that it is given: else the other end would stay open in children that start later.
    static func forOneChild() -> Pipe {
        let pipe = Pipe()
        for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] { _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        return pipe
    }
}

/// Starts a program by its name or path.
func start(
    _ command: [String], _ environment: [String: String], input: Any? = FileHandle.nullDevice, output: Any? = FileHandle.standardError,
    errors: Any? = FileHandle.standardError
) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = environment.merging(["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]) { own, _ in own }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    return process
}

/// Runs a program to its end, which comes soon, and returns what it printed. Throws if it failed.
@discardableResult
func run(_ command: [String], _ environment: [String: String], input: String = "") throws -> String {
    let (standardInput, output) = (Pipe.forOneChild(), Pipe.forOneChild())
    let process = try start(command, environment, input: standardInput, output: output)
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ProgramFailed(description: "\(command): \(process.terminationStatus), \(text)") }
    return text
}

/// The lines that come through a pipe, to its end. They are read on a thread of its own, for that blocks.
func lines(of pipe: Pipe) -> AsyncStream<String> {
    let (stream, line) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
        var rest: [UInt8] = []
        while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
            var parts = (rest + data).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = Array(parts.removeLast())
            for part in parts { line.yield(String(decoding: part, as: UTF8.self)) }
        }
        line.finish()
    }
    return stream
}
