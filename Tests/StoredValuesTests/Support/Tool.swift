import Foundation

/// The command line tool in a home of its own, out of reach of any session bus, as scripts and people run it.
struct Tool {
    let folder: String
    var environment: [String: String]

    /// The tool with `folder` as its home. Its program is "demo", and its secrets lie in an encrypted file.
    init(in folder: String) throws {
        self.folder = folder
        environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder, "TMPDIR": "\(folder)/tmp",
            "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_DIRS": "\(folder)/etc", "LC_ALL": "C.UTF-8", "STORED_VALUES_APP": "demo",
            "STORED_VALUES_KEYRING": "file:\(folder)/secrets", "TOOL": try Self.path,
        ]
        try FileManager.default.createDirectory(atPath: "\(folder)/tmp", withIntermediateDirectories: true)
    }

    static var path: String { get throws { try BuiltProgram.path("stored-values") } }

    /// Where the program's settings lie.
    var file: String { "\(folder)/.config/demo/preferences.json" }

    /// Puts `text` where the program's settings lie.
    func write(_ text: String, to path: String? = nil) throws {
        let url = URL(fileURLWithPath: path ?? file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try writeFinished(Array(text.utf8), to: url.path)
    }

    /// Runs the tool to its end.
    @discardableResult
    func run(_ arguments: String..., input: String = "") async throws -> FinishedProgram {
        try await run(arguments, input: input)
    }

    /// The same with a list of arguments.
    ///
    /// On a busy machine the file with the secrets may not answer within the tool's limit of 5 s; then again, as the error says.
    @discardableResult
    func run(_ arguments: [String], input: String = "") async throws -> FinishedProgram {
        try await FinishedProgram.inTime {
            try await FinishedProgram.run([Self.path] + arguments, environment: environment, input: input, in: folder)
        }
    }

    /// The same tool with other variables; nil takes one away.
    func with(_ variables: [String: String?]) -> Tool {
        var tool = self
        for (name, value) in variables { tool.environment[name] = value }
        return tool
    }

    /// Starts the tool in a terminal.
    func start(_ arguments: String..., columns: Int = 80) throws -> PseudoTerminal {
        try PseudoTerminal([Self.path] + arguments, environment: environment, columns: columns)
    }
}

extension FinishedProgram {
    /// Runs a program, and again while a keyring was not in time.
    static func inTime(_ attempt: () async throws -> FinishedProgram) async throws -> FinishedProgram {
        var run = try await attempt()
        try await eventually("the keyring is in time") {
            if run.wasLate { run = try await attempt() }
            return !run.wasLate
        }
        return run
    }

    /// Whether a keyring was not in time; `doctor` says it in its findings, which it wraps.
    var wasLate: Bool {
        let shown = status == 75 ? errors : output
        return shown.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("The keyring did not answer within")
    }
}

/// Runs `body` with a tool in a fresh folder.
func withTool(isolation: isolated (any Actor)? = #isolation, _ body: (Tool) async throws -> Void) async throws {
    try await withTemporaryFolder { try await body(Tool(in: $0)) }
}
