import Foundation
import Testing

@testable import StoredValuesFiles

@Suite("stored-values: places", .hangLimit)
struct ToolPlacesTests {
    /// Who owns the program, and who starts it.
    private let owner = uid_t(64_990), caller = uid_t(64_991)
}

extension ToolPlacesTests {
    /// Runs the tool from a shell, which can say what is no UTF-8.
    private func run(_ tool: Tool, _ script: String) async throws -> FinishedProgram {
        try await FinishedProgram.run(["/bin/sh", "-c", script], environment: tool.environment, in: tool.folder)
    }

    @Test(
        "A variable that is not UTF-8 leads nowhere, and never to another place",
        arguments: [
            ("HOME", "/h\\351", "set a 1"), ("XDG_CONFIG_HOME", "/h\\351", "set a 1"), ("STORED_VALUES_PREFERENCES", "/h\\351", "set a 1"),
            ("STORED_VALUES_KEYRING", "file:/h\\351", "secret list"), ("TMPDIR", "/h\\351", "edit"),
        ])
    func variables(name: String, value: String, command: String) async throws {
        try await withTool { tool in
            try tool.write(#"{"a": 0}"#)
            let before = try files(below: tool.folder)
            let run = try await run(tool, "export \(name)=\"$(printf '\(value)')\"; exec \"$TOOL\" \(command)")
            #expect(run.status == 78 && run.output == "" && run.errors.contains(name) && run.errors.contains("not UTF-8"), "\(run)")
            #expect(try files(below: tool.folder) == before)
        }
    }

    @Test(
        "An argument that is not UTF-8 names nothing",
        arguments: ["set a 1 --file \"$bad.json\"", "set a \"$bad\"", "get \"$bad\"", "secret get \"$bad\" --keyring \"file:s\""])
    func arguments(command: String) async throws {
        try await withTool { tool in
            let before = try files(below: tool.folder)
            let run = try await run(tool, "bad=\"$(printf 'caf\\351')\"; exec \"$TOOL\" \(command)")
            #expect(run.status == 64 && run.output == "" && run.errors.contains("is not UTF-8"), "\(run)")
            #expect(try files(below: tool.folder) == before)
        }
    }

    @Test("A variable that names no program is wrong, and not as if it were not set", arguments: ["a/b", ".x", "d\\351"], ["list", "doctor", "secret list"])
    func program(id: String, command: String) async throws {
        try await withTool { tool in
            let run = try await run(tool, "export STORED_VALUES_APP=\"$(printf '\(id)')\"; exec \"$TOOL\" \(command)")
            #expect(run.status == 78 && run.output == "" && run.errors.contains("STORED_VALUES_APP"), "\(run)")
        }
    }

    @Test(
        "A relative path begins at the folder that the tool works in, and nowhere if that is gone or not UTF-8",
        arguments: [
            ("mkdir sound; cd sound", true), ("mkdir gone; cd gone; rmdir ../gone", false),
            (#"name="$(printf 'caf\351')"; mkdir "$name"; cd "$name""#, false),
        ])
    func workingFolder(script: String, isSound: Bool) async throws {
        try await withTool { tool in
            for command in ["set a 1", "list", "edit"] {
                try? FileManager.default.removeItem(atPath: "\(tool.folder)/work")
                let run = try await run(
                    tool, "mkdir \"$HOME/work\"; cd \"$HOME/work\"; \(script); EDITOR=true exec \"$TOOL\" \(command) --file p-\(UUID().uuidString).json")
                guard !isSound else {
                    #expect(run.status == 0, "\(run)")
                    continue
                }
                #expect(run.status == 74 && run.errors.contains("was removed, or its name is not UTF-8"), "\(run)")
            }
            let made = try files(below: "\(tool.folder)/work") + files(below: "/")
            #expect(made.contains { $0.hasPrefix("/p-") } == false)
        }
    }

    /// The paths of all files below `folder`; of "/" only those in it.
    private func files(below folder: String) throws -> [String] {
        if folder == "/" { return try FileManager.default.contentsOfDirectory(atPath: "/").map { "/\($0)" } }
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return paths.filter { !$0.hasPrefix("program-") }.sorted()
    }

    // MARK: More rights than whoever starts it

    /// A copy of the program at `path` that runs as its owner, whoever starts it.
    private func makeSetuid(_ path: String, in folder: String) async throws -> String {
        let copy = "\(folder)/\(URL(fileURLWithPath: path).lastPathComponent)"
        // By another program: a child of another test, begun while this process writes the copy, would keep it from being run.
        let copying = try await Program.orSkip("cp").run([path, copy], environment: ProcessInfo.processInfo.environment)
        try #require(copying.status == 0)
        guard chown(copy, owner, owner) == 0, chmod(copy, 0o4755) == 0 else { throw SystemFailure("make \(copy) setuid", errno) }
        return copy
    }

    @Test(
        "A program with more rights than its user takes no path from the environment",
        arguments: [
            ("STORED_VALUES_PREFERENCES", "/p.json"), ("XDG_CONFIG_HOME", ""), ("HOME", ""),
        ])
    func setuid(variable: String, end: String) async throws {
        try SkippedCase.endUnlessRoot(because: "only root can make a program setuid")
        let setpriv = try Program.orSkip("setpriv").path
        let as3rd = [setpriv, "--reuid=\(caller)", "--regid=\(caller)", "--clear-groups"]
        try await withTool { tool in
            chmod(tool.folder, 0o755)
            func run(_ command: [String], _ variables: [String: String]) async throws -> FinishedProgram {
                try await FinishedProgram.run(as3rd + command, environment: variables, in: tool.folder)
            }
            let id = try await makeSetuid(try Program.orSkip("id").path, in: tool.folder)
            guard try await run([id, "-u"], [:]).output == "\(owner)\n" else {
                try SkippedCase.end(
                    because: "the place for temporary files is mounted nosuid, or setuid programs are off here", isRequired: true)
            }
            let variables = [variable: tool.folder + end, "STORED_VALUES_APP": "demo"]
            let plain = try await run([try Tool.path, "path", "--app", "demo"], variables)
            #expect(plain.status == 0 && plain.output.hasPrefix(tool.folder), "\(plain)")
            let copy = try await makeSetuid(try Tool.path, in: tool.folder)
            let path = try await run([copy, "path", "--app", "demo"], variables)
            #expect(path.status == 78 && path.output == "" && path.errors.contains("ignores the environment"), "\(path)")
            let secret = try await run([copy, "secret", "list", "--service", "demo"], ["STORED_VALUES_KEYRING": "file:\(tool.folder)/s"])
            #expect(secret.status == 69 && !FileManager.default.fileExists(atPath: "\(tool.folder)/s"), "\(secret)")
            let bus = try await run(
                [copy, "secret", "list", "--service", "demo"], ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(tool.folder)/bus"])
            let answers = ["no D-Bus session bus", "built without this keyring"]
            #expect(bus.status == 69 && answers.contains { bus.errors.contains($0) }, "\(bus)")
        }
    }
}
