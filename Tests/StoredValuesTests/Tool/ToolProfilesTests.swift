import Foundation
import StoredValues
import Testing

@Suite("stored-values: other files of a program, and variables", .hangLimit)
struct ToolProfilesTests {}

extension ToolProfilesTests {
    private func folder(_ tool: Tool) -> String { "\(tool.folder)/.config/demo" }

    @Test("--name selects a file in every command about settings, list --names and path --json say which there are")
    func names() async throws {
        try await withTool { tool in
            try await tool.run("set", "size", "1")
            #expect(try await tool.run("list", "--names").output == "")
            #expect(try await tool.run("set", "size", "2", "--name", "work").status == 0)
            #expect(try await tool.run("set", "size", "3", "--name", "play time").status == 0)
            #expect(try await tool.run("get", "size").output == "1\n")
            #expect(try await tool.run("get", "size", "--name", "work").output == "2\n")
            #expect(try await tool.run("list", "--name", "play time").output == "size\t3\n")
            #expect(try await tool.run("path", "--name", "work").output == "\(folder(tool))/work.json\n")
            #expect(try await tool.run("list", "--names").output == "play time\nwork\n")
            #expect(try await tool.run("list", "--names", "--json").output.words == #"[ "play time", "work" ]"#)
            let paths = try #require(JSONValue(text: try await tool.run("path", "--json").output))
            #expect(paths["named"] == ["play time": .string("\(folder(tool))/play time.json"), "work": .string("\(folder(tool))/work.json")])
            #expect(try await tool.run("path", "--json", "--name", "work").output.contains("named") == false)
            #expect(try await tool.run("reset", "size", "--name", "work").status == 0)
            #expect(try await tool.run("get", "size", "--name", "work").status == 1)
            #expect(try await tool.run("get", "size").output == "1\n")
        }
    }

    @Test(
        "What does not go together, and what is no name, is refused",
        arguments: [
            ["get", "a", "--name", "x", "--file", "p.json"], ["get", "a", "--name", "../evil"], ["get", "a", "--name", ""], ["list", "--names", "--all"],
            ["list", "--names", "--name", "x"], ["list", "--names", "--file", "p.json"],
        ])
    func refused(arguments: [String]) async throws {
        try await withTool { tool in
            let run = try await tool.run(arguments)
            #expect(run.status == 64 && run.output == "", "\(run)")
        }
    }

    @Test("doctor checks every file of the program, or the one that --name selects")
    func doctor() async throws {
        try await withTool { tool in
            try await tool.run("set", "size", "1")
            try await tool.run("set", "size", "2", "--name", "work")
            try tool.write("{oops", to: "\(folder(tool))/broken.json")
            let run = try await tool.run("doctor")
            #expect(run.status == 1 && run.output.words.contains(#"Settings "broken""#) && run.output.words.contains("broken.json is not JSON"), "\(run)")
            #expect(run.output.words.contains(#"Settings "work""#) && run.output.words.contains("work.json holds 1 key"), "\(run)")
            let one = try await tool.run("doctor", "--name", "work")
            #expect(one.output.words.contains("work.json holds 1 key") && !one.output.contains("broken"), "\(one)")
            #expect(!one.output.contains("preferences.json holds"), "\(one)")
        }
    }

    @Test("doctor in the environment of a service names its variables: those that have values, those that are wrong, those that are of no key")
    func variables() async throws {
        try await withTool { tool in
            let processes = TestProcesses()
            #expect(try await processes.start("publish-service", "demo", "EDITOR_", environment: tool.environment).lines() == ["done"])
            let plain = try await tool.run("doctor")
            #expect(!plain.output.contains("EDITOR_"), "\(plain)")
            let service = tool.with([
                "EDITOR_MAX_CONNECTIONS": "10", "EDITOR_HTTP_PORT": "eighty", "EDITOR_GREETING": "", "EDITOR_HTTPPORT": "80",
                "EDITORS": "x",
            ])
            let run = try await service.run("doctor"), text = run.output.words
            #expect(run.status == 1)
            #expect(text.contains(#"EDITOR_MAX_CONNECTIONS in this environment has the value of "maxConnections"."#), "\(text)")
            #expect(text.contains(#"EDITOR_GREETING in this environment has the value of "greeting"."#))
            #expect(text.contains(#"PROBLEM EDITOR_HTTP_PORT in this environment is no value for "http.port": it must be a whole number"#), "\(text)")
            #expect(text.contains("EDITOR_HTTPPORT in this environment is of no key that a program declares."))
            #expect(!text.contains("EDITORS") && !text.contains("eighty"))
        }
    }
}
