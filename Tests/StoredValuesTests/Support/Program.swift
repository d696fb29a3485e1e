import Foundation
import StoredValuesSupport
import Testing

/// A program of the system that tests start.
struct Program {
    let path: String

    /// The program called `name` in the search path, or where distributions put what only root or other programs start, if it is
    /// installed.
    init?(named name: String) {
        let folders = "\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"):/usr/sbin:/usr/libexec"
        guard
            let path = folders.split(separator: ":").map({ "\($0)/\(name)" })
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
        limit.schedule(deadline: .now() + .nanoseconds(Int(hangLimit.nanoseconds)))
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

/// The programs that are built along with the tests.
enum BuiltProgram {
    /// The path of the one called `name`. All are built into the tests' own folder, whatever that is; only a TestProcess that
    /// was built otherwise, such as with a sanitizer, is named by a variable.
    static func path(_ name: String) throws -> String {
        if name == "TestProcess", let path = ProcessInfo.processInfo.environment["STORED_VALUES_TEST_PROCESS"] { return path }
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
    }
}

/// The Python environment that `Tests/run` makes, with the packages of `Tests/requirements.txt`.
enum Python {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let interpreter = package.path + "/.build/python/bin/python3"

    /// False where the environment is missing and this is not continuous integration: there it is a failure.
    static let isAvailable =
        FileManager.default.isExecutableFile(atPath: interpreter) || ProcessInfo.processInfo.environment["CI"] == "true"

    /// What a skipped test says.
    static let skipReason = "there is no \(interpreter): Tests/run makes it"

    /// The command that runs a program of `Tests/Programs` with these arguments, for a shell.
    static func command(_ program: String, _ arguments: String...) -> String {
        ([interpreter, "\(package.path)/Tests/Programs/\(program)"] + arguments).map { "'\($0)'" }.joined(separator: " ")
    }
}
