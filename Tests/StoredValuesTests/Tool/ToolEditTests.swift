import Foundation
import Testing

@Suite("stored-values edit", .hangLimit)
struct ToolEditTests {}

extension ToolEditTests {
    private func copies(_ tool: Tool) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(tool.folder)/tmp").filter { $0.hasPrefix("stored-values-") }
    }

    /// What the editor is to do with the file that is its argument.
    private func edit(_ tool: Tool, _ editor: String) async throws -> FinishedProgram {
        try await tool.with(["EDITOR": editor]).run("edit")
    }

    @Test("Only the keys that were changed are written, and what others change meanwhile stays")
    func merge() async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "dark", "zoom": {"x":  1.0}, "old": 1}"#)
            let script = "\(tool.folder)/editor"
            try tool.write(#""$TOOL" set zoom 7 && "$TOOL" set new 8 && sed -i -e s/dark/light/ -e 's/, "old": 1//' "$1""#, to: script)
            let run = try await edit(tool, "sh \(script)")
            #expect(run.status == 0 && run.errors.contains("Changed: old, theme"), "\(run)")
            #expect(try await tool.run("list").output == "new\t8\ntheme\t\"light\"\nzoom\t7\n")
            #expect(try copies(tool) == [])
        }
    }

    @Test("Where both changed one key nothing is changed, and the edit is kept")
    func conflict() async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "dark"}"#)
            let script = "\(tool.folder)/editor"
            try tool.write(#""$TOOL" set theme theirs; sed -i s/dark/mine/ "$1""#, to: script)
            let run = try await edit(tool, "sh \(script)")
            #expect(run.status == 75 && run.errors.contains("Another program changed \"theme\""), "\(run)")
            #expect(try await tool.run("get", "theme").output == "theirs\n")
            let copy = try #require(try copies(tool).first)
            #expect(run.errors.contains("\(tool.folder)/tmp/\(copy)/preferences.json"))
            #expect(try contents(ofFile: "\(tool.folder)/tmp/\(copy)/preferences.json").contains("mine"))
        }
    }

    @Test("The edit is kept where the editor says that it could not be started, but was")
    func endedAsMissing() async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "dark"}"#)
            let script = "\(tool.folder)/editor"
            try tool.write(#"sed -i s/dark/mine/ "$1"; nobody-has-this-program"#, to: script)
            let run = try await edit(tool, "sh \(script)")
            #expect(run.status == 74, "\(run)")
            let copy = try #require(try copies(tool).first)
            #expect(run.errors.contains("ended with status 127") && run.errors.contains("\(tool.folder)/tmp/\(copy)/preferences.json"), "\(run)")
        }
    }

    @Test("What is not JSON replaces nothing, and the edit is kept")
    func notJSON() async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "dark"}"#)
            let run = try await edit(tool, "sed -i s/dark/dark,/")
            #expect(run.status == 0, "a comma in a text is fine")
            let second = try await edit(tool, #"sed -i s/\"theme\"/theme/"#)
            #expect(second.status == 65 && second.errors.contains("not JSON") && second.errors.contains("line 2, column 3"))
            #expect(try await tool.run("get", "theme").output == "dark,\n")
            #expect(try copies(tool).count == 1)
        }
    }

    @Test(
        "An edit that changes nothing, an editor that fails and one that is missing leave the file alone",
        arguments: [
            ("true", Int32(0), "Nothing was changed."), ("false", 74, "ended with status 1"), ("no-such-editor", 78, "Set VISUAL or EDITOR"),
            // The tool ignores this signal, and its editor does not.
            ("kill -PIPE $$; :", 74, "ended with status 141"),
        ])
    func nothing(editor: String, status: Int32, says: String) async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "dark"}"#)
            let run = try await edit(tool, editor)
            #expect(run.status == status && run.errors.contains(says), "\(run)")
            #expect(try contents(ofFile: tool.file) == #"{"theme": "dark"}"#)
        }
    }

    @Test("A broken file can be corrected; the old one is set aside")
    func correct() async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "dark",}"#)
            let run = try await edit(tool, "sed -i s/,//")
            #expect(run.status == 0 && run.errors.contains("aside"), "\(run)")
            #expect(try await tool.run("get", "theme").output == "dark\n")
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(tool.folder)/.config/demo")
            #expect(names.contains { $0.hasPrefix("preferences.json.rejected-") })
        }
    }

    @Test("A broken file is corrected also where that changes no value; the old one is set aside", arguments: [true, false])
    func correctToSame(hasDurableCopy: Bool) async throws {
        try await withTool { tool in
            if hasDurableCopy { try await tool.run("set", "theme", "dark") } else { try tool.write("{}") }
            #expect(FileManager.default.fileExists(atPath: tool.file + ".durable") == hasDurableCopy)
            let text = try contents(ofFile: tool.file)
            try tool.write(text.replacing("}", with: ",}"))
            #expect(try await tool.run("list").status == 65)
            let run = try await edit(tool, "sed -i s/,//")
            #expect(run.status == 0 && run.errors.contains("The file was corrected. No value was changed."), "\(run)")
            #expect(try await tool.run("list").status == 0)
            if hasDurableCopy { #expect(try await tool.run("get", "theme").output == "dark\n") }
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(tool.folder)/.config/demo")
            #expect(names.contains { $0.hasPrefix("preferences.json.rejected-") })
        }
    }

    @Test("Whatever the file and the place for temporary files are called, the editor gets the copy's path as its one argument")
    func path() async throws {
        try await withTool { tool in
            let names = ["p'\u{301}; cd; touch made; '\u{301}.json", "a b$(cd; touch made)`cd; touch made`\"\\.json", "p/\u{301}.json"]
            let script = "\(tool.folder)/editor"
            try tool.write(#"printf '%s\n' "$#" "$1" > "$HOME/seen""#, to: script)
            for (number, name) in names.enumerated() {
                let place = "\(tool.folder)/tmp/\(number)'\u{301}; cd; touch made; '\u{301}"
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                let file = "\(tool.folder)/\(name)"
                try tool.write(#"{"a": 1}"#, to: file)
                let run = try await tool.with(["EDITOR": "sh \(script)", "TMPDIR": place]).run("edit", "--file", file)
                #expect(run.status == 0 && run.errors == "Nothing was changed.\n", "\(run)")
                let seen = try contents(ofFile: "\(tool.folder)/seen").utf8.split(separator: UInt8(ascii: "\n")).map { Array($0) }
                #expect(seen.count == 2 && seen.first == Array("1".utf8))
                let last = Array(name.utf8.split(separator: UInt8(ascii: "/")).last ?? "".utf8[...])
                #expect(seen.last?.starts(with: Array("\(place)/stored-values-".utf8)) == true && seen.last?.suffix(last.count) == last[...])
                #expect(!FileManager.default.fileExists(atPath: "\(tool.folder)/made"), "\(name)")
            }
        }
    }

    @Test("Settings that are not there yet are begun in the editor")
    func begin() async throws {
        try await withTool { tool in
            let run = try await edit(tool, #"sed -i 's/{/{"a": 1/'"#)
            #expect(run.status == 0, "\(run)")
            #expect(try await tool.run("list").output == "a\t1\n")
        }
    }

    @Test("On a terminal the user is asked, and may continue with the edited text")
    func asked() async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "dark"}"#)
            let script = "\(tool.folder)/editor"
            try tool.write(#"if grep -q oops "$1"; then sed -i s/oops// "$1"; else sed -i s/dark/light/\;s/{/{oops/ "$1"; fi"#, to: script)
            let terminal = try tool.with(["EDITOR": "sh \(script)"]).start("edit")
            try await terminal.waits(for: "[e]dit again, [q]uit? ")
            try terminal.type("e\n")
            #expect(try await terminal.end() == 0, "\(terminal.text)")
            #expect(try await tool.run("get", "theme").output == "light\n")
        }
    }

    @Test("On a terminal the user may overwrite another program's change")
    func overwrite() async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": "dark"}"#)
            let script = "\(tool.folder)/editor"
            try tool.write(#""$TOOL" set theme theirs; sed -i s/dark/mine/ "$1""#, to: script)
            let terminal = try tool.with(["VISUAL": "sh \(script)", "EDITOR": "false"]).start("edit")
            try await terminal.waits(for: "[o]verwrite theirs")
            try terminal.type("o\n")
            #expect(try await terminal.end() == 0, "\(terminal.text)")
            #expect(try await tool.run("get", "theme").output == "mine\n")
        }
    }

    @Test("The editor has the variables of this process and no others, and a path with every odd character as one word")
    func odd() async throws {
        try await withTool { tool in
            let name = "a b'\"$(touch x)`;\\\n.json", file = "\(tool.folder)/\(name)"
            try tool.write("{}", to: file)
            let script = "\(tool.folder)/editor"
            try tool.write("env >\(tool.folder)/variables; echo $# >\(tool.folder)/count; sed -i 's/{/{\"a\": 1/' \"$1\"", to: script)
            let run = try await tool.with(["EDITOR": "sh \(script)", "STORED_VALUES_APP": nil]).run("edit", "--file", file)
            #expect(run.status == 0 && run.errors.contains("Changed: a"), "\(run)")
            #expect(try contents(ofFile: "\(tool.folder)/count") == "1\n")
            #expect(try !contents(ofFile: "\(tool.folder)/variables").contains("ARGUMENT"))
            #expect(!FileManager.default.fileExists(atPath: "\(tool.folder)/x"))
        }
    }
}
