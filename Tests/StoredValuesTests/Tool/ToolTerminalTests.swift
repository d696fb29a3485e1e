import Foundation
import Testing

@Suite("stored-values on a terminal", .hangLimit)
struct ToolTerminalTests {
    private let long = String(repeating: "long text ", count: 40)
}

extension ToolTerminalTests {
    private func fill(_ tool: Tool) throws {
        try tool.write(#"{"theme": "dark", "note": "\#(long)", "名前": "テスト", "steer": "\u001b[2Jx"}"#)
        try tool.write(#"{"zoom": 2}"#, to: "\(tool.folder)/etc/demo/preferences.json")
    }

    @Test("list fits into the terminal's width, wide and narrow, and steers nothing", arguments: [120, 80, 50, 24])
    func width(columns: Int) async throws {
        try await withTool { tool in
            try fill(tool)
            let terminal = try tool.with(["NO_COLOR": "1"]).start("list", columns: columns)
            #expect(try await terminal.end() == 0)
            try await terminal.waits(for: "(system-wide default)")
            #expect(!terminal.text.contains("\u{1B}"))
            for line in terminal.lines { #expect(line.count <= columns, "\(line)") }
            #expect(terminal.text.contains("…") && terminal.text.contains("\\u{1b}") == false)
        }
    }

    @Test(
        "reset --all asks first, and does what it is told",
        arguments: [
            ("y", Int32(0), "Removed: a, b"), ("no", 77, "Nothing was removed."), ("x\nn", 77, "Nothing was removed."),
        ])
    func resetAll(answer: String, status: Int32, says: String) async throws {
        try await withTool { tool in
            let text = #"{"a": 1, "b": 2}"#
            try tool.write(text)
            let terminal = try tool.start("reset", "--all")
            try await terminal.waits(for: "[y]es, [n]o? ")
            #expect(terminal.text.contains("a, b"))
            #expect(try contents(ofFile: tool.file) == text)
            try terminal.type("\(answer)\n")
            #expect(try await terminal.end() == status, "\(terminal.text)")
            try await terminal.waits(for: says)
            #expect(try contents(ofFile: tool.file) == (status == 0 ? "{\n}\n" : text))
        }
    }

    @Test("reset --all removes nothing if a user is there who cannot see the question")
    func resetAllUnseen() async throws {
        try await withTool { tool in
            let text = #"{"a": 1, "b": 2}"#
            try tool.write(text)
            let terminal = try PseudoTerminal(
                ["/bin/sh", "-c", #""$0" reset --all 2>"$1""#, try Tool.path, "\(tool.folder)/errors"], environment: tool.environment, columns: 80)
            #expect(try await terminal.end() == 77, "\(terminal.text)")
            #expect(try contents(ofFile: "\(tool.folder)/errors").contains("Nothing was removed."))
            #expect(try contents(ofFile: tool.file) == text)
        }
    }

    @Test("A text that would steer the terminal is shown and does nothing; a pipe gets it as it is")
    func steering() async throws {
        try await withTool { tool in
            try fill(tool)
            let terminal = try tool.start("get", "steer")
            try await terminal.waits(for: "\\u{1b}[2Jx")
            #expect(try await terminal.end() == 0)
            #expect(try await tool.run("get", "steer").output == "\u{1B}[2Jx\n")
        }
    }

    @Test(
        "Colours are for a terminal without NO_COLOR",
        arguments: [
            (["NO_COLOR": nil], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false),
        ] as [([String: String?], Bool)])
    func color(variables: [String: String?], isColored: Bool) async throws {
        try await withTool { tool in
            try fill(tool)
            // One that every program has.
            try tool.write("x", to: "\(tool.folder)/credentials/token")
            let tool = tool.with(variables).with(["STORED_VALUES_KEYRING": "credentials:\(tool.folder)/credentials"])
            for command in ["list", "doctor"] {
                let terminal = try tool.start(command)
                #expect(try await terminal.end() == 0)
                try await terminal.waits(for: command == "list" ? "(system-wide default)" : "The keyring answers")
                #expect(terminal.text.contains("\u{1B}[") == isColored, "\(command)")
            }
            #expect(try await !tool.run("list").output.contains("\u{1B}[1m"))
        }
    }
}
