import Foundation
import Testing

@Suite("The scripts", .hangLimit)
struct ScriptsTests {}

extension ScriptsTests {
    /// Runs these lines of bash after Scripts/in-a-session, with their output in a pipe.
    private func piped(_ lines: String, in folder: String, _ before: String = "") async throws -> FinishedProgram {
        let script = "source \(Self.scripts)/in-a-session\n\(before)\n{ in_a_session \(lines); echo status $?; } 2>&1 | cat"
        // In CI the tests run in the background, where SIGINT is ignored, and Dispatch blocks signals on its threads; a shell inherits both.
        return try await FinishedProgram.run(
            ["/usr/bin/env", "--default-signal=INT,TERM", "/bin/bash", "-c", script],
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder], in: folder)
    }

    private static let scripts = DocumentedPage.root.path + "/Scripts"

    @Test("What a command leaves running when it crashes does not keep its output open", arguments: ["KILL", "SEGV"])
    func crash(signal: String) async throws {
        try await withTemporaryFolder { folder in
            // The second one as the tests start programs: at the head of a process group of its own.
            let run = try await piped("bash -c 'sleep 36000 & set -m; sleep 36000 & echo $! >\(folder)/pid; kill -\(signal) $$'", in: folder)
            #expect(run.output.contains("status \(signal == "KILL" ? 137 : 139)"), "\(run)")
            try await hasEnded(pidIn: "\(folder)/pid")
        }
    }

    private func hasEnded(pidIn file: String) async throws {
        let pid = try contents(ofFile: file).trimmingCharacters(in: .newlines)
        try await eventually("it has ended") {
            let state = try? contents(ofFile: "/proc/\(pid)/stat").split(separator: ")").last?.first { $0 != " " }
            return state == nil || state == "Z"
        }
    }

    @Test("At Ctrl-C, or told to end, it kills the command and what that has started, and says so by its status", arguments: ["INT", "TERM"])
    func interrupted(signal: String) async throws {
        try await withTemporaryFolder { folder in
            // Its output is elsewhere: what is left running would keep the pipe open.
            let command = "exec >\(folder)/log 2>&1; sleep 36000 & echo $! >\(folder)/pid; kill -\(signal) $PPID; wait"
            let run = try await piped("bash -c '\(command)'", in: folder)
            try #require(run.output.contains("status 130\n"), "\(run)")
            try await hasEnded(pidIn: "\(folder)/pid")
        }
    }

    @Test("While a command runs, its session has a file in the folder for that, and whoever ends the session ends the command")
    func session() async throws {
        try await withTemporaryFolder { folder in
            let sessions = "\(folder)/sessions"
            try FileManager.default.createDirectory(atPath: sessions, withIntermediateDirectories: false)
            let command = "source \(Self.scripts)/in-a-session; until [[ -e \(sessions)/$$ || ! -d \(sessions) ]]; do :; done; end_session $$"
            let run = try await piped("bash -c '\(command)'", in: folder, "sessions=\(sessions)")
            #expect(run.output.hasSuffix("status 137\n"), "\(run)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: sessions) == [])
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
        try await run("install", arguments, in: folder)
    }

    /// Calls a script from this folder.
    private func run(_ script: String, _ arguments: [String], in folder: String) async throws -> FinishedProgram {
        try await FinishedProgram.run(
            ["/bin/bash", "-c", "umask 077 && cd \"$0\" && exec bash \"$@\"", folder, "\(Self.scripts)/\(script)"] + arguments,
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
            for made in ["bin", "share/zsh", "share/zsh/site-functions"] {
                #expect(try mode("\(prefix)/\(made)") == 0o755, "\(made)")
            }

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

    /// Writes a program of these lines of a shell.
    ///
    /// Another process does it: what this one has open for writing, each program that is started just then has open, too, until it is
    /// what runs there, and what is open for writing cannot be run (ETXTBSY; seen in CI).
    private func writeProgram(_ lines: String, to path: String) async throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let run = try await FinishedProgram.run(
            ["/bin/bash", "-c", #"printf '#!/bin/bash\n%s\n' "$1" >"$0" && chmod 755 "$0""#, path, lines], environment: ["PATH": "/usr/bin:/bin"], in: folder)
        #expect(run.status == 0, "\(run)")
    }

    @Test("A tool without its trait is not installed, and an option or a prefix that is none is refused", arguments: ["", "built"])
    func notInstalled(built: String) async throws {
        try await withTemporaryFolder { folder in
            let tool = "\(folder)/built/stored-values"
            try await writeProgram("echo built without it >&2\nexit 69", to: tool)
            // By its whole path, or by that from where the script is called.
            let run = try await install(["--built", built.isEmpty ? "\(folder)/built" : built, "\(folder)/prefix"], in: folder)
            #expect(run.status == 1 && run.errors.contains("built without it\n\(tool) is not installed"), "\(run)")
            for argument in ["--prefix", "relative"] {
                let run = try await install([argument], in: folder)
                #expect(run.status == 64 && run.output == "" && run.errors != "", "\(run)")
            }
            #expect(try files(in: folder) == ["built/stored-values"])
        }
    }

    @Test("Where one of the built tools is missing, none is installed, and the option to leave it out is named")
    func missing() async throws {
        try await withTemporaryFolder { folder in
            try await writeProgram("echo 1.0", to: "\(folder)/built/stored-values")
            let run = try await install(["--built", "built", "\(folder)/prefix"], in: folder)
            #expect(run.status == 1 && run.errors.contains("--without-fleet"), "\(run)")
            #expect(try files(in: folder) == ["built/stored-values"])
        }
    }

    @Test("What a tool cannot print leaves the file that is there as it is, and what a killed installation has left is removed")
    func half() async throws {
        try await withTemporaryFolder { folder in
            let prefix = "\(folder)/prefix", completions = "\(prefix)/share/fish/vendor_completions.d"
            try await writeProgram("[[ $* != *fish ]] && echo 1.0", to: "\(folder)/built/stored-values")
            try FileManager.default.createDirectory(atPath: completions, withIntermediateDirectories: true)
            try writeFinished(Array("older".utf8), to: "\(completions)/stored-values.fish")
            let run = try await install(["--without-fleet", "--built", "built", prefix], in: folder)
            #expect(run.status == 1 && run.errors.contains("stored-values.fish was not installed"), "\(run)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: completions) == ["stored-values.fish"])
            #expect(try contents(ofFile: "\(completions)/stored-values.fish") == "older")

            try writeFinished([], to: "\(completions)/stored-values.fish.new")
            let removal = try await install(["--uninstall", prefix], in: folder)
            #expect(removal.status == 0 && removal.errors == "", "\(removal)")
            #expect(try files(in: prefix) == [])
        }
    }

    // MARK: Tests/run

    @Test(
        "The tests' script says which cases were skipped and why, and has the status of the tests",
        arguments: [("not installed: etcd, fish", "not installed: etcd, fish; 1 cases skipped"), ("no root", "no root; 1 cases skipped"), ("", "")])
    func skipped(reason: String, summary: String) async throws {
        let run = try await runTests([], skipping: reason)
        #expect(run.status == 0 && run.output.contains("--skip "), "\(run)")
        let said = summary.isEmpty ? "" : summary + "\n"
        #expect(run.output.hasSuffix("\n\(said)left out: what strains the machine or takes long (Tests/run --all)\n"), "\(run)")
    }

    @Test("With a filter nothing is left out", arguments: [["--filter", "KillTests"], ["--filter=KillTests"]])
    func filter(arguments: [String]) async throws {
        let run = try await runTests(arguments)
        #expect(run.status == 0 && run.output.hasSuffix(" \(arguments.joined(separator: " "))\n") && !run.output.contains("--skip"), "\(run)")
    }

    /// Runs Tests/run with a Swift that prints its arguments, and skips a case for this reason.
    private func runTests(_ arguments: [String], skipping reason: String = "") async throws -> FinishedProgram {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: "\(folder)/Scripts", withIntermediateDirectories: false)
            // Without what they would install.
            try writeFinished(Array("need_swift() { :; }\ninstall_packages() { :; }\n".utf8), to: "\(folder)/Scripts/install-packages")
            try writeFinished(Array("python_environment() { :; }\n".utf8), to: "\(folder)/Scripts/python-environment")
            try await writeProgram("echo \"$*\"\n[[ -z $REASON ]] || echo \"$REASON\" >>\"$STORED_VALUES_SKIPPED\"", to: "\(folder)/bin/swift")
            try FileManager.default.createDirectory(atPath: "\(folder)/Tests", withIntermediateDirectories: false)
            try FileManager.default.copyItem(atPath: DocumentedPage.root.path + "/Tests/run", toPath: "\(folder)/Tests/run")
            return try await FinishedProgram.run(
                ["/bin/bash", "\(folder)/Tests/run"] + arguments, environment: ["PATH": "\(folder)/bin:/usr/bin:/bin", "REASON": reason], in: folder)
        }
    }

    // MARK: Others

    @Test(
        "The scripts of the documentation refuse unknown options, and a folder with what is none of theirs stays",
        arguments: [
            ("build-documentation", ["--skip-biuld"], 64), ("build-documentation", ["--skip-build", "theirs", "more"], 64),
            ("build-documentation", ["theirs"], 1), ("check-documentation", ["--skip-build"], 64),
        ] as [(String, [String], Int32)])
    func documentation(script: String, arguments: [String], status: Int32) async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: "\(folder)/theirs", withIntermediateDirectories: false)
            try writeFinished(Array("theirs".utf8), to: "\(folder)/theirs/index.html")
            let run = try await run(script, arguments, in: folder)
            #expect(run.status == status && run.errors.contains(status == 64 ? "  Scripts/\(script) " : "\(folder)/theirs has other files"), "\(run)")
            #expect(try files(in: folder) == ["theirs/index.html"])
        }
    }

    @Test("A package of which only the configuration is left is not installed", arguments: ["installed", "config-files"])
    func packages(state: String) async throws {
        try await withTemporaryFolder { folder in
            try await writeProgram("[[ $* == *Status-Status* ]] && echo \(state); exit 0", to: "\(folder)/dpkg-query")
            let run = try await FinishedProgram.run(
                ["/bin/bash", "-c", "source \(Self.scripts)/install-packages; is_installed libqca-qt5-2-plugins; echo $?"],
                environment: ["PATH": "\(folder):/usr/bin:/bin"], in: folder)
            #expect(run.output == (state == "installed" ? "0\n" : "1\n"), "\(run)")
        }
    }

    @Test("A folder for temporary files whose name has special characters is none of the private keyring's, whose bus could not have that address")
    func address() async throws {
        try await withTemporaryFolder { folder in
            let temporary = "\(folder)/a, b"
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
            let script = """
                source \(Self.scripts)/private-keyring
                dbus-daemon() { :; }; gnome-keyring-daemon() { :; }; wait_until() { :; }
                trap end_private_keyring EXIT
                start_private_keyring
                echo "$DBUS_SESSION_BUS_ADDRESS"
                """
            let run = try await FinishedProgram.run(
                ["/bin/bash", "-c", script], environment: ["PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": temporary], in: folder)
            #expect(run.status == 0 && run.output.wholeMatch(of: /unix:path=[A-Za-z0-9\/._-]+\n/) != nil, "\(run)")
        }
    }
}
