import Foundation
import Testing

@Suite("stored-values doctor", .hangLimit)
struct ToolDoctorTests {}

extension ToolDoctorTests {
    @Test("All is well with a file of settings and an encrypted file of secrets")
    func well() async throws {
        try await withTool { tool in
            try await tool.run("set", "a", "1")
            try await tool.run("secret", "set", "token", input: TestSecret.text())
            let run = try await tool.run("doctor")
            #expect(run.status == 0 && run.errors == "", "\(run)")
            let text = run.output.words
            #expect(text.contains("\(tool.file) holds 1 key and has mode 0600."))
            #expect(text.contains("\(tool.folder)/etc/demo/preferences.json does not exist"))
            #expect(text.contains("the encrypted file \(tool.folder)/secrets"))
            #expect(text.contains("STORED_VALUES_KEYRING is \"file:\(tool.folder)/secrets\"."))
            #expect(text.contains("The keyring answers and holds 1 secret of demo."))
            #expect(TestSecret.traces(in: text) == [])
        }
    }

    @Test("What is the matter with the files is said with what to do")
    func files() async throws {
        try await withTool { tool in
            try tool.write("{oops", to: "\(tool.folder)/etc/demo/preferences.json")
            try tool.write(#"{"a": 1,}"#)
            try tool.write("{", to: tool.file + ".rejected-1")
            chmod(tool.file, 0o666)
            let run = try await tool.run("doctor")
            #expect(run.status == 1)
            let text = run.output.words
            #expect(text.contains("\(tool.file) is not JSON: ") && text.contains("stored-values edit"))
            #expect(text.contains("chmod go-w \(tool.file)") && text.contains("mode 0666"))
            #expect(text.contains("set aside as \(tool.file).rejected-1"))
            #expect(text.contains("system-wide defaults in \(tool.folder)/etc/demo/preferences.json are not used: they are not JSON"))
            let json = try await tool.run("doctor", "--json")
            #expect(json.status == 1 && json.output.contains(#""ok": false"#) && json.output.contains(#""kind": "problem""#))
        }
    }

    @Test("The settings that a Flatpak of the program keeps are named, and others' are not")
    func flatpak() async throws {
        try await withTool { tool in
            let file = "\(tool.folder)/.var/app/org.example.Demo/config/demo/preferences.json"
            try tool.write("{}", to: file)
            try tool.write("{}", to: "\(tool.folder)/.var/app/org.example.Other/config/other/preferences.json")
            let text = try await tool.run("doctor").output.words
            #expect(text.contains("The Flatpak org.example.Demo keeps settings of its own in \(file)."), "\(text)")
            #expect(text.contains("stored-values doctor --file \(file)") && !text.contains("org.example.Other"))
            #expect(try await tool.run("doctor", "--file", file).output.words.contains("\(file) holds 0 keys"))
            // In the sandbox that file is the program's own.
            let inside = tool.with(["XDG_CONFIG_HOME": "\(tool.folder)/.var/app/org.example.Demo/config"])
            let own = try await inside.run("doctor").output.words
            #expect(own.contains("\(file) holds 0 keys") && !own.contains("The Flatpak"))
        }
    }

    @Test("A command that is advised has the options of the file that it is about")
    func advice() async throws {
        try await withTool { tool in
            let work = "\(tool.folder)/.config/demo/work.json"
            try tool.write("{")
            let own = try await tool.run("doctor").output.words
            #expect(own.contains("stored-values edit --app demo") && !own.contains("--name"), "\(own)")
            try tool.write("{", to: work)
            #expect(try await tool.run("doctor").output.words.contains("stored-values edit --app demo --name work"))
            #expect(try await tool.run("doctor", "--name", "work").output.words.contains("stored-values edit --app demo --name work"))
            #expect(try await tool.run("doctor", "--file", work).output.words.contains("stored-values edit --file \(work)"))
            #expect(try await tool.run("list").errors.words.contains("\"stored-values edit --app demo\" opens it."))
        }
    }

    @Test("A missing home is said once, however many checks lack it")
    func noHome() async throws {
        try await withTool { tool in
            let run = try await tool.with(["HOME": nil]).run("doctor")
            #expect(run.status == 1)
            #expect(run.output.words.components(separatedBy: "neither HOME nor XDG_CONFIG_HOME").count == 2, "\(run)")
            #expect(!run.output.contains("Items"), "there is no folder for stores, and no program that has one")
        }
    }

    @Test("A wrong key of an encrypted file is found")
    func wrongKey() async throws {
        try await withTool { tool in
            try await tool.run("secret", "set", "token", input: TestSecret.text())
            try Data((0..<32).map { _ in UInt8.random(in: 0...255) }).write(to: URL(fileURLWithPath: "\(tool.folder)/secrets.key"))
            chmod("\(tool.folder)/secrets.key", 0o600)
            let run = try await tool.run("doctor")
            #expect(run.status == 1 && run.output.words.contains("does not open the encrypted keyring"), "\(run)")
            #expect(try await tool.run("secret", "get", "token").status == 77)
        }
    }
}

extension String {
    /// The text with all white space made one space, however its lines are broken.
    var words: String { split { $0.isWhitespace }.joined(separator: " ") }
}
