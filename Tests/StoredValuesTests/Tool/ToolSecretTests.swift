import Foundation
import Testing

@Suite("stored-values secret", .hangLimit)
struct ToolSecretTests {
    private let text = TestSecret.text()
}

extension ToolSecretTests {
    @Test(
        "A secret comes from the standard input without the line break at its end, and goes into a pipe byte for byte",
        arguments: [
            ("\n", []), ("\r\n", []), ("", []), ("\n", ["--verbatim"]), ("\n\n", []),
        ])
    func roundTrip(end: String, options: [String]) async throws {
        try await withTool { tool in
            let command = ["secret", "set", "token"] + options
            let set = try await tool.run(command, input: text + end)
            #expect(set.status == 0 && set.output == "" && set.errors == "", "\(set)")
            let kept = options.isEmpty ? (end == "\n\n" ? "\n" : "") : end
            let get = try await tool.run("secret", "get", "token")
            let isRead = get.output == text + kept
            #expect(get.status == 0 && isRead)
            #expect(try await tool.run("secret", "list").output == "token\n")
            #expect(try await tool.run("secret", "list", "--json").output == "[\n  \"token\"\n]\n")
            #expect(try await tool.run("secret", "list", "--service", "other").output == "")
        }
    }

    @Test("What is absent has status 1; removing succeeds either way")
    func absent() async throws {
        try await withTool { tool in
            let run = try await tool.run("secret", "get", "token")
            #expect(run.status == 1 && run.output == "" && run.errors.contains("There is no secret \"demo/token\""))
            try await tool.run("secret", "set", "token", input: text)
            for _ in 0..<2 { #expect(try await tool.run("secret", "remove", "token").status == 0) }
            #expect(try await tool.run("secret", "get", "token").status == 1)
        }
    }

    @Test("A secret on the command line is refused, and so are an empty and an oversized one; none is shown")
    func refused() async throws {
        try await withTool { tool in
            for words in [[text], ["--", "-\(text)"], ["--\(text)"], ["-\(text)"], ["--app", "demo", text]] {
                let argument = try await tool.run(["secret", "set", "token"] + words)
                #expect(argument.status == 64 && argument.errors.contains("standard input"), "\(words.count) words")
                let isShown = TestSecret.traces(in: argument.errors + argument.output) != []
                #expect(!isShown)
            }
            for words in [["add"], ["sett"], ["--", "set"]] {
                let mistyped = try await tool.run(["secret"] + words + ["token", text])
                #expect(mistyped.status == 64 && TestSecret.traces(in: mistyped.errors + mistyped.output) == [])
            }
            for words in [["secrets", "set"], ["--", "secret", "set"], ["set", "secret"]] {
                let mistyped = try await tool.run(words + ["token", text])
                #expect(mistyped.status == 64 && TestSecret.traces(in: mistyped.errors + mistyped.output) == [])
            }
            #expect(try await tool.run("secret", "set", "token").status == 64)
            let large = try await tool.run("secret", "set", "token", input: String(repeating: text, count: 100_000))
            #expect(large.status == 65 && TestSecret.traces(in: large.errors) == [])
            #expect(try await tool.run("secret", "list").output == "")
        }
    }

    @Test("The largest secret may have a line break behind it; with more behind that it is too large, and is not cut off")
    func largest() async throws {
        try await withTool { tool in
            let largest = String(repeating: "x", count: 1 << 20)
            for (end, status) in [("\r\n", Int32(0)), ("\r\n\r\n", 65), ("\r\nmore", 65)] {
                let run = try await tool.run("secret", "set", status == 0 ? "token" : "other", input: largest + end)
                #expect(run.status == status, "\(run)")
            }
            #expect(try await tool.run("secret", "list").output == "token\n")
            let isWhole = try await tool.run("secret", "get", "token").output == largest
            #expect(isWhole)
        }
    }

    @Test(
        "Absence and the reason why a keyring gives no answer are distinguished",
        arguments: [
            ("keychain", Int32(78), "is not a valid keyring"), ("credentials:/no/such/folder", 69, "/no/such/folder"),
            ("secret-service", 69, "no D-Bus session bus"),
        ])
    func unavailable(keyring: String, status: Int32, says: String) async throws {
        try await withTool { tool in
            let run = try await tool.with(["STORED_VALUES_KEYRING": keyring]).run("secret", "get", "token")
            #expect(run.status == status && run.output == "" && run.errors.contains(says), "\(run)")
        }
    }

    @Test("Another keyring can be named, and one that cannot be written to says so")
    func named() async throws {
        try await withTool { tool in
            try tool.write(text, to: "\(tool.folder)/credentials/token")
            let keyring = "--keyring=credentials:\(tool.folder)/credentials"
            let isRead = try await tool.run("secret", "get", "token", keyring).output == text
            #expect(isRead)
            let run = try await tool.run("secret", "set", "token", keyring, input: text)
            #expect(run.status == 77 && run.errors.contains("read-only"))
            #expect(try await tool.run("secret", "get", "token", "--keyring", "keychain").status == 64)
        }
    }

    @Test("remove --all removes the secrets of the program and no others, says which, and is repeated without harm")
    func removeAll() async throws {
        try await withTool { tool in
            for name in ["a", "b"] { try await tool.run("secret", "set", name, input: text) }
            try await tool.run("secret", "set", "c", "--service", "other", input: text)
            let run = try await tool.run("secret", "remove", "--all", "--yes")
            #expect(run.status == 0 && run.output == "" && run.errors == "Removed: a, b\n", "\(run)")
            #expect(try await tool.run("secret", "list").output == "")
            #expect(try await tool.run("secret", "list", "--service", "other").output == "c\n")
            let again = try await tool.run("secret", "remove", "--all")
            #expect(again.status == 0 && again.errors == "Nothing is stored.\n", "\(again)")
        }
    }

    @Test("Without a terminal remove --all does not ask; a name together with --all is refused")
    func removeAllUnasked() async throws {
        try await withTool { tool in
            try await tool.run("secret", "set", "a", input: text)
            for (command, says) in [(["a", "--all"], "or --all"), ([], "or --all"), (["a", "--yes"], "--yes requires --all")] {
                let run = try await tool.run(["secret", "remove"] + command)
                #expect(run.status == 64 && run.errors.contains(says), "\(run)")
            }
            #expect(try await tool.run("secret", "list").output == "a\n")
            let run = try await tool.run(["secret", "remove", "--all"], input: "n\n")
            #expect(run.status == 0 && run.errors == "Removed: a\n", "\(run)")
            try tool.write("given", to: "\(tool.folder)/credentials/a")
            let refused = try await tool.run("secret", "remove", "--all", "--yes", "--keyring=credentials:\(tool.folder)/credentials")
            #expect(refused.status == 77 && refused.errors.contains("read-only"), "\(refused)")
        }
    }

    @Test("Moving lists what was moved, and different secrets of one name only with --overwrite")
    func move() async throws {
        try await withTool { tool in
            let to = "file:\(tool.folder)/new"
            for name in ["a", "b"] { try await tool.run("secret", "set", name, input: text + name) }
            try await tool.run("secret", "set", "b", "--keyring", to, input: "other")
            let conflict = try await tool.run("secret", "move", "--to", to)
            #expect(conflict.status == 64 && conflict.errors.contains("\"demo/b\" is different"), "\(conflict)")
            let run = try await tool.run("secret", "move", "--to", to, "--overwrite")
            #expect(run.status == 0 && run.output == "moved: a\nmoved: b\n", "\(run)")
            #expect(try await tool.run("secret", "list").output == "")
            let isRead = try await tool.run("secret", "get", "b", "--keyring", to).output == text + "b"
            #expect(isRead)
        }
    }

    // MARK: On a terminal

    @Test("What is typed is not shown, can be corrected, and is asked for twice; arrow and function keys are no part of it")
    func typed() async throws {
        let (up, delete, first, firstOfConsole, withAlt) = ("\u{1B}[A", "\u{1B}[3~", "\u{1B}OP", "\u{1B}[[A", "\u{1B}\u{1B}[A")
        try await withTool { tool in
            let terminal = try tool.start("secret", "set", "token")
            try await terminal.waits(for: "(not shown): ")
            #expect(!terminal.echoes)
            try terminal.type("wrong\u{15}\(text)ä\u{7F}\u{1A}x\u{7F}\r")
            try await terminal.waits(for: "Repeat it: ")
            #expect(!terminal.echoes)
            try terminal.type("\(up)\(text)\(delete)\(first)\(firstOfConsole)\(withAlt)\u{1B}[\r")
            #expect(try await terminal.end() == 0, "\(terminal.text.replacing(text, with: "<secret>"))")
            #expect(TestSecret.traces(in: terminal.text) == [] && !terminal.text.contains("wrong"))
            let isRead = try await tool.run("secret", "get", "token").output == text
            #expect(isRead)
        }
    }

    @Test(
        "remove --all asks first, and does what it is told",
        arguments: [
            ("y", Int32(0), "Removed: a, b"), ("no", 77, "Nothing was removed."),
        ])
    func removeAllAsked(answer: String, status: Int32, says: String) async throws {
        try await withTool { tool in
            for name in ["a", "b"] { try await tool.run("secret", "set", name, input: text) }
            let terminal = try tool.start("secret", "remove", "--all")
            try await terminal.waits(for: "[y]es, [n]o? ")
            #expect(terminal.text.contains("a, b"))
            try terminal.type("\(answer)\n")
            #expect(try await terminal.end() == status, "\(terminal.text)")
            try await terminal.waits(for: says)
            #expect(try await tool.run("secret", "list").output == (status == 0 ? "" : "a\nb\n"))
        }
    }

    @Test(
        "Where the question cannot be shown, none is asked, and the terminal shows what is typed",
        arguments: ["2>/dev/full", "2>/dev/null", "2>&-"])
    func unaskable(errors: String) async throws {
        try await withTool { tool in
            let script = #""$0" secret set token \#(errors); echo "status $?""#
            let terminal = try PseudoTerminal(["/bin/sh", "-c", script, Tool.path], environment: tool.environment)
            try await terminal.waits(for: "status 74\r\n")
            #expect(terminal.echoes)
        }
    }

    @Test("Two that differ are not stored, and Ctrl-C ends the tool as ever")
    func notTyped() async throws {
        try await withTool { tool in
            let terminal = try tool.start("secret", "set", "token")
            try await terminal.waits(for: "(not shown): ")
            try terminal.type("\(text)\r")
            try await terminal.waits(for: "Repeat it: ")
            try terminal.type("other\r")
            #expect(try await terminal.end() == 64)
            let second = try tool.start("secret", "set", "token")
            try await second.waits(for: "(not shown): ")
            try second.type("\(text)\u{3}")
            #expect(try await second.end() == -SIGINT)
            #expect(TestSecret.traces(in: terminal.text + second.text) == [])
            #expect(try await tool.run("secret", "list").output == "")
        }
    }

    @Test("A terminal shows a secret with --show only, and never what would steer it")
    func shown() async throws {
        try await withTool { tool in
            try await tool.run("secret", "set", "token", input: text)
            try await tool.run("secret", "set", "binary", input: "\u{1B}]0;\(text)")
            let hidden = try tool.start("secret", "get", "token")
            #expect(try await hidden.end() == 64)
            try await hidden.waits(for: "--show")
            #expect(TestSecret.traces(in: hidden.text) == [])
            let shown = try tool.start("secret", "get", "token", "--show")
            #expect(try await shown.end() == 0)
            try await shown.waits(for: text + "\r\n")
            let binary = try tool.start("secret", "get", "binary", "--show")
            #expect(try await binary.end() == 64)
            try await binary.waits(for: "\r\n")
            #expect(TestSecret.traces(in: binary.text) == [])
        }
    }
}
