import Foundation
import StoredValues
import Testing

@Suite("stored-values: names that are not what they look like", .hangLimit)
struct ToolNamesTests {
    /// é as one character and as two: equal to Swift, and two names to everybody else.
    private let one = "\u{E9}", two = "e\u{301}"
}

extension ToolNamesTests {
    @Test("No key and no name of a secret makes a row of its own")
    func rows() async throws {
        try await withTool { tool in
            try tool.write(#"{"a\r\nforged\t1": 1, "b\u0085c\u2028d\u000b": 2, "\n": 3}"#)
            let rows = #"\n"# + "\t3\n" + #"a\r\nforged\t1"# + "\t1\n" + #"b\u{85}c\u{2028}d\u{b}"# + "\t2\n"
            #expect(try await tool.run("list").output == rows)
            try await tool.run("secret", "set", "token\r\nforged", input: "x")
            #expect(try await tool.run("secret", "list").output == #"token\r\nforged"# + "\n")
            let get = try await tool.run("get", "x\nstored-values: all is well")
            #expect(get.status == 1 && get.errors.split(separator: "\n").count == 1, "\(get)")
            let watch = try ChildProcess([Tool.path, "watch"], environment: tool.environment)
            #expect(try await watch.line() == #"\n"# + "\t3")
            #expect(try await watch.line() == #"a\r\nforged\t1"# + "\t1")
        }
    }

    @Test("No key whose value cannot be read makes a line of its own")
    func unreadable() async throws {
        try await withTool { tool in
            try tool.write(#"{"a\nstored-values: note: all is well": "\ud800"}"#)
            let run = try await tool.run("list")
            #expect(run.errors.contains(#""a\nstored-values: note: all is well" cannot be read"#), "\(run)")
            #expect(!run.errors.contains("\nstored-values: note: all is well"))
        }
    }

    @Test(
        "No value makes a line of its own, whatever the reader takes for the end of one, and as JSON it is what it was",
        arguments: [
            ["list"], ["list", "--json"], ["get", "a"], ["get", "a", "--json"], ["watch"], ["watch", "--json"], ["watch", "a"],
        ])
    func values(command: [String]) async throws {
        try await withTool { tool in
            let text = "x\u{85}forged\t1\u{2028}\\\u{2029}\u{7F}\u{9F}\u{B}\u{202E}y"
            try tool.write(String(decoding: try JSONEncoder().encode(["a": [text]]), as: UTF8.self))
            let output: String
            if command[0] == "watch" {
                let watch = try ChildProcess([Tool.path] + command, environment: tool.environment)
                output = try await watch.line() ?? ""
            } else {
                output = try await tool.run(command).output
            }
            let ends = "\u{7F}\u{85}\u{9F}\u{2028}\u{2029}".unicodeScalars
            #expect(!output.unicodeScalars.contains { ends.contains($0) || $0.value < 0x20 && $0 != "\n" && $0 != "\t" }, "\(output)")
            let value = JSONValue(text: String(output.drop { $0 != "[" && $0 != "{" }))
            let found = value?["value"] ?? value?["a"] ?? value
            #expect(found == JSONValue.array([.string(text)]), "\(output)")
        }
    }

    @Test(
        "Nothing steers a terminal: no control of C1 and none that turns the direction of writing",
        arguments: [
            ["list"], ["list", "--json"], ["get", "steer"], ["get", "steer", "--json"], ["secret", "list"], ["secret", "list", "--json"], ["doctor"],
        ])
    func steering(command: [String]) async throws {
        try await withTool { tool in
            let steer = "\u{9B}2J\u{202E}\u{2067}\u{7F}\u{9D}0;"
            try tool.write("{\"x\(steer)\": 1, \"steer\": \"x\(steer)\"}")
            try tool.write("{}", to: tool.file.replacing("/preferences.json", with: "/x\(steer).json"))
            let set = try await tool.run("secret", "set", "x\(steer)", input: "x")
            try #require(set.status == 0, "\(set)")
            let terminal = try PseudoTerminal([Tool.path] + command, environment: tool.environment)
            let isJSON = command.contains("--json")
            try await terminal.waits(
                for: isJSON ? #"\u009b2J\u202e\u2067\u007f\u009d0;"# : #"\u{9b}2J\u{202e}\u{2067}\u{7f}\u{9d}0;"#)
            if isJSON { try await eventually("what is shown is JSON") { JSONValue(text: terminal.text) != nil } }
            #expect(try await terminal.end() == 0)
            #expect(!terminal.text.unicodeScalars.contains { steer.unicodeScalars.contains($0) && !$0.isASCII || $0 == "\u{7F}" })
        }
    }

    @Test("Nor does what is wrong with the command line", arguments: [["x\u{9B}2J"], ["list", "--app", "/\u{9B}2J"], ["get", "x\u{9B}2J"]])
    func quoting(command: [String]) async throws {
        try await withTool { tool in
            let terminal = try PseudoTerminal([Tool.path] + command, environment: tool.environment)
            try await terminal.waits(for: "\\u{9b}2J")
            #expect(try await terminal.end() == (command[0] == "get" ? 1 : 64))
            #expect(!terminal.text.unicodeScalars.contains("\u{9B}"))
        }
    }

    @Test("A secret that would steer the terminal is not shown", arguments: ["\u{9B}2J", "a\u{202E}b", "a\u{2028}b", "\u{7F}", "\r"])
    func shown(end: String) async throws {
        try await withTool { tool in
            let text = TestSecret.text() + end
            try await tool.run("secret", "set", "token", "--verbatim", input: text)
            let terminal = try tool.start("secret", "get", "token", "--show")
            #expect(try await terminal.end() == 64 && TestSecret.traces(in: terminal.text) == [])
            let isRead = try await tool.run("secret", "get", "token").output == text
            #expect(isRead)
        }
    }

    @Test("Keys that look alike are two settings, in every command")
    func alikeKeys() async throws {
        try await withTool { tool in
            try await tool.run("set", one, "1")
            try await tool.run("set", two, "2")
            #expect(try await tool.run("get", one).output == "1\n")
            #expect(try await tool.run("get", two).output == "2\n")
            #expect(Array(try await tool.run("list").output.utf8) == Array("\(two)\t2\n\(one)\t1\n".utf8))
            let json = try await tool.run("list", "--json").output
            #expect(Array(json.utf8) == Array("{\n  \"\(two)\": 2,\n  \"\(one)\": 1\n}\n".utf8), "\(json)")
            try await tool.run("reset", one)
            #expect(try await tool.run("get", one).status == 1)
            #expect(try await tool.run("get", two).output == "2\n")
        }
    }

    @Test("An edit that changes nothing but the form of a letter is an edit")
    func alikeTexts() async throws {
        try await withTool { tool in
            try tool.write(#"{"name": "\#(one)"}"#)
            try tool.write(#"printf '{"name": "e\314\201"}' > "$1""#, to: "\(tool.folder)/editor")
            let run = try await tool.with(["EDITOR": "sh \(tool.folder)/editor"]).run("edit")
            #expect(run.status == 0 && run.errors == "Changed: name\n", "\(run)")
            #expect(Array(try await tool.run("get", "name").output.utf8) == Array("\(two)\n".utf8))
        }
    }

    @Test("Services that look alike have secrets of their own, also when they are moved")
    func alikeServices() async throws {
        try await withTool { tool in
            try await tool.run("secret", "set", "token", "--service", one, input: TestSecret.text("one"))
            try await tool.run("secret", "set", "token", "--service", two, input: TestSecret.text("two"))
            try await tool.run("secret", "set", "other", "--service", two, input: TestSecret.text("two"))
            #expect(try await tool.run("secret", "list", "--service", one).output == "token\n")
            let move = try await tool.run("secret", "move", "--service", two, "--to", "file:\(tool.folder)/new")
            #expect(move.status == 0 && move.output == "moved: other\nmoved: token\n", "\(move)")
            let isRead = try await tool.run("secret", "get", "token", "--service", one).output == TestSecret.text("one")
            #expect(isRead)
        }
    }
}
