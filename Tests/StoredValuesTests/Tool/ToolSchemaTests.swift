import Foundation
import Testing

@Suite("stored-values with a published schema", .hangLimit)
struct ToolSchemaTests {}

extension ToolSchemaTests {
    /// What a program publishes: made by the library as programs do, in the tool's home.
    private func withSchema(
        _ calls: String = "limit=60,theme=light,zoom=1", isolation: isolated (any Actor)? = #isolation, _ body: (Tool) async throws -> Void
    ) async throws {
        try await withTool { tool in
            let processes = TestProcesses()
            let process = try processes.start("publish", "demo", "", calls, environment: tool.environment)
            #expect(try await process.lines() == ["done"])
            try await body(tool)
        }
    }

    /// Where the schema lies.
    private func path(_ tool: Tool) -> String { "\(tool.folder)/.local/share/demo/preferences.schema.json" }

    /// A schema as it can be installed, with everything that the tool checks.
    private static let installed = """
        {"properties": {
          "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 60}, "theme": {"enum": ["light", "dark"], "default": "light"},
          "beep": {"type": "boolean", "default": true}, "maximum": {"deprecated": true, "x-stored-values-renamed": "limit"},
          "window": {"type": "object", "properties": {"width": {"type": "integer"}}}, "zip": {"type": "string"}, "ids": {"type": "array", "items": {"type": "integer"}},
          "size": {"anyOf": [{"type": "number"}, {"type": "null"}], "future-keyword": 1}, "free": {}
        }}
        """

    private func withInstalled(isolation: isolated (any Actor)? = #isolation, _ body: (Tool) async throws -> Void) async throws {
        try await withTool { tool in
            try tool.write(Self.installed, to: "\(tool.folder)/usr/demo/preferences.schema.json")
            try await body(tool.with(["XDG_DATA_DIRS": "relative:\(tool.folder)/none:\(tool.folder)/usr"]))
        }
    }

