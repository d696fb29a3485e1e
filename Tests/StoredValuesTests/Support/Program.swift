import Foundation
import Testing

/// A program of the system that tests start.
struct Program {
    let path: String

    /// The program called `name` in the search path, or where distributions put what only root or other programs start, if it is
    /// installed.
    init?(named name: String) {
        let folders = "\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"):/usr/sbin:/usr/libexec"
        guard let path = folders.split(separator: ":").map({ "\($0)/\(name)" })
            .first(where: FileManager.default.isExecutableFile(atPath:))
        else {
            return nil
        }
        self.path = path
    }

    /// The program called `name`. Where it is not installed the test is skipped and says so; in continuous integration it fails.
    static func orSkip(_ name: String) throws -> Program {
        if let program = Program(named: name) { return program }
        try SkippedCase.end(because: "not installed: \(name)", isRequired: true)
    }

    /// Starts the program with `input` on its standard input, and does not wait for its end. If it crashes, the tests' output
    /// says so. Starting itself takes long enough to hold up other tests, so it does not happen on Swift's pool.
    func start(
        _ arguments: [String], environment: [String: String], input: String = "", errors: FileHandle = .nullDevice
    ) async throws -> Process {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result { try launch(arguments, environment: environment, input: input, errors: errors) })
            }
        }
    }

    private func launch(
        _ arguments: [String], environment: [String: String], input: String, output: Pipe? = nil, errors: FileHandle
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        process.standardError = errors
        if let output { process.standardOutput = output } else { process.standardOutput = FileHandle.nullDevice }
        let pipe = Pipe.forOneChild()
        process.standardInput = pipe
        process.terminationHandler = { [path] process in
            guard process.terminationReason == .uncaughtSignal, process.terminationStatus != SIGKILL else { return }
            print("\(path) ended itself, by signal \(process.terminationStatus)")
        }
        try process.runAlone()
        try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))  // it may have ended without reading
        try pipe.fileHandleForWriting.close()
        return process
    }

    /// Runs the program to its end, on a thread that may block. What it says of errors is dropped unless `errors` is named.
    func run(
        _ arguments: [String], environment: [String: String], input: String = "", errors: FileHandle = .nullDevice
    ) async throws -> (status: Int32, output: String) {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        let output = Pipe.forOneChild()
                        let process = try launch(
                            arguments, environment: environment, input: input, output: output, errors: errors)
                        let data = try output.fileHandleForReading.readToEnd() ?? Data()
                        process.waitUntilExit()
                        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
                    }
                )
            }
        }
    }
}
