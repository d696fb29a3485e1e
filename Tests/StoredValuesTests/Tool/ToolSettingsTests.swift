import Foundation
import Testing

@Suite("stored-values: settings", .hangLimit)
struct ToolSettingsTests {}

extension ToolSettingsTests {
    @Test(
        "JSON is stored as such, anything else as a string",
        arguments: [
            ("14", "14"), ("1.50", "1.50"), ("true", "true"), ("null", "null"), ("dark", #""dark""#), (#""14""#, #""14""#),
            (#"{"width": 8}"#, "{\n    \"width\": 8\n  }"), ("01234", #""01234""#), ("", #""""#), ("a b\n\"c\"", #""a b\n\"c\"""#),
        ])
    func set(value: String, json: String) async throws {
        try await withTool { tool in
            let run = try await tool.run("set", "key", value)
            #expect(run.status == 0 && run.output == "" && run.errors == "", "\(run)")
            #expect(try contents(ofFile: tool.file) == "{\n  \"key\": \(json)\n}\n")
        }
    }

    @Test("--text stores JSON as a string, and --json refuses anything else")
    func setExactly() async throws {
        try await withTool { tool in
            try await tool.run("set", "zip", "14", "--text")
            #expect(try await tool.run("get", "zip", "--json").output == "\"14\"\n")
            let run = try await tool.run("set", "zip", "dark", "--json")
            #expect(run.status == 65 && run.errors.contains("not JSON"))
            #expect(try await tool.run("set", "zip", "--", "-5").status == 0)
            #expect(try await tool.run("get", "zip").output == "-5\n")
        }
    }

    @Test(
        "JSON that would not be read as it is, is refused: names in two spellings, and more levels than are read; --text stores it",
        arguments: [
            (#"{"é": 1, "e\#u{301}": 2}"#, "in another spelling, at line 1, column 10"), (#"[{"a": {"e\#u{301}": 1, "\u00e9": 2}}]"#, "in another spelling"),
            (String(repeating: "[", count: 513) + String(repeating: "]", count: 513), "more than 512 levels"),
            (String(repeating: #"{"a":"#, count: 600), "more than 512 levels"),
        ])
    func refused(value: String, words: String) async throws {
        try await withTool { tool in
            try await tool.run("set", "key", "1")
            for arguments in [[], ["--json"]] {
                let run = try await tool.run(["set", "key", value] + arguments)
                #expect(run.status == 65 && run.errors.contains(words) && run.errors.contains("--text"), "\(run)")
            }
            #expect(try await tool.run("get", "key").output == "1\n")
            #expect(try await tool.run("set", "key", value, "--text").status == 0)
            #expect(try await tool.run("get", "key").output == "\(value)\n")
            // The same name twice is what every parser takes the last one of.
            #expect(try await tool.run("set", "key", #"{"é": 1, "é": 2, "e": 3}"#).status == 0)
        }
    }

    @Test("A value of another kind than the old one is stored, with a note")
    func kinds() async throws {
        try await withTool { tool in
            try await tool.run("set", "zip", "02134")
            let run = try await tool.run("set", "zip", "12345")
            #expect(run.status == 0)
            #expect(run.errors.contains(#""zip" was a string and is now a number. Use --text to keep it a string."#))
        }
    }

    @Test("get prints a string as it is and anything else as JSON; --json always prints JSON")
    func get() async throws {
        try await withTool { tool in
            try tool.write(#"{"name": "Ä \"x\"", "size": {"w": 1, "h": [true]}}"#)
            #expect(try await tool.run("get", "name").output == "Ä \"x\"\n")
            #expect(try await tool.run("get", "name", "--json").output == "\"Ä \\\"x\\\"\"\n")
            #expect(try await tool.run("get", "size").output == "{\n  \"h\": [\n    true\n  ],\n  \"w\": 1\n}\n")
        }
    }

    @Test("A value that cannot be read is no absent one, and says why")
    func unreadable() async throws {
        try await withTool { tool in
            try tool.write("{\n\n\"name\": \"\\ud800\"}")
            let run = try await tool.run("get", "name")
            #expect(run.status == 65 && run.output == "" && run.errors.contains("\"name\" in \"\(tool.file)\" has an unpaired surrogate"), "\(run)")
            #expect(!run.errors.contains("line 1"), "\(run)")
            let doctor = try await tool.run("doctor")
            #expect(doctor.status == 1 && doctor.output.contains("\"name\" in \(tool.file) has an unpaired surrogate"), "\(doctor)")
            let list = try await tool.run("list")
            #expect(list.status == 0 && list.output == "" && list.errors.contains("\"name\" cannot be read"), "\(list)")
            #expect(try await tool.run("set", "name", "x").status == 0)
            #expect(try await tool.run("get", "name").output == "x\n")
        }
    }

    @Test("A value of a layer that cannot be read is not said to be in the user's file; nor is one said to be absent where a layer is not JSON")
    func unreadableLayer() async throws {
        try await withTool { tool in
            let layer = "\(tool.folder)/etc/demo/preferences.json"
            try tool.write(#"{"name": "\ud800"}"#, to: layer)
            let run = try await tool.run("get", "name")
            #expect(run.status == 65 && run.errors.contains("\"name\" has") && !run.errors.contains(tool.file), "\(run)")
            try tool.write(#"{"name": "x""#, to: layer)
            let absent = try await tool.run("get", "name")
            #expect(absent.status == 1 && absent.errors.contains("\"\(layer)\"; none of its values are in use. It is not JSON: "), "\(absent)")
        }
    }

    @Test("A command ends with its own status where its messages cannot be written")
    func mute() async throws {
        try await withTool { tool in
            for (command, status) in [("secret get nope", Int32(1)), ("secret remove --all --yes", 0), ("no such", 64), ("secret get a --keyring file:/dev/null/x", 69)] {
                // The last is a pipe without a reader.
                for errors in ["2>&-", "2>/dev/full", "2>&5"] {
                    let script = "mkfifo \"$HOME/f\"; exec 4<>\"$HOME/f\" 5>\"$HOME/f\" 4<&-; rm \"$HOME/f\"; \"$TOOL\" \(command) \(errors)"
                    // What the tests start inherits an ignored SIGPIPE, and would not end by it.
                    let run = try await FinishedProgram.run(
                        ["/usr/bin/env", "--default-signal=PIPE", "/bin/sh", "-c", script], environment: tool.environment, in: tool.folder)
                    #expect(run.status == status, "\(command) \(errors): \(run)")
                }
            }
        }
    }

    @Test("A keyring without a place is refused as the option that it is")
    func keyringWithoutPlace() async throws {
        try await withTool { tool in
            let run = try await tool.run("secret", "get", "a", "--keyring", "file:")
            #expect(run.status == 64 && run.errors.contains("--keyring") && !run.errors.contains("STORED_VALUES_KEYRING"), "\(run)")
        }
    }

    @Test("What is not stored has status 1, prints nothing and says so")
    func absent() async throws {
        try await withTool { tool in
            let run = try await tool.run("get", "theme")
            #expect(run.status == 1 && run.output == "")
            #expect(run.errors.contains("Nothing is stored under \"theme\" in \"\(tool.file)\""))
        }
    }

    @Test("list prints a key, a tab and its JSON on each line, or one object; the library's own members are left out")
    func list() async throws {
        try await withTool { tool in
            try tool.write(#"{"b": "x\ty", "a": {"w": 1, "h": []}, "$versions": {"a": 3}}"#)
            let run = try await tool.run("list")
            #expect(run.output == "a\t{\"h\": [], \"w\": 1}\nb\t\"x\\ty\"\n")
            #expect(try await tool.run("list", "--json").output.contains("\"b\": \"x\\ty\""))
            #expect(try await tool.with(["STORED_VALUES_APP": "other"]).run("list", "--json").output == "{}\n")
        }
    }

    @Test("System-wide defaults are read, and reset uncovers them; resetting again succeeds")
    func layers() async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "system", "zoom": 2}"#, to: "\(tool.folder)/etc/demo/preferences.json")
            #expect(try await tool.run("get", "theme").output == "system\n")
            try await tool.run("set", "theme", "mine")
            #expect(try await tool.run("list").output == "theme\t\"mine\"\nzoom\t2\n")
            for _ in 0..<2 { #expect(try await tool.run("reset", "theme").status == 0) }
            #expect(try await tool.run("get", "theme").output == "system\n")
        }
    }

    @Test("Values of versioned types keep their version, and undeclared members stay unchanged")
    func versions() async throws {
        try await withTool { tool in
            try tool.write(#"{"$versions": {"window": 3}, "other": {"z":  1.10}, "window": {"w": 1}}"#)
            try await tool.run("set", "window", #"{"w": 2}"#)
            let text = try contents(ofFile: tool.file)
            #expect(text.contains(#""$versions": {"window": 3}"#) && text.contains(#""z":  1.10"#) && text.contains(#""w": 2"#))
            try await tool.run("reset", "window")
            #expect(try !contents(ofFile: tool.file).contains("3"))
        }
    }

    @Test(
        "A file that is no JSON is named with line and column, read by no command and left alone",
        arguments: [
            ["list"], ["get", "a"], ["set", "a", "1"], ["reset", "a"], ["reset", "--all", "--yes"], ["watch"],
        ])
    func broken(command: [String]) async throws {
        try await withTool { tool in
            let text = "{\n  \"a\": 1,\n  oops\n}"
            try tool.write(text)
            let run = try await tool.run(command)
            #expect(run.status == 65 && run.output == "")
            #expect(run.errors.contains("\(tool.file)\" are not JSON") && run.errors.contains("line 3, column 3"))
            #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            #expect(try contents(ofFile: tool.file) == text)
        }
    }

    @Test("If the file cannot be written, the status is 74, and the message says why and what to do")
    func unwritable() async throws {
        try await withTool { tool in
            try tool.write("in the way", to: "\(tool.folder)/file")
            let run = try await tool.run("set", "a", "1", "--file", "\(tool.folder)/file/p.json")
            #expect(run.status == 74, "\(run)")
            #expect(run.errors.contains("not a directory (ENOTDIR)") && run.errors.contains("move it away"))
            #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        }
    }

    @Test(
        "A wrong command line has status 64 and says what is right",
        arguments: [
            (["get"], "<key>"), (["set", "a"], "<json-or-text>"), (["nonsense"], "nonsense"), (["get", "$versions"], "is not a valid key"),
            (["get", ""], "is not a valid key"), (["list", "--app", "a/b"], "not a valid application id"),
            (["list", "--app", "a/\u{301}b"], "not a valid application id"), (["list", "--app", ".\u{301}b"], "not a valid application id"),
            (["get", "$\u{301}"], "is not a valid key"), (["list", "--app", ""], "not a valid application id"),
            (["list", "--app", "a", "--file", "b"], "either --app or --file"), (["set", "a", "1", "--text", "--json"], "either --text or --json"),
            (["reset"], "either the setting or --all"), (["reset", "a", "--all"], "either the setting or --all"), (["reset", "a", "--yes"], "--all"),
        ])
    func usage(command: [String], says: String) async throws {
        try await withTool { tool in
            let run = try await tool.run(command)
            #expect(run.status == 64 && run.output == "" && run.errors.contains(says), "\(run)")
        }
    }

    @Test("Without a program, or a folder for its settings, the message says what to set")
    func places() async throws {
        try await withTool { tool in
            let nobody = try await tool.with(["STORED_VALUES_APP": nil]).run("list")
            #expect(nobody.status == 64 && nobody.errors.contains("--app <id>"))
            let homeless = try await tool.with(["HOME": nil]).run("list")
            #expect(homeless.status == 78 && homeless.errors.contains("HOME"))
            #expect(try await tool.run("path").output == "\(tool.file)\n")
            let elsewhere = tool.with(["XDG_CONFIG_HOME": "\(tool.folder)/x"])
            #expect(try await elsewhere.run("path", "--app", "b").output == "\(tool.folder)/x/b/preferences.json\n")
            let json = try await tool.run("path", "--json").output
            #expect(json.contains(#""path": "\#(tool.file)""#) && json.contains("\(tool.folder)/etc/demo/preferences.json"))
        }
    }

    @Test("reset --all removes every setting, says which, uncovers the system-wide defaults, and is repeated without harm")
    func resetAll() async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "system"}"#, to: "\(tool.folder)/etc/demo/preferences.json")
            try tool.write(#"{"$versions": {"window": 3}, "window": {"w": 1}, "theme": "mine", "zoom": 2}"#)
            let run = try await tool.run("reset", "--all", "--yes")
            #expect(run.status == 0 && run.output == "" && run.errors == "Removed: theme, window, zoom\n", "\(run)")
            #expect(try contents(ofFile: tool.file) == "{\n}\n")
            #expect(try await tool.run("list").output == "theme\t\"system\"\n")
            let again = try await tool.run("reset", "--all")
            #expect(again.status == 0 && again.errors == "Nothing is stored.\n", "\(again)")
        }
    }

    @Test("Without a terminal reset --all does not ask, nor does it with --file")
    func resetAllUnasked() async throws {
        try await withTool { tool in
            let file = "\(tool.folder)/other.json"
            for (path, arguments) in [(tool.file, []), (file, ["--file", file])] {
                let tool = tool.with(path == file ? ["STORED_VALUES_APP": nil] : [:])
                try tool.write(#"{"theme": "dark"}"#, to: path)
                let run = try await tool.run(["reset", "--all"] + arguments, input: "n\n")
                #expect(run.status == 0 && run.errors == "Removed: theme\n", "\(run)")
                #expect(try contents(ofFile: path) == "{\n}\n")
            }
        }
    }

    @Test("A running program sees at once what the tool sets")
    func live() async throws {
        try await withTool { tool in
            let processes = TestProcesses()
            let program = try processes.start("watch", tool.file, "count")
            #expect(try await program.line() == "0")
            try await tool.with(["STORED_VALUES_APP": nil]).run("set", "count", "5", "--file", tool.file)
            #expect(try await program.line() == "5")
        }
    }

    @Test("watch prints the value now and each one that follows; what is gone is an empty line")
    func watchOne() async throws {
        try await withTool { tool in
            let watch = try ChildProcess([Tool.path, "watch", "theme"], environment: tool.environment)
            #expect(try await watch.line() == "")
            try await tool.run("set", "theme", "dark")
            #expect(try await watch.line() == "\"dark\"")
            try await tool.run("set", "other", "1")
            try await tool.run("reset", "theme")
            #expect(try await watch.line() == "")
        }
    }

    @Test("watch of all settings prints keys too, one object a line with --json")
    func watchAll() async throws {
        try await withTool { tool in
            try tool.write(#"{"a": 1}"#)
            let watch = try ChildProcess([Tool.path, "watch", "--json"], environment: tool.environment)
            #expect(try await watch.line() == #"{"key": "a", "value": 1}"#)
            try await tool.run("set", "b", "[1, 2]")
            #expect(try await watch.line() == #"{"key": "b", "value": [1, 2]}"#)
            try await tool.run("reset", "a")
            #expect(try await watch.line() == #"{"key": "a"}"#)
        }
    }

    @Test("watch says at once that the file is broken, though no value changes")
    func watchBroken() async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "dark"}"#)
            let errors = "\(tool.folder)/errors"
            let watch = try ChildProcess(["/bin/sh", "-c", "exec \"$TOOL\" watch theme 2>\(errors)"], environment: tool.environment)
            #expect(try await watch.line() == "\"dark\"")
            try tool.write(#"{"theme": "#)
            try await eventually("it is said") { (try? contents(ofFile: errors))?.contains("not JSON") == true }
        }
    }
}