    @Test("list --all shows what is declared and not stored with its default; list shows what is stored")
    func list() async throws {
        try await withSchema { tool in
            try tool.write(#"{"limit": 7, "other": 1}"#)
            #expect(try await tool.run("list").output == "limit\t7\nother\t1\n")
            #expect(try await tool.run("list", "--all").output == "limit\t7\nother\t1\ntheme\t\"light\"\nzoom\t1\n")
            #expect(try await tool.run("list", "--all", "--json").output.words == #"{ "limit": 7, "other": 1, "theme": "light", "zoom": 1 }"#)
            let terminal = try tool.start("list", "--all")
            try await terminal.waits(for: "(default)")
            _ = try await terminal.end()
        }
    }

    @Test(
        "set refuses what programs would not read, and says why; --force stores it",
        arguments: [
            ("limit", "many", "it must be a whole number from 1 to 100"), ("limit", "500", "it must be a whole number from 1 to 100"), ("limit", "1.5", "a whole number"),
            ("theme", "pink", "it must be light or dark"), ("beep", "yes", "it must be true or false"), ("window", #"{"width": "x"}"#, "width must be a whole number"),
            ("ids", #"[1, "a"]"#, "[1] must be a whole number"), ("size", "big", "it must be a number or null"),
            ("theem", "dark", #"No program declares "theem". Did you mean "theme"?"#), ("Limit", "5", #"Did you mean "limit"?"#),
            ("entirely-different", "1", #"No program declares "entirely-different"."#), ("maximum", "5", #""maximum" is called "limit" now."#),
        ])
    func refused(key: String, value: String, words: String) async throws {
        try await withInstalled { tool in
            let run = try await tool.run("set", key, value)
            #expect(run.status == 65 && run.output == "" && run.errors.contains(words) && run.errors.contains("--force"), "\(run)")
            #expect(!FileManager.default.fileExists(atPath: tool.file))
            #expect(try await tool.run("set", key, value, "--force").status == 0)
            #expect(try await tool.run("get", key).status == 0)
        }
    }

    @Test(
        "set stores what programs read: a text where one is wanted, whatever it looks like",
        arguments: [
            ("limit", "30", "30"), ("limit", "1e1", "1e1"), ("theme", "dark", #""dark""#), ("beep", "false", "false"), ("zip", "01234", #""01234""#),
            ("zip", "12345", #""12345""#), ("zip", "true", #""true""#), ("window", #"{"more": 1}"#, "{\n  \"more\": 1\n}"), ("size", "null", "null"),
            ("size", "0.5", "0.5"), ("ids", "[]", "[]"), ("free", "14", "14"), ("free", "word", #""word""#),
        ])
    func stored(key: String, value: String, json: String) async throws {
        try await withInstalled { tool in
            let run = try await tool.run("set", key, value)
            #expect(run.status == 0 && run.errors == "", "\(run)")
            #expect(try await tool.run("get", key, "--json").output == "\(json)\n")
        }
    }

    @Test("Without a schema, or with one that is not JSON, everything is as before")
    func without() async throws {
        try await withTool { tool in
            for text in [nil, "{oops", "[]"] {
                if let text { try tool.write(text, to: path(tool)) }
                #expect(try await tool.run("set", "anything", "1").status == 0)
                let list = try await tool.run("list", "--all")
                #expect(list.output == "anything\t1\n" && list.errors.contains("No program has published"))
                #expect(try await !tool.run("doctor").output.contains("declares"))
            }
        }
    }

    @Test("doctor names unknown keys and values that do not fit")
    func doctor() async throws {
        try await withInstalled { tool in
            try tool.write(#"{"limit": 500, "theem": "dark", "theme": "pink", "maximum": "x", "beep": true}"#)
            let run = try await tool.run("doctor"), text = run.output.words
            #expect(run.status == 1)
            #expect(text.contains("\(tool.folder)/usr/demo/preferences.schema.json declares 8 keys."))
            #expect(text.contains(#""limit" in \#(tool.file) is not as programs read it: it must be a whole number from 1 to 100."#))
            #expect(text.contains("Set it again, or remove it with: stored-values reset limit --app demo"))
            #expect(text.contains(#""theme" in \#(tool.file) is not as programs read it: it must be light or dark."#))
            #expect(text.contains(#""theem" in \#(tool.file) is unknown. No program declares "theem". Did you mean "theme"?"#))
            #expect(!text.contains("\"beep\"") && !text.contains("\"maximum\""))
            try tool.write(#"{"limit": 5, "other": 1}"#)
            #expect(try await tool.run("doctor").output.words.contains("\"other\" in \(tool.file) is unknown."))
        }
    }

    @Test("edit names the schema in the editor's copy, and never in the file")
    func edit() async throws {
        try await withSchema { tool in
            for text in ["{}", #"{"limit": 7}"#, "\u{FEFF} {\n  \"limit\": 7\n}\n"] {
                try tool.write(text)
                let editor = #"cp "$1" "$HOME/seen"; sed -i -e 's/^{}$/{}/' -e 's/limit": 7/limit": 8/' "$1""#
                try tool.write(editor, to: "\(tool.folder)/editor")
                let run = try await tool.with(["EDITOR": "sh \(tool.folder)/editor"]).run("edit")
                #expect(run.status == 0 && run.errors.contains(text == "{}" ? "Nothing was changed" : "Changed: limit"), "\(run)")
                let seen = try Data(contentsOf: URL(fileURLWithPath: "\(tool.folder)/seen"))
                let object = try #require(try JSONSerialization.jsonObject(with: seen.starts(with: [0xEF]) ? seen.dropFirst(3) : seen) as? [String: Any])
                #expect(object["$schema"] as? String == "file://\(path(tool))")
                #expect(try !contents(ofFile: tool.file).contains("$schema"))
            }
            // One of the file's own stays.
            try tool.write(##"{"$schema": "https://a.b/c", "limit": 7}"##)
            try await tool.with(["EDITOR": #"sed -i 's/limit": 7/limit": 9/'"#]).run("edit")
            #expect(try contents(ofFile: tool.file).words == ##"{ "$schema": "https://a.b/c", "limit": 9 }"##)
        }
    }

    @Test("A file that is named by its path has the schema beside it, or that of its application")
    func file() async throws {
        try await withSchema { tool in
            let tool = tool.with(["STORED_VALUES_APP": nil])
            #expect(try await tool.run("set", "limit", "many", "--file", tool.file).status == 65)
            try tool.write(Self.installed, to: "\(tool.folder)/own.schema.json")
            #expect(try await tool.run("set", "limit", "500", "--file", "\(tool.folder)/own.json").status == 65)
            #expect(try await tool.run("set", "limit", "500", "--file", "\(tool.folder)/.config/demo/other.json").status == 0)
        }
    }

    @Test("In a real shell TAB completes declared keys, and the cases of one", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async throws {
        let program = try Program.orSkip(shell)
        try await withInstalled { tool in
            let terminal = try await tool.start(program, shell)
            try terminal.type("stored-values set the\t")
            try await terminal.waits(for: "theme")
            try terminal.type("da\t")
            try await terminal.waits(for: "dark")
            try terminal.type("\r")
            try await terminal.waits(for: "ready> ")
            try terminal.type("stored-values get the\t\r")
            try await terminal.waits(for: "dark")
            try terminal.type("exit\r")
            _ = try await terminal.end()
            #expect(try contents(ofFile: tool.file).words == #"{ "theme": "dark" }"#)
        }
    }
}
