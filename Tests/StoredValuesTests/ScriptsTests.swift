import Foundation
import Testing

@Suite("The scripts", .hangLimit)
struct ScriptsTests {}

extension ScriptsTests {
    /// Runs these lines of bash after Scripts/in-a-session, with their output in a pipe.
    private func piped(_ lines: String, in folder: String) async throws -> FinishedProgram {
        let script = "source \(DocumentedPage.root.path)/Scripts/in-a-session\n{ in_a_session \(lines); echo status $?; } 2>&1 | cat"
        return try await FinishedProgram.run(
            ["/bin/bash", "-c", script], environment: ["PATH": "/usr/bin:/bin", "HOME": folder], in: folder)
    }

    @Test("What a command leaves running when it crashes does not keep its output open", arguments: ["KILL", "SEGV"])
    func crash(signal: String) async throws {
        try await withTemporaryFolder { folder in
            // The second one as the tests start programs: at the head of a process group of its own.
            let run = try await piped("bash -c 'sleep 36000 & set -m; sleep 36000 & echo $! >\(folder)/pid; kill -\(signal) $$'", in: folder)
            #expect(run.output.contains("status \(signal == "KILL" ? 137 : 139)"), "\(run)")
            let pid = try contents(ofFile: "\(folder)/pid").trimmingCharacters(in: .newlines)
            try await eventually("it has ended") {
                let state = try? contents(ofFile: "/proc/\(pid)/stat").split(separator: ")").last?.first { $0 != " " }
                return state == nil || state == "Z"
            }
        }
    }

    @Test("The command's output and status are passed on", arguments: [0, 3])
    func status(status: Int) async throws {
        try await withTemporaryFolder { folder in
            let run = try await piped("bash -c 'echo out; echo err >&2; exit \(status)'", in: folder)
            #expect(run.output == "out\nerr\nstatus \(status)\n")
        }
    }

    // MARK: Scripts/install

    /// Runs Scripts/install with these arguments, in a home with nothing in it.
    private func install(_ arguments: [String], in folder: String) async throws -> FinishedProgram {
        try await FinishedProgram.run(
            ["/bin/bash", "\(DocumentedPage.root.path)/Scripts/install"] + arguments,
            environment: ["PATH": "/usr/bin:/bin", "HOME": "\(folder)/home"], in: folder)
    }

    /// All files in the folder, by their paths in it.
    private func files(in folder: String) throws -> Set<String> {
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return Set(paths.filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) != nil || !isFolder("\(folder)/\($0)") })
    }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    #if Fleet
        private static let tools = ["stored-values", "stored-values-fleet"], options: [String] = []
    #else
        private static let tools = ["stored-values"], options = ["--without-fleet"]
    #endif

    /// Installs the tools that were built along with the tests.
    private func installTools(to prefix: String, in folder: String) async throws {
        let built = URL(fileURLWithPath: try Tool.path).deletingLastPathComponent().path
        let run = try await install(Self.options + ["--built", built, prefix], in: folder)
        #expect(run.status == 0, "\(run)")
    }

    @Test("What is installed runs without an environment and says the version of the changelog; all of it can be removed, and nothing else is")
    func installed() async throws {
        try await withTemporaryFolder { folder in
            let tools = Self.tools, prefix = "\(folder)/a prefix"
            try FileManager.default.createDirectory(atPath: "\(prefix)/share/man/man1", withIntermediateDirectories: true)
            try writeFinished(Array("theirs".utf8), to: "\(prefix)/share/man/man1/other.1")
            try await installTools(to: prefix, in: folder)
            let expected = tools.flatMap { tool in
                [
                    "bin/\(tool)", "share/bash-completion/completions/\(tool)", "share/fish/vendor_completions.d/\(tool).fish",
                    "share/man/man1/\(tool).1", "share/zsh/site-functions/_\(tool)",
                ]
            }
            #expect(try files(in: prefix) == Set(expected + ["share/man/man1/other.1"]))

            let changes = try contents(ofFile: DocumentedPage.root.path + "/CHANGELOG.md")
            let version = try #require(changes.firstMatch(of: /(?m)^## ([0-9.]+)/)).1
            for tool in tools {
                let said = try await FinishedProgram.run(["\(prefix)/bin/\(tool)", "--version"], environment: [:], in: folder)
                #expect(said.status == 0 && said.output == "\(version)\n" && said.errors == "", "\(said)")
                let page = try contents(ofFile: "\(prefix)/share/man/man1/\(tool).1")
                let parts = [
                    ".Sh NAME\n.Nm \(tool)\n", ".Sh EXIT STATUS\n", ".Sh EXAMPLES\n", ".It Fl \\-app , Fl a Ar ", "\"StoredValues \(version)\"",
                ]
                for part in parts {
                    #expect(page.contains(part), "\(part)")
                }
                #expect(try contents(ofFile: "\(prefix)/share/zsh/site-functions/_\(tool)").hasPrefix("#compdef \(tool)\n"))
            }

            let removal = try await install(["--uninstall", prefix], in: folder)
            #expect(removal.status == 0 && removal.errors == "", "\(removal)")
            #expect(try files(in: prefix) == ["share/man/man1/other.1"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: prefix) == ["share"] && FileManager.default.contentsOfDirectory(atPath: "\(prefix)/share") == ["man"])
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/home"), "the home is left alone")
        }
    }

    @Test(
        "No program that shows the manual pages warns of what is in them",
        arguments: [["groff", "-man", "-mdoc", "-ww", "-z"], ["mandoc", "-T", "lint", "-W", "warning"]])
    func manuals(command: [String]) async throws {
        let program = try Program.orSkip(command[0])
        try await withTemporaryFolder { folder in
            try await installTools(to: "\(folder)/prefix", in: folder)
            let pages = Self.tools.map { "\(folder)/prefix/share/man/man1/\($0).1" }
            let said = try await FinishedProgram.run(
                [program.path] + command.dropFirst() + pages, environment: ["PATH": "/usr/bin:/bin"], in: folder)
            #expect(said.status == 0 && said.output + said.errors == "", "\(said)")
        }
    }

    @Test("A tool without its trait is not installed, and an option or a prefix that is none is refused")
    func notInstalled() async throws {
        try await withTemporaryFolder { folder in
            let tool = "\(folder)/stored-values"
            try writeFinished(Array("#!/bin/sh\necho built without it >&2\nexit 69\n".utf8), to: tool)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool)
            let run = try await install(["--built", folder, "\(folder)/prefix"], in: folder)
            #expect(run.status == 1 && run.errors.contains("\(tool) is not installed"), "\(run)")
            for argument in ["--prefix", "relative"] {
                let run = try await install([argument], in: folder)
                #expect(run.status == 64 && run.output == "" && run.errors != "", "\(run)")
            }
            #expect(try files(in: folder) == ["stored-values"])
        }
    }
}
